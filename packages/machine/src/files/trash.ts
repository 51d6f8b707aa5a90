/**
 * Deleted project files, kept in the data directory with their original path (W2). Deleting moves the file, so later
 * writes to it are kept too. Entries are removed after a month or above a limit.
 */
import { randomUUID } from 'node:crypto';
import { cp, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkChangeable, openChangeable, type Target, withTarget } from '@tugdeck/local/files/confined';
import { coded, errnoOf } from '@tugdeck/local/files/file-faults';
import { temporaryName } from '@tugdeck/local/files/temporary-names';
import { type TrashEntry, trashEntrySchema } from '@tugdeck/protocol/files/messages';
import { parentOf } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { createEntry, moveWithoutReplacing } from './move-file.ts';

const ID = /^[0-9a-f-]{36}$/;
const RETENTION_MS = 30 * 24 * 3600 * 1000;
const MAX_ENTRIES = 500;
const METADATA = 'facts.json';
const CONTENT = 'thing';

export class Trash {
  readonly #directory: string;
  readonly #now: () => number;

  constructor(directory: string, now: () => number) {
    this.#directory = directory;
    this.#now = now;
  }

  delete(root: string, path: string): Promise<string> {
    return coded(async () => {
      checkChangeable(path);
      return withTarget(openChangeable(root, path), async (target) => {
        const stats = await lstat(target.folder.at(target.name));
        const kind = stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other';
        const entry = await this.#open({ path, kind, why: 'deleted' });
        try {
          await moveIn(target, join(this.#directory, entry.id, CONTENT));
        } catch (error) {
          await rm(join(this.#directory, entry.id), { recursive: true, force: true });
          throw error;
        }
        return entry.id;
      });
    });
  }

  /** Keeps a text that would otherwise be lost. */
  async keep(path: string, bytes: Uint8Array): Promise<string> {
    const entry = await this.#open({ path, kind: 'file', why: 'overtaken' });
    await writeFile(join(this.#directory, entry.id, CONTENT), bytes, { mode: 0o600 });
    return entry.id;
  }

  /** Restores to the original path or to `to`; refused if that path exists. */
  restore(root: string, id: string, to?: string): Promise<string> {
    return coded(async () => {
      const entry = await this.#entry(id);
      if (!entry) throw new CodedError('TRASH_GONE');
      const path = to ?? entry.path;
      checkChangeable(path);
      await ensureFolder(root, parentOf(path));
      await withTarget(openChangeable(root, path), ({ folder, name }) =>
        moveOut(join(this.#directory, id, CONTENT), folder.at(name)),
      );
      await rm(join(this.#directory, id), { recursive: true, force: true });
      return path;
    });
  }

  /** Newest first. */
  async list(): Promise<TrashEntry[]> {
    const entries = await Promise.all((await this.#ids()).map((id) => this.#entry(id)));
    return entries.filter((entry) => entry !== undefined).sort((a, b) => b.at - a.at);
  }

  async #open(facts: Pick<TrashEntry, 'path' | 'kind' | 'why'>): Promise<TrashEntry> {
    await this.#prune();
    const entry = { ...facts, id: randomUUID(), at: this.#now() };
    const place = join(this.#directory, entry.id);
    await mkdir(place, { recursive: true, mode: 0o700 });
    await writeFile(join(place, METADATA), JSON.stringify(entry), { mode: 0o600 });
    return entry;
  }

  async #prune(): Promise<void> {
    const entries = await this.list();
    const old = entries.filter(({ at }, index) => index >= MAX_ENTRIES || this.#now() - at > RETENTION_MS);
    for (const { id } of old) await rm(join(this.#directory, id), { recursive: true, force: true });
  }

  async #ids(): Promise<string[]> {
    try {
      return (await readdir(this.#directory)).filter((id) => ID.test(id));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  async #entry(id: string): Promise<TrashEntry | undefined> {
    if (!ID.test(id)) return undefined;
    try {
      const facts: unknown = JSON.parse(await readFile(join(this.#directory, id, METADATA), 'utf8'));
      return trashEntrySchema.safeParse(facts).data;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

/** The original folder may be gone too. */
async function ensureFolder(root: string, folder: string): Promise<void> {
  if (folder === '') return;
  try {
    await createEntry(root, folder, 'folder');
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'FILE_EXISTS') throw error;
  }
}

async function moveIn({ folder, name }: Target, to: string): Promise<void> {
  const from = folder.at(name);
  try {
    await rename(from, to);
    return;
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error;
  }
  // Another file system: first move it out of reach, then copy, then delete.
  const aside = folder.at(temporaryName(name));
  await rename(from, aside);
  try {
    await cp(aside, to, COPY);
  } catch (error) {
    await moveWithoutReplacing(aside, from);
    throw error;
  }
  await rm(aside, { recursive: true, force: true });
}

async function moveOut(from: string, to: string): Promise<void> {
  try {
    await moveWithoutReplacing(from, to);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw new CodedError('TRASH_GONE');
    if (errnoOf(error) !== 'EXDEV') throw error;
    await cp(from, to, { ...COPY, force: false, errorOnExist: true });
    await rm(from, { recursive: true, force: true });
  }
}

/** Copies links as links. */
const COPY = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true } as const;
