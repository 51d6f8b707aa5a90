/**
 * Saves a text over what it was made from, and over nothing else (W2): the page names the hash of what it loaded.
 * Checking and then renaming would replace whatever another program put there in between, so the file is first taken
 * aside under a name of ours, looked at, and only then the new one gets the name, if it is still free. A program that
 * had the old file open and writes to it after that is heard, too: the old file is read once more a little later.
 */
import { type BigIntStats, constants, linkSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { type FileHandle, link, open, unlink } from 'node:fs/promises';
import { MAX_TEXT, type SaveAnswer } from '@tugdeck/protocol/files/messages';
import { joinPath } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type OpenedFile, openFile, openForWriting, type Target, withTarget } from './confined.ts';
import { coded, errnoOf } from './file-faults.ts';
import { lacksHardLinks } from './move-file.ts';
import { hashOf, readAtMost, textOf } from './read-file.ts';
import type { SaveIntents } from './save-intents.ts';
import { temporaryName } from './temporary-names.ts';

export interface SaveOptions {
  readonly intents: SaveIntents;
  /** How long a program may still be writing to the file it had opened before a save. */
  readonly lateWriteMs: number;
  /** What was replaced could not be read any more. */
  readonly fault: (error: unknown) => void;
}

export interface Save {
  readonly root: string;
  readonly path: string;
  readonly bytes: Buffer;
  /** The hash of what was loaded; nothing when there must be no such file. */
  readonly expected: string | undefined;
  /** Keeps a text that the save went over unseen, now or a moment later. */
  readonly overtaken: (path: string, bytes: Buffer) => void;
}

interface PendingCheck {
  readonly check: () => Promise<void>;
  readonly timer: NodeJS.Timeout;
}

export class FileSaver {
  readonly #options: SaveOptions;
  /** One save at a time per file. */
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #pendingChecks = new Set<PendingCheck>();

  constructor(options: SaveOptions) {
    this.#options = options;
  }

