/**
 * Starts a program of ours that outlives us: detached, its output to a file, told everything on stdin. Gives its first line on
 * descriptor 3. Whoever calls it is held up until the child has loaded its program, so the server has a thread for it
 * (`host-starter.ts`); it must need nothing but Node.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';

export interface ProcessRequest {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Its output is added to this file. */
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
      if (text.length > MAX_READY) return fail('The host said something else than where it is.');
      if (!text.includes('\n')) return;
      finish();
      resolve(text.slice(0, text.indexOf('\n')));
    });
    ready.on('error', (error) => fail(error.message));
    child.on('error', (error) => fail(error.message));
    // Not `exit`: the pipe may still hold its last words, which tell more than the exit does.
    child.on('close', (code, signal) => fail(`The host ended at once (${signal ?? `exit ${code}`}).`));
    // It ended without reading: why comes on descriptor 3 or with its end, either of them later than this.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(`${input}\n`);
  });
}
