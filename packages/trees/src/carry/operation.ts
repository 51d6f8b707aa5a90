/**
 * One carry on disk: what is about to be done, written and synced before the first file changes, so that it can be
 * finished, undone or left after a crash.
 */
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import { makePrivate } from '@tugdeck/local/data-directory';
import { z } from 'zod';

const hashSchema = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
const versionSchema = z.object({ mode: z.enum(['100644', '100755', '120000']), blob: hashSchema });

const rowSchema = z.object({
  path: z.string().min(1),
  before: versionSchema.optional(),
  after: versionSchema.optional(),
  permissions: z.number().int().optional(),
});

const leftSchema = z.object({
  path: z.string(),
  why: z.enum(['changed', 'moved', 'occupied', 'failed']),
  code: z.string().optional(),
});

export const outcomeSchema = z.enum(['done', 'partial', 'undone', 'abandoned']);
export type Outcome = z.infer<typeof outcomeSchema>;

const operationSchema = z.object({
  id: z.string().regex(/^[0-9a-f-]{36}$/),
  /** When it began. */
  at: z.number(),
  /** Folders older than this stay, even if they become empty. */
  since: z.number(),
  /** The folder (`Shadow.place`); absent in records of earlier versions. */
  place: z.string().max(100).optional(),
  /** The project's files before and, if nothing else changes them, after. */
  now: hashSchema,
  result: hashSchema,
  rows: z.array(rowSchema),
  /** The branch moves from one commit to the other, after the files. */
  branch: z.object({ branch: z.string().min(1), from: hashSchema, to: hashSchema }).optional(),
  /** The operation that this one undoes. */
  undoes: z.string().optional(),
  ended: z
    .object({
      outcome: outcomeSchema,
      at: z.number(),
      written: z.number(),
      removed: z.number(),
      left: z.array(leftSchema),
      /** If it was left unfinished: the paths that had been changed by then. */
      carried: z.array(z.string()).optional(),
      /** Whether the branch was moved. */
      moved: z.boolean().optional(),
    })
    .optional(),
});
export type Operation = z.infer<typeof operationSchema>;

/** 60,000 rows have about 20 MB. */
const MAX_BYTES = 128 * 1024 * 1024;
const NAME = /^[0-9a-f-]{36}\.json$/;

export function writeOperation(directory: string, operation: Operation): void {
  makePrivate(directory);
  const file = join(directory, `${operation.id}.json`);
  const temporary = `${file}.new`;
  const descriptor = openSync(temporary, 'w', 0o600);
  try {
    writeFileSync(descriptor, JSON.stringify(operation));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
  syncDirectory(dirname(file));
}

export function readOperation(directory: string, id: string): Operation | undefined {
  if (!NAME.test(`${id}.json`)) return undefined;
  const text = readBoundedText(join(directory, `${id}.json`), { maxBytes: MAX_BYTES });
  if (text === undefined) return undefined;
  try {
    return operationSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Oldest first. */
export function listOperations(directory: string): Operation[] {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return names
    .filter((name) => NAME.test(name))
    .map((name) => readOperation(directory, name.slice(0, -'.json'.length)))
    .filter((one) => one !== undefined)
    .sort((a, b) => a.at - b.at);
}

/** Files that it creates. The project's rules may ignore them by then. */
export function createdPaths({ rows }: Operation): string[] {
  return rows.filter(({ before, after }) => !before && after).map(({ path }) => path);
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } catch (error) {
    // Some file systems can't sync a directory.
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
  } finally {
    closeSync(descriptor);
  }
}
