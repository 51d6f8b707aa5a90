/**
 * Runs the command whose stdin and stdout are a link (N5): an argument list, never a shell. It has no terminal, so ssh
 * cannot ask anything here; what it reports is shown in its own words (N26).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { bannerText } from './greeting.ts';

export interface Carrier {
  readonly from: Readable;
  readonly to: Writable;
  /** The end of what it wrote to stderr. */
  errors(): string;
  /** Resolves when the program has ended. */
  readonly ended: Promise<void>;
  /** Ends the program and everything it started in its process group. */
  close(): void;
}

const MAX_ERRORS = 4096;
const KILL_MS = 2_000;

export function startCarrier(
  [program = '', ...args]: readonly string[],
  environment: NodeJS.ProcessEnv,
): Carrier {
  // Its own session: without a controlling terminal, in a group that can be ended.
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], env: environment, detached: true });
  let errors: Buffer = Buffer.alloc(0);
  const note = (chunk: Buffer) => {
    errors = Buffer.concat([errors, chunk]).subarray(-MAX_ERRORS);
  };
  child.stderr.on('data', note);
  child.stdin.on('error', () => undefined); // The link closes.
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      note(Buffer.from(error.message));
      child.stdout.destroy();
      resolve();
    });
    child.once('close', () => resolve());
  });
  return {
    from: child.stdout,
    to: child.stdin,
    errors: () => bannerText(errors),
    ended,
    close() {
      end(child, 'SIGTERM');
      const kill = setTimeout(() => end(child, 'SIGKILL'), KILL_MS);
      kill.unref();
      void ended.then(() => clearTimeout(kill));
    },
  };
}

function end({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has just ended.
  }
}
