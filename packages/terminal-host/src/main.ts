/**
 * The terminal host program. Reads its configuration as one JSON document from stdin and reports once on descriptor 3
 * where it listens, or why it could not start. Outlives the process that started it.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openLedger, runLock } from '@tugdeck/local/ledger';
import { takeLock } from '@tugdeck/local/lock';
import { type Log, openLog } from '@tugdeck/local/log';
import { listenOwn } from '@tugdeck/local/own-socket';
import { endTree, MARK } from '@tugdeck/local/process-ending';
import { findByEnvironment, ownIdentity } from '@tugdeck/local/process-identity';
import { reportReady } from '@tugdeck/local/report-ready';
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
  // A bug in one terminal must not end the others.
  process.on('uncaughtException', (error) => log.error('uncaught', { error }));
  // The server that started us may be gone; ignore the end of its terminal.
  process.on('SIGHUP', () => log.info('received SIGHUP'));
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
  // The name contains the pid, so that an exiting predecessor cannot remove its successor's socket.
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
      // After the connections have been notified.
      setImmediate(() => void leave().finally(() => process.exit(0)));
    },
  });
  // The host ends the processes itself: a caller in another pid namespace would not see them.
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
  await listenOwn(server, socket);
  reportReady({ socket, secret });
}

main().catch((error: unknown) => {
  const { code, message } = reportOf(error);
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  reportReady({ error: { code, message } });
  process.exit(1);
});
