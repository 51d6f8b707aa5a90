/**
 * The terminal host program. Told what to do by one JSON document on stdin; says once on descriptor 3 where it can be
 * reached, or why it cannot. Outlives whoever started it.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openLedger, runLock } from '@tugdeck/local/ledger';
import { takeLock } from '@tugdeck/local/lock';
import { type Log, openLog } from '@tugdeck/local/log';
import { endTree, MARK } from '@tugdeck/local/process-ending';
import { findByEnvironment, ownIdentity } from '@tugdeck/local/process-identity';
import { sayReady } from '@tugdeck/local/say-ready';
import {
  TERMINALS_RECORD,
  type TerminalHostConfig,
  terminalHostConfigSchema,
} from '@tugdeck/local/terminal-host-config';
import { TERMINAL_LINK_VERSION } from '@tugdeck/protocol/terminal/terminal-link';
import { reportOf } from '@tugdeck/protocol/wire/errors';
import { Link } from './link.ts';
import { TerminalHost } from './terminal-host.ts';

async function main(): Promise<void> {
  const config = terminalHostConfigSchema.parse(JSON.parse(readFileSync(0, 'utf8')));
  const data = dataDirectory(config.dataDirectory);
  const log = openLog({
    file: join(data.logs, 'terminals.log'),
    name: 'terminals',
    level: config.logLevel ?? 'info',
  });
  // A bug in one terminal is no reason to hang up on all the others.
  process.on('uncaughtException', (error) => log.error('uncaught', { error }));
  // The server that started us may be gone; its terminal is no reason to die.
  process.on('SIGHUP', () => log.info('terminal hung up'));
  await serve(config, log);
  log.info('ready');
}

async function serve(config: TerminalHostConfig, log: Log): Promise<void> {
  const ledger = openLedger(dataDirectory(config.dataDirectory).ledger);
  let end: () => void = () => process.exit(1);
  const lock = takeLock(runLock(config.dataDirectory, TERMINALS_RECORD), {
    timings: config.timings,
    lost: () => {
      log.error('stopping: the lock of the terminal host was taken or removed by another process');
      end();
    },
  });
  const identity = ownIdentity();
  const mark = randomBytes(16).toString('hex');
  const secret = randomBytes(24).toString('base64url');
  // Named by its process: a successor must not find its own socket removed by a predecessor that leaves.
  const socket = join(config.runtimeDirectory, `t-${process.pid}.sock`);
  ledger.write({
    id: TERMINALS_RECORD,
    purpose: 'terminals',
    identity,
    socket,
    secret,
    mark,
    program: process.argv[1] ?? '',
    linkVersion: TERMINAL_LINK_VERSION,
  });
  const server = createServer();
  const host = new TerminalHost({
    timings: config.timings,
    now: Date.now,
    mark: { [MARK]: mark },
    hasLeftovers: () => findByEnvironment(MARK, mark).length > 0,
    onEnd: () => {
      server.close();
      rmSync(socket, { force: true });
      // Once the links have been told.
      setImmediate(() => void leave().finally(() => process.exit(0)));
    },
  });
  // Only here are all processes of the terminals sure to be seen: who ended this host may be in another pid namespace.
  const leave = async (): Promise<void> => {
    const { terminateMs } = config.timings;
    const left = await endTree({ identity, mark }, { farewellMs: terminateMs, terminateMs });
    if (ledger.get(TERMINALS_RECORD)?.mark === mark && left.length === 0) ledger.remove(TERMINALS_RECORD);
    lock.release();
  };
  end = () => host.end();
  process.on('SIGTERM', () => host.end());
  process.on('SIGINT', () => host.end());
  server.on('connection', (client) => {
    host.join(
      new Link(client, {
        secret,
        request: (link, request) => host.handle(link, request),
        bytes: (link, bytes) => host.input(link, bytes),
        closed: (link) => host.leave(link),
      }),
    );
  });
  rmSync(socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  chmodSync(socket, 0o600);
  sayReady({ socket, secret });
}

main().catch((error: unknown) => {
  const { code, message } = reportOf(error);
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  sayReady({ error: { code, message } });
  process.exit(1);
});
