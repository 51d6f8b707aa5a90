/** Where the build put what the server needs beside itself: `dist/programs.json`. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';

export interface Programs {
  /** The session host's one file. */
  readonly host: string;
  /** The reader's one file; without it sessions made elsewhere are not listed and nothing can be searched. */
  readonly reader?: string | undefined;
  /** Of the thread that starts hosts; without it they are started by the server itself. */
  readonly starter?: string | undefined;
  /** The terminal host's. */
  readonly terminals?: string | undefined;
  /** The port keeper's; without it the server holds its port itself, and who is signed in is not when it ends. */
  readonly keeper?: string | undefined;
  /** The folder of the built page. */
  readonly web?: string | undefined;
  /** The agents that ship with us, by their name in the catalogue. */
  readonly agents?: Readonly<Record<string, string>> | undefined;
  /** Changes with every build; a page of another one reloads (H10). */
  readonly build: string;
}

const programsSchema = z.object({
  host: z.string(),
  reader: z.string().optional(),
  starter: z.string().optional(),
  terminals: z.string().optional(),
  keeper: z.string().optional(),
  web: z.string().optional(),
  agents: z.record(z.string(), z.string()).optional(),
  build: z.string(),
});

export function readPrograms(file: string): Programs {
  let parsed: Programs;
  try {
    parsed = programsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new CodedError('DATA_UNREADABLE', `${file} is missing or broken.`, 'Build tugdeck again.');
  }
  const from = dirname(file);
  return {
    build: parsed.build,
    host: resolve(from, parsed.host),
    ...(parsed.reader === undefined ? {} : { reader: resolve(from, parsed.reader) }),
    ...(parsed.starter === undefined ? {} : { starter: resolve(from, parsed.starter) }),
    ...(parsed.terminals === undefined ? {} : { terminals: resolve(from, parsed.terminals) }),
    ...(parsed.keeper === undefined ? {} : { keeper: resolve(from, parsed.keeper) }),
    ...(parsed.web === undefined ? {} : { web: resolve(from, parsed.web) }),
    agents: Object.fromEntries(
      Object.entries(parsed.agents ?? {}).map(([name, program]) => [name, resolve(from, program)]),
    ),
  };
}
