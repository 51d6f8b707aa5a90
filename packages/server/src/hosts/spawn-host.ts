/**
 * Starts a host, of a session or of terminals, so that it outlives us (H1). Resolves when it says where it can be reached.
 */
import { join } from 'node:path';
import { makePrivate } from '@tugdeck/local/data-directory';
import { hostReadySchema } from '@tugdeck/local/host-config';
import { NODE_FLAGS } from '@tugdeck/local/node-flags';
import { errorCodeSchema } from '@tugdeck/protocol/wire/error-codes';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type ProcessRequest, startProcess } from './start-process.ts';

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
const INHERITED_VARIABLES = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'SystemRoot'];
/** Young objects get 2 MB, not 16: a host that once read a long conversation would keep the room for good. */
const MEMORY_FLAGS = ['--max-semi-space-size=2'];

export interface SpawnedHost {
  readonly socket: string;
  readonly secret: string;
}

export async function spawnHost(
  { program, logs, name, config, timeoutMs }: SpawnOptions,
  start: (request: ProcessRequest) => Promise<string> = startProcess,
): Promise<SpawnedHost> {
  makePrivate(logs);
  const environment: Record<string, string> = {};
  for (const name of INHERITED_VARIABLES) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  const answer = start({
    args: [...NODE_FLAGS, ...MEMORY_FLAGS, program],
    environment,
    output: join(logs, `${name}.out`),
    input: JSON.stringify(config),
    timeoutMs,
  });
  return readAnswer(
    await answer.catch((error: NodeJS.ErrnoException) => {
      // A disk that is full or must not be written to is told as what it is.
      throw error.code === undefined ? new CodedError('HOST_UNAVAILABLE', error.message) : error;
    }),
  );
}

function readAnswer(line: string): SpawnedHost {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new CodedError('HOST_UNAVAILABLE', 'The host said something that is not JSON.');
  }
  const parsed = hostReadySchema.safeParse(value);
  if (!parsed.success) throw new CodedError('HOST_UNAVAILABLE');
  if ('socket' in parsed.data) return parsed.data;
  const { code, message } = parsed.data.error;
  throw new CodedError(errorCodeSchema.safeParse(code).data ?? 'HOST_UNAVAILABLE', message);
}