  save(save: Save): Promise<SaveAnswer> {
    const { root, path, bytes, expected } = save;
    return coded(async () => {
      if (bytes.length > MAX_TEXT) throw new CodedError('FILE_TOO_LARGE');
      return withTarget(openForWriting(root, path), (target) =>
        this.#inTurn(`${target.folder.real}\0${target.name}`, () =>
          expected === undefined ? create(save, target) : this.#replace(save, target, expected),
        ),
      );
    });
  }

  /** Looks at everything that waits for late writers now. */
  async close(): Promise<void> {
    const pending = [...this.#pendingChecks];
    this.#pendingChecks.clear();
    await Promise.all(
      pending.map(({ check, timer }) => {
        clearTimeout(timer);
        return check();
      }),
    );
  }

  async #inTurn<T>(key: string, run: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(key);
    const turn = (before ?? Promise.resolve()).then(run, run);
    this.#queues.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#queues.get(key) === turn) this.#queues.delete(key);
    }
  }

  async #replace(save: Save, target: Target, expected: string): Promise<SaveAnswer> {
    const { root, bytes } = save;
    const { folder, name } = target;
    const path = joinPath(folder.path, name);
    const old = await openIfThere(root, path);
    if (!old) return { kind: 'changed' };
    let isWatched = false;
    try {
      const before = await old.handle.stat({ bigint: true });
      const there = await read(old.handle);
      if (hashOf(there) !== expected) return changedTo(there);
      const fresh = await writeTemporary(target, bytes, old.stats);
      const aside = temporaryName(name);
      const intent = this.#options.intents.begin({ folder: folder.real, name, aside });
      try {
        if (swapIn(target, fresh, aside, before) !== 'taken') {
          await reportAside(folder.at(aside), expected, (left) => save.overtaken(path, left));
          const now = await readThere(root, path);
          return now ? changedTo(now) : { kind: 'changed' };
        }
      } finally {
        await unlink(folder.at(fresh)).catch(ignoreMissing);
        intent.end();
      }
      isWatched = true;
      await this.#watchLateWrites(old.handle, expected, (late) => save.overtaken(path, late));
      return { kind: 'saved', hash: hashOf(bytes) };
    } finally {
      if (!isWatched) await old.handle.close();
    }
  }

  /** Whoever still writes into the file that was replaced is heard: now, and once more when it must have ended. */
  async #watchLateWrites(
    handle: FileHandle,
    expected: string,
    overtaken: (bytes: Buffer) => void,
  ): Promise<void> {
    let known = expected;
    const reportChange = async () => {
      const left = await read(handle);
      const hash = hashOf(left);
      if (hash !== known) overtaken(left);
      known = hash;
    };
    const check = async () => {
      this.#pendingChecks.delete(pending);
      await reportChange()
        .finally(() => handle.close())
        .catch(this.#options.fault);
    };
    await reportChange();
    const timer = setTimeout(() => void check(), this.#options.lateWriteMs);
    timer.unref();
    const pending: PendingCheck = { check, timer };
    this.#pendingChecks.add(pending);
  }
}

/** Left when another program made a new file in the moment without one: what it knew nothing of is kept. */
async function reportAside(aside: string, expected: string, keep: (bytes: Buffer) => void): Promise<void> {
  try {
    const handle = await open(aside, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    const left = await read(handle).finally(() => handle.close());
    if (hashOf(left) !== expected) keep(left);
    await unlink(aside);
  } catch (error) {
    ignoreMissing(error);
  }
}

async function create({ root, path, bytes }: Save, target: Target): Promise<SaveAnswer> {
  const fresh = await writeTemporary(target, bytes, undefined);
  try {
    await link(target.folder.at(fresh), target.folder.at(target.name));
  } catch (error) {
    const there = errnoOf(error) === 'EEXIST' ? await readThere(root, path) : undefined;
    if (there) return changedTo(there);
    if (!lacksHardLinks(error)) throw error;
    const { O_CREAT, O_EXCL, O_WRONLY } = constants;
    const handle = await open(target.folder.at(target.name), O_CREAT | O_EXCL | O_WRONLY, 0o666);
    await handle.writeFile(bytes).finally(() => handle.close());
  } finally {
    await unlink(target.folder.at(fresh)).catch(ignoreMissing);
  }
  return { kind: 'saved', hash: hashOf(bytes) };
}

/** The new file, whole and on disk, under a name of ours; owner and mode are those of the old one. */
async function writeTemporary(target: Target, bytes: Buffer, like: OpenedFile['stats'] | undefined) {
  const fresh = temporaryName(target.name);
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants;
  const handle = await open(target.folder.at(fresh), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o666);
  try {
    await handle.writeFile(bytes);
    if (like) {
      const own = await handle.stat();
      if (own.uid !== like.uid || own.gid !== like.gid) {
        // Only the system's owner may give files away; a file that changes hands is still saved.
        await handle.chown(like.uid, like.gid).catch(ignoreDenied);
      }
      await handle.chmod(like.mode & 0o777);
    }
    await handle.sync();
  } catch (error) {
    await handle.close();
    await unlink(target.folder.at(fresh)).catch(ignoreMissing);
    throw error;
  }
  await handle.close();
  return fresh;
}

/**
 * The moment without a file of that name: four calls, without a pause between them. `put back`: what was taken aside
 * is not what was read. `occupied`: somebody made one in that moment.
 */
function swapIn({ folder, name }: Target, fresh: string, aside: string, read: BigIntStats) {
  try {
    renameSync(folder.at(name), folder.at(aside));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 'occupied';
    throw error;
  }
  const taken = statSync(folder.at(aside), { bigint: true });
  const isSame = taken.ino === read.ino && taken.size === read.size && taken.mtimeNs === read.mtimeNs;
  const outcome = linkIfFree(folder.at(isSame ? fresh : aside), folder.at(name));
  if (outcome === 'occupied') return 'occupied';
  unlinkIfThere(folder.at(aside));
  return isSame ? 'taken' : 'put back';
}

function linkIfFree(from: string, to: string): 'named' | 'occupied' {
  try {
    linkSync(from, to);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return 'occupied';
    if (!lacksHardLinks(error)) throw error;
    renameSync(from, to);
  }
  return 'named';
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    ignoreMissing(error);
  }
}

async function openIfThere(root: string, path: string): Promise<OpenedFile | undefined> {
  try {
    return await openFile(root, path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function readThere(root: string, path: string): Promise<Buffer | undefined> {
  const opened = await openIfThere(root, path);
  if (!opened) return undefined;
  return read(opened.handle).finally(() => opened.handle.close());
}

async function read(handle: FileHandle): Promise<Buffer> {
  const bytes = await readAtMost(handle, MAX_TEXT);
  if (!bytes) throw new CodedError('FILE_TOO_LARGE');
  return bytes;
}

function changedTo(bytes: Buffer): SaveAnswer {
  const text = textOf(bytes);
  return { kind: 'changed', ...(text === undefined ? {} : { theirs: { text, hash: hashOf(bytes) } }) };
}

function ignoreMissing(error: unknown): void {
  if (errnoOf(error) !== 'ENOENT') throw error;
}

function ignoreDenied(error: unknown): void {
  if (errnoOf(error) !== 'EPERM' && errnoOf(error) !== 'EACCES') throw error;
}
