/**
 * Starts a detached program that outlives us: output goes to a file, configuration comes on stdin. Returns its first
 * line on descriptor 3. Blocks until the child has loaded, so the server runs this in a thread (`host-starter.ts`);
 * it may import nothing but Node.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';

export interface ProcessRequest {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The child's output is appended to this file. */
  readonly output: string;
  readonly input: string;
  readonly timeoutMs: number;
}

const MAX_READY = 64 * 1024;

export async function startProcess({
  args,
  environment,
  output,
  input,
  timeoutMs,
}: ProcessRequest): Promise<string> {
  const file = openSync(output, 'a', 0o600);
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: ['pipe', file, file, 'pipe'],
    env: environment,
    cwd: '/',
  });
  closeSync(file);
  child.unref();
  return new Promise((resolve, reject) => {
    let text = '';
    let settled = false;
    const ready = child.stdio[3] as Readable;
    const fail = (message: string) => {
      if (settled) return;
      finish();
      child.kill('SIGKILL');
      reject(new Error(message));
    };
    const timer = setTimeout(() => fail('The host did not start in time.'), timeoutMs);
    const finish = () => {
      settled = true;
      clearTimeout(timer);
      ready.destroy();
    };
    ready.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (text.length > MAX_READY) return fail('The host reported an invalid address.');
      if (!text.includes('\n')) return;
      finish();
      resolve(text.slice(0, text.indexOf('\n')));
    });
    ready.on('error', (error) => fail(error.message));
    child.on('error', (error) => fail(error.message));
    // Not `exit`: the pipe may still hold the reason for the exit.
    child.on('close', (code, signal) => fail(`The host exited immediately (${signal ?? `exit ${code}`}).`));
    // The child exited without reading. The reason follows on descriptor 3 or with its exit.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(`${input}\n`);
  });
}
