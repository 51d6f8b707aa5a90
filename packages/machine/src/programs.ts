/** `dist/programs.json`: paths of the programs that the build made for the server. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';

export interface Programs {
  /** The session host's bundle. */
  readonly host: string;
  /** The reader's bundle. Without it external sessions are not listed and search is unavailable. */
  readonly reader?: string | undefined;
  /** The bundle of the thread that starts hosts. Without it the server starts them itself. */
  readonly starter?: string | undefined;
  /** The terminal host's bundle. */
  readonly terminals?: string | undefined;
  /**
   * The port keeper's bundle. Without it the server holds the port itself, and every sign-in ends with the server.
   */
  readonly keeper?: string | undefined;
  /** Folder of the built page. */
  readonly web?: string | undefined;
  /** Bundled agents, by their name in the catalog. */
  readonly agents?: Readonly<Record<string, string>> | undefined;
  /** Changes with every build; pages of another build reload (H10). */
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
    throw new CodedError('DATA_UNREADABLE', `${file} is missing or broken.`, 'Rebuild Tugdeck.');
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
