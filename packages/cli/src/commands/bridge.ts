/**
 * `tugdeck bridge` (N5): copies bytes between stdin, stdout and the server's private socket, for the deck of another
 * machine. Starts a server if none runs, opens no port, and writes nothing else to stdout. Ends with either side.
 */
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type FoundServer, findServer } from '@tugdeck/gateway/control/find-server';
import { connectOwn } from '@tugdeck/local/own-socket';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Command, Context } from './context.ts';

/** Less than the deck waits for a greeting; a busy machine needs a while. */
const START_MS = 50_000;
const RETRY_MS = 25;

export const bridge: Command = async (context) => {
  const server = await ensureServer(context);
  const socket = connectOwn(server.socket);
  return new Promise((resolve) => {
    const end = (code: number) => {
      socket.destroy();
      process.stdin.destroy();
      resolve(code);
    };
    socket.once('connect', () => {
      socket.write(`${JSON.stringify({ type: 'link' })}\n`);
      process.stdin.pipe(socket);
      socket.pipe(process.stdout);
    });
    socket.once('error', (error) => {
      context.note(`tugdeck: Can't reach the server: ${error.message}`);
      end(1);
    });
    socket.once('close', () => end(0));
    process.stdin.once('end', () => end(0));
    process.stdin.once('error', () => end(0));
    process.stdout.once('error', () => end(0));
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(0));
  });
};

async function ensureServer({ settings }: Context): Promise<FoundServer> {
  const find = () => findServer(settings.data.ledger, settings.configuration.timings);
  const running = find();
  if (running) return running;
  const child = spawn(
    process.execPath,
    [...process.execArgv, process.argv[1] ?? '', 'serve', '--data-dir', settings.data.root],
    { detached: true, stdio: 'ignore', cwd: homedir() },
  );
  let failure: string | undefined;
  child.once('error', (error) => {
    failure = error.message;
  });
  child.once('exit', (code) => {
    // Another process may have started one.
    if (code !== 0) failure = `exit code ${code}`;
  });
  child.unref();
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline && failure === undefined) {
    const started = find();
    if (started) return started;
    await wait(RETRY_MS);
  }
  throw new CodedError(
    'HOST_UNAVAILABLE',
    `The server could not be started${failure === undefined ? '' : ` (${failure})`}.`,
    'Run tugdeck serve there to see why.',
  );
}
