/**
 * Starts a host, of a session or of terminals, so that it outlives us (H1): detached, its output to a file, told
 * everything on stdin. Resolves when it says on descriptor 3 where it can be reached.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { makePrivate } from '@tugdeck/local/data-directory';
import { hostReadySchema } from '@tugdeck/local/host-config';
import { OWN_NODE } from '@tugdeck/local/own-node';
import { errorCodeSchema } from '@tugdeck/protocol/wire/error-codes';
import { CodedError } from '@tugdeck/protocol/wire/errors';

export interface SpawnOptions {
  /** The host's program: one file, run by our own Node. */
  readonly program: string;
  readonly logs: string;
  /** Of its output's file. */
  readonly name: string;
  /** What it is told: by its own schema. */
  readonly config: object;
  readonly timeoutMs: number;
}

/** What a host itself needs; its agent's environment travels in the configuration. */
const PASSED_ON = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'SystemRoot'];
const MAX_READY = 64 * 1024;
/** Young objects get 2 MB, not 16: a host that once read a long conversation would keep the room for good. */
const SMALL = ['--max-semi-space-size=2'];

export interface SpawnedHost {
  readonly socket: string;
  readonly secret: string;
}

export async function spawnHost(options: SpawnOptions): Promise<SpawnedHost> {
  const { program, logs, name, config, timeoutMs } = options;
  // To start a process holds everything up for as long as copying our own takes: not on top of what is done now.
  await new Promise((resolve) => setImmediate(resolve));
  makePrivate(logs);
  const output = openSync(join(logs, `${name}.out`), 'a', 0o600);
  const environment = Object.fromEntries(
    PASSED_ON.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined),
  );
  const child = spawn(process.execPath, [...OWN_NODE, ...SMALL, program], {
    detached: true,
    stdio: ['pipe', output, output, 'pipe'],
    env: environment,
    cwd: '/',
  });
  closeSync(output);
  child.unref();
  return new Promise<SpawnedHost>((resolve, reject) => {
    let text = '';
    let settled = false;
    const ready = child.stdio[3] as Readable;
    const fail = (message: string) => {
      if (settled) return;
      finish();
      child.kill('SIGKILL');
      reject(new CodedError('HOST_UNAVAILABLE', message));
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
      const answer = readAnswer(text);
      finish();
      if (answer instanceof CodedError) reject(answer);
      else resolve(answer);
    });
    ready.on('error', (error) => fail(error.message));
    child.on('error', (error) => fail(error.message));
    // Not `exit`: the pipe may still hold its last words, which tell more than the exit does.
    child.on('close', (code, signal) => fail(`The host ended at once (${signal ?? `exit ${code}`}).`));
    // It ended without reading: why comes on descriptor 3 or with its end, either of them later than this.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(JSON.stringify(config));
  });
}

function readAnswer(text: string): SpawnedHost | CodedError {
  let value: unknown;
  try {
    value = JSON.parse(text.slice(0, text.indexOf('\n')));
  } catch {
    return new CodedError('HOST_UNAVAILABLE', 'The host said something that is not JSON.');
  }
  const parsed = hostReadySchema.safeParse(value);
  if (!parsed.success) return new CodedError('HOST_UNAVAILABLE');
  if ('socket' in parsed.data) return parsed.data;
  const { code, message } = parsed.data.error;
  return new CodedError(errorCodeSchema.safeParse(code).data ?? 'HOST_UNAVAILABLE', message);
}
