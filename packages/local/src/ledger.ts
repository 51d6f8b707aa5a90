/**
 * The ledger: every process of ours, one private file each in the data directory (ARCHITECTURE §2).
 * Written before the process's first line of output; what it does not name is never killed.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';
import { makeDataDirectory } from './data-directory.ts';
import { readOwnFile } from './own-place.ts';
import { writePrivate } from './private-file.ts';
import { processIdentitySchema } from './process-identity.ts';

export const ledgerRecordSchema = z.object({
  /** `host-<session>`, `agent-<session>`, `terminals` or `server`. */
  id: z.string().regex(/^[0-9a-zA-Z-]{1,100}$/),
  purpose: z.enum(['host', 'agent', 'terminals', 'server']),
  identity: processIdentitySchema,
  group: z.number().int().positive().optional(),
  session: z.string().optional(),
  socket: z.string().optional(),
  /** A link to the process's socket needs it. */
  secret: z.string().optional(),
  /**
   * In the environment of an agent or a terminal and of all that it starts: `TUGDECK_MARK`. A host's record has that
   * of its agents, so that one which its host could not write down any more is found as well.
   */
  mark: z.string().optional(),
  program: z.string().optional(),
  linkVersion: z.number().int().optional(),
});
export type LedgerRecord = z.infer<typeof ledgerRecordSchema>;

export interface Ledger {
  write(record: LedgerRecord): void;
  get(id: string): LedgerRecord | undefined;
  read(): LedgerRecord[];
  remove(id: string): void;
}

export function openLedger(directory: string): Ledger {
  makeDataDirectory(directory);
  const fileOf = (id: string) => join(directory, `${id}.json`);
  const get = (id: string): LedgerRecord | undefined => {
    let text: string | undefined;
    try {
      text = readOwnFile(fileOf(id));
    } catch (error) {
      // Written by somebody else: it proves nothing about any process (X9).
      if (error instanceof CodedError) return undefined;
      throw error;
    }
    return text === undefined ? undefined : parseRecord(text);
  };
  return {
    get,
    write: (record) => writePrivate(fileOf(record.id), JSON.stringify(ledgerRecordSchema.parse(record))),
    read: () =>
      readdirSync(directory)
        .filter((name) => name.endsWith('.json'))
        .map((name) => get(name.slice(0, -'.json'.length)))
        .filter((record) => record !== undefined),
    remove: (id) => rmSync(fileOf(id), { force: true }),
  };
}

function parseRecord(text: string): LedgerRecord | undefined {
  try {
    return ledgerRecordSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // Not JSON: nobody can be proven by it, so it names nobody.
  }
}
