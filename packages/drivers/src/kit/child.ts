/**
 * An agent's process: in its own group, with exactly the given environment, line-based. Handles stdin back-pressure
 * and keeps the end of stderr. Sends no signals; the host ends the process tree.
 */
import { spawn } from 'node:child_process';
import { createLineReader, type LineHandler } from '@tugdeck/local/lines';
import type { AgentExit } from './port.ts';

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly maxLine: number;
}

export interface ChildHandler extends LineHandler {
  spawned(pid: number): void;
  stderr(line: string): void;
  /** Called once, after the last line. */
  exited(exit: AgentExit): void;
}

export interface Child {
  /** Writes a line to stdin; false if the process can no longer read it. */
  write(line: string): boolean;
  /** Closes stdin after everything was written. */
  endInput(): void;
}

const STDERR_TAIL = 8 * 1024;
const STDERR_LINE = 64 * 1024;
/** A grandchild may hold our pipes open after the agent is gone; its output is ignored. */
const DRAIN_MS = 500;

export function startChild(options: ChildOptions, handler: ChildHandler): Child {
  const child = spawn(options.command, [...options.args], {
    cwd: options.directory,
    env: { ...options.environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let tail = '';
  let failure: string | undefined;
  let inputOpen = true;
  let ended = false;
  let over = false;
  const waiting: string[] = [];
  let blocked = false;

  if (child.pid !== undefined) handler.spawned(child.pid);

  const lines = createLineReader(options.maxLine, handler);
  const errors = createLineReader(STDERR_LINE, {
    line(text) {
      tail = `${tail}${text}\n`.slice(-STDERR_TAIL);
      handler.stderr(text);
    },
    overlong(bytes, head) {
      tail = `${tail}${head}… (${bytes} bytes)\n`.slice(-STDERR_TAIL);
    },
  });
  child.stdout.on('data', (chunk: Buffer) => {
    if (!over) lines.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    if (!over) errors.push(chunk);
  });

  function finish(code: number | null, signal: string | null): void {
    if (over) return;
    lines.end();
    errors.end();
    over = true;
    inputOpen = false;
    child.stdout.destroy();
    child.stderr.destroy();
    handler.exited({ code, signal, stderr: tail, ...(failure === undefined ? {} : { failure }) });
  }

  child.once('error', (error) => {
    // Also emitted if signaling fails, which we never do: here it is a failed start.
    if (child.pid !== undefined) return;
    failure = error.message;
    finish(null, null);
  });
  child.once('exit', (code, signal) => {
    const timer = setTimeout(() => finish(code, signal), DRAIN_MS);
    child.once('close', () => {
      clearTimeout(timer);
      finish(code, signal);
    });
  });

  function pump(): void {
    while (inputOpen && !blocked) {
      const line = waiting.shift();
      if (line === undefined) break;
      blocked = !child.stdin.write(`${line}\n`);
    }
    if (ended && inputOpen && waiting.length === 0) {
      inputOpen = false;
      child.stdin.end();
    }
  }
  child.stdin.on('drain', () => {
    blocked = false;
    pump();
  });
  // EPIPE: the exit event follows.
  child.stdin.on('error', () => {
    inputOpen = false;
    waiting.length = 0;
  });

  return {
    write(line) {
      if (!inputOpen || ended) return false;
      waiting.push(line);
      pump();
      return inputOpen;
    },
    endInput() {
      ended = true;
      pump();
    },
  };
}
