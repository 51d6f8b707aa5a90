/** Starts a session host or terminal host that outlives the server (H1). Resolves with the address it reports. */
import { join } from 'node:path';
import { errorCodeSchema } from '@tugdeck/protocol/wire/error-codes';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { makePrivate } from './data-directory.ts';
import { hostReadySchema } from './host-config.ts';
import { NODE_FLAGS } from './node-flags.ts';
import { type ProcessRequest, startProcess } from './start-process.ts';

export interface SpawnOptions {
  /** The host's bundle, run with our own Node. */
  readonly program: string;
  readonly logs: string;
  /** Name of its output file. */
  readonly name: string;
  /** Its configuration; validated by the host. */
  readonly config: object;
  readonly timeoutMs: number;
}

/** Variables that the host itself needs. The agent's environment is part of the configuration. */
const INHERITED_VARIABLES = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'SystemRoot', 'TUGDECK_TEST_STOP'];
/** Semi-space of 2 MB instead of 16: a host that once read a long conversation would never shrink again. */
const MEMORY_FLAGS = ['--max-semi-space-size=2'];

export interface SpawnedHost {
  readonly socket: string;
  readonly secret: string;
}

export type StartProgram = (options: SpawnOptions) => Promise<SpawnedHost>;

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
      // Keep system error codes, so that a full or read-only disk is reported as such.
      throw error.code === undefined ? new CodedError('HOST_UNAVAILABLE', error.message) : error;
    }),
  );
}

function readAnswer(line: string): SpawnedHost {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new CodedError('HOST_UNAVAILABLE', "The host's answer is not JSON.");
  }
  const parsed = hostReadySchema.safeParse(value);
  if (!parsed.success) throw new CodedError('HOST_UNAVAILABLE');
  if ('socket' in parsed.data) return parsed.data;
  const { code, message } = parsed.data.error;
  throw new CodedError(errorCodeSchema.safeParse(code).data ?? 'HOST_UNAVAILABLE', message);
}
