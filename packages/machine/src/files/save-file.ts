/**
 * Saves a text only over the version it was based on (W2), which the page names by hash. Check-then-rename could
 * overwrite another program's change, so the old file is first moved aside and checked; then the new file takes the
 * name, if it is still free. A program that still writes to the old file is detected by reading that file again a
 * little later.
 */
import { type BigIntStats, constants, linkSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { type FileHandle, link, open, unlink } from 'node:fs/promises';
import {
  type OpenedFile,
  openFile,
  openForWriting,
  type Target,
  withTarget,
} from '@tugdeck/local/files/confined';
import { coded, errnoOf } from '@tugdeck/local/files/file-faults';
import { temporaryName } from '@tugdeck/local/files/temporary-names';
import { MAX_TEXT, type SaveAnswer } from '@tugdeck/protocol/files/messages';
import { joinPath } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { lacksHardLinks } from './move-file.ts';
import { hashOf, readBounded, textOf } from './read-file.ts';
import type { SaveIntents } from './save-intents.ts';

export interface SaveOptions {
  readonly intents: SaveIntents;
  /** How long to watch for late writes to a replaced file. */
  readonly lateWriteMs: number;
  /** Called if a replaced file could not be read again. */
  readonly fault: (error: unknown) => void;
}

export interface Save {
  readonly root: string;
  readonly path: string;
  readonly bytes: Buffer;
  /** Hash of the loaded version; undefined if the file must not exist. */
  readonly expected: string | undefined;
  /** Called with a text that the save replaced without the user having seen it. */
  readonly overtaken: (path: string, bytes: Buffer) => void;
  /** Called when the file is saved, before the answer. */
  readonly saved?: ((replaced: Replaced) => Promise<void>) | undefined;
}

export interface Replaced {
  /** The path without links. */
  readonly path: string;
  /** Absent for a new file. */
  readonly before?: Buffer;
  readonly isExecutable: boolean;
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
        this.#exclusive(`${target.folder.real}\0${target.name}`, () =>
          expected === undefined ? create(save, target) : this.#replace(save, target, expected),
        ),
      );
    });
  }

  /** Runs all pending late-write checks now. */
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

  async #exclusive<T>(key: string, run: () => Promise<T>): Promise<T> {
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
    const old = await openIfExists(root, path);
    if (!old) return { kind: 'changed' };
    let isWatched = false;
    try {
      const before = await old.handle.stat({ bigint: true });
      const current = await read(old.handle);
      if (hashOf(current) !== expected) return changedTo(current);
      const temporary = await writeTemporary(target, bytes, old.stats);
      const aside = temporaryName(name);
      const intent = this.#options.intents.begin({ folder: folder.real, name, aside });
      try {
        if (swapIn(target, temporary, aside, before) !== 'taken') {
          await reportAside(folder.at(aside), expected, (left) => save.overtaken(path, left));
          const found = await readCurrent(root, path);
          return found ? changedTo(found) : { kind: 'changed' };
        }
      } finally {
        await unlink(folder.at(temporary)).catch(ignoreMissing);
        intent.end();
      }
      isWatched = true;
      await save.saved?.({ path, before: current, isExecutable: (before.mode & 0o100n) !== 0n });
      await this.#watchLateWrites(old.handle, expected, (late) => save.overtaken(path, late));
      return { kind: 'saved', hash: hashOf(bytes) };
    } finally {
      if (!isWatched) await old.handle.close();
    }
  }

  /** Reads the replaced file now and again after `lateWriteMs`, and reports if a program still wrote to it. */
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

/**
 * The moved-aside file stays if another program created a new file at that moment. Reports its content if it is not
 * the expected one.
 */
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

async function create(save: Save, target: Target): Promise<SaveAnswer> {
  const { root, path, bytes } = save;
  const temporary = await writeTemporary(target, bytes, undefined);
  try {
    await link(target.folder.at(temporary), target.folder.at(target.name));
  } catch (error) {
    const existing = errnoOf(error) === 'EEXIST' ? await readCurrent(root, path) : undefined;
    if (existing) return changedTo(existing);
    if (!lacksHardLinks(error)) throw error;
    const { O_CREAT, O_EXCL, O_WRONLY } = constants;
    const handle = await open(target.folder.at(target.name), O_CREAT | O_EXCL | O_WRONLY, 0o666);
    await handle.writeFile(bytes).finally(() => handle.close());
  } finally {
    await unlink(target.folder.at(temporary)).catch(ignoreMissing);
  }
  await save.saved?.({ path: joinPath(target.folder.path, target.name), isExecutable: false });
  return { kind: 'saved', hash: hashOf(bytes) };
}

/** Writes the new file, synced to disk, under a temporary name with the owner and mode of the old one. */
async function writeTemporary(target: Target, bytes: Buffer, like: OpenedFile['stats'] | undefined) {
  const temporary = temporaryName(target.name);
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants;
  const handle = await open(target.folder.at(temporary), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o666);
  try {
    await handle.writeFile(bytes);
    if (like) {
      const own = await handle.stat();
      if (own.uid !== like.uid || own.gid !== like.gid) {
        // Only root can change the owner; without it the file is saved anyway.
        await handle.chown(like.uid, like.gid).catch(ignoreDenied);
      }
      await handle.chmod(like.mode & 0o777);
    }
    await handle.sync();
  } catch (error) {
    await handle.close();
    await unlink(target.folder.at(temporary)).catch(ignoreMissing);
    throw error;
  }
  await handle.close();
  return temporary;
}

/**
 * Replaces the file in four synchronous calls, during which the name is briefly free. `put back`: the file moved
 * aside was not the one we read. `occupied`: another program took the name.
 */
function swapIn({ folder, name }: Target, temporary: string, aside: string, expected: BigIntStats) {
  try {
    renameSync(folder.at(name), folder.at(aside));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 'occupied';
    throw error;
  }
  const moved = statSync(folder.at(aside), { bigint: true });
  const isSame =
    moved.ino === expected.ino && moved.size === expected.size && moved.mtimeNs === expected.mtimeNs;
  const outcome = linkIfFree(folder.at(isSame ? temporary : aside), folder.at(name));
  if (outcome === 'occupied') return 'occupied';
  unlinkIfExists(folder.at(aside));
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

function unlinkIfExists(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    ignoreMissing(error);
  }
}

async function openIfExists(root: string, path: string): Promise<OpenedFile | undefined> {
  try {
    return await openFile(root, path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function readCurrent(root: string, path: string): Promise<Buffer | undefined> {
  const opened = await openIfExists(root, path);
  if (!opened) return undefined;
  return read(opened.handle).finally(() => opened.handle.close());
}

async function read(handle: FileHandle): Promise<Buffer> {
  const bytes = await readBounded(handle, MAX_TEXT);
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
