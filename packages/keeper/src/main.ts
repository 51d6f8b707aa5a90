/**
 * The port keeper (X1): holds the port across server restarts, so that no other program can take it while pages
 * reconnect, and keeps the instance key in memory. When it ends, the key and every sign-in are gone. Configured by
 * one JSON line on stdin; reports its address, or an error, on descriptor 3.
 */
import { randomBytes } from 'node:crypto';
import { readSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { connectionShare, descriptorLimit, unauthenticatedShare } from '@tugdeck/local/descriptor-limit';
import { addressesOf, holdPort } from '@tugdeck/local/held-port';
import {
  isKeeperConfig,
  isKeeperRequest,
  KEEPER_LINK_VERSION,
  KEEPER_RECORD,
  type KeeperAnswer,
  type KeeperConfig,
} from '@tugdeck/local/keeper-link';
import { type Ledger, openLedger, runLock } from '@tugdeck/local/ledger';
import { createLineReader } from '@tugdeck/local/lines';
import { takeLock } from '@tugdeck/local/lock';
import { type Log, openLog } from '@tugdeck/local/log';
import { isSameSecret, listenOwn } from '@tugdeck/local/own-socket';
import { ownIdentity } from '@tugdeck/local/process-identity';
import { reportReady } from '@tugdeck/local/report-ready';
import { parseShape } from '@tugdeck/local/shape';
import { reportOf } from '@tugdeck/protocol/wire/errors';
import { createRelay } from './relay.ts';
import { answerServerDown } from './server-down.ts';

/** Far more than browsers open. */
const MAX_CONNECTIONS = 512;
/** Of these, idle connections: silent, waiting for the server, or not reading. */
const MAX_IDLE = 256;
/** File descriptors per connection: the browser's and the server's. */
const PER_CONNECTION = 2;
const MAX_LINE = 64 * 1024;

async function main(): Promise<void> {
  const config = parseShape(readLine(0), isKeeperConfig);
  if (!config) throw new Error('invalid configuration');
  const data = dataDirectory(config.dataDirectory);
  const log = openLog({
    file: join(data.logs, 'keeper.log'),
    name: 'keeper',
    level: config.logLevel ?? 'info',
  });
  process.on('uncaughtException', (error) => log.error('uncaught', { error }));
  // Closing the terminal that started us must not release the port.
  process.on('SIGHUP', () => log.info('terminal hung up'));
  await runKeeper(config, openLedger(data.ledger), log);
}

/** Does not wait for the end of input, which only comes when the busy server closes it. */
function readLine(descriptor: number): string {
  const bytes = Buffer.alloc(MAX_LINE);
  let length = 0;
  while (length < MAX_LINE && !bytes.subarray(0, length).includes('\n')) {
    const read = readSync(descriptor, bytes, length, MAX_LINE - length, null);
    if (read === 0) break;
    length += read;
  }
  return bytes.toString('utf8', 0, length);
}

async function runKeeper(config: KeeperConfig, ledger: Ledger, log: Log): Promise<void> {
  const { host, isSecure, runtimeDirectory } = config;
  const secret = randomBytes(24).toString('base64url');
  const instance = {
    id: randomBytes(16).toString('base64url'),
    key: randomBytes(32).toString('base64url'),
  };
  let served: { readonly link: Socket; readonly socket: string } | undefined;
  // Lost if the data directory is deleted or a keeper elsewhere takes over: then release the port too (N2).
  const lock = takeLock(runLock(config.dataDirectory, KEEPER_RECORD), {
    timings: config.timings,
    lost: () => end(),
  });
  const held = await holdPort({
    hosts: addressesOf(host),
    port: config.port,
    accept: createRelay({
      target: () => served?.socket,
      serverDown: (client) => answerServerDown(client, isSecure),
      maxConnections: connectionShare(MAX_CONNECTIONS, PER_CONNECTION),
      maxIdle: unauthenticatedShare(MAX_IDLE, descriptorLimit() / PER_CONNECTION),
    }),
  });
  const answer: KeeperAnswer = { type: 'held', host, port: held.port, isSecure, instance };
  const socket = join(runtimeDirectory, `k-${process.pid}.sock`);
  const control = createServer((link) =>
    handleControl(link, secret, {
      hello: () => link.write(`${JSON.stringify(answer)}\n`),
      serve: (path) => {
        served = { link, socket: path };
      },
      end,
      closed: () => {
        if (served?.link === link) served = undefined;
      },
    }),
  );

  function end(): void {
    try {
      held.close();
      control.close();
      rmSync(socket, { force: true });
      lock.release();
      if (ledger.get(KEEPER_RECORD)?.secret === secret) ledger.remove(KEEPER_RECORD);
      log.info('ended');
    } finally {
      process.exit(0);
    }
  }

  await listenOwn(control, socket);
  ledger.write({
    id: KEEPER_RECORD,
    purpose: 'keeper',
    identity: ownIdentity(),
    socket,
    secret,
    program: process.argv[1] ?? '',
    linkVersion: KEEPER_LINK_VERSION,
  });
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  log.info('holding', { host, port: held.port });
  reportReady({ socket, secret });
}

interface ControlHandlers {
  hello(): void;
  serve(socket: string): void;
  end(): void;
  closed(): void;
}

/** Handles a control connection; ignores everything before the secret was sent. */
function handleControl(link: Socket, secret: string, { hello, serve, end, closed }: ControlHandlers): void {
  let isKnown = false;
  const reader = createLineReader(MAX_LINE, {
    overlong: () => link.destroy(),
    line: (line) => {
      const request = parseShape(line, isKeeperRequest);
      if (request?.type === 'hello' && isSameSecret(request.secret, secret)) {
        isKnown = true;
        hello();
      } else if (!isKnown || !request || request.type === 'hello') link.destroy();
      else if (request.type === 'serve') serve(request.socket);
      else end();
    },
  });
  link.on('data', (chunk: Buffer) => reader.push(chunk));
  link.on('error', () => link.destroy());
  link.once('close', closed);
}

main().catch((error: unknown) => {
  const { code, message } = reportOf(error);
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  reportReady({ error: { code, message } });
  process.exit(1);
});
