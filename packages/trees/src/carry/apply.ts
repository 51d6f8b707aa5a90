/**
 * Writes a plan into the project by handle (decision 0070). Just before a file is replaced, it is compared with the
 * version in the plan; new content is written to a temporary file and renamed, so that no file is ever incomplete.
 * Never follows a folder that was replaced by a link since. Can be interrupted anywhere and run again.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Folder } from '@tugdeck/local/files/confined';
import { errnoOf } from '@tugdeck/local/files/file-faults';
import { nameOf, parentOf } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import {
  bornAt,
  byParent,
  checkUnmoved,
  inspect,
  isFolder,
  isMoved,
  makeExact,
  openExact,
  openReadable,
  type Seen,
  statOf,
} from './exact-files.ts';
import { foldersOf } from './plan.ts';
import { EXECUTABLE, isSameVersion, LINK, type Version } from './versions.ts';

export interface CarriedRow {
  readonly path: string;
  readonly before?: Version | undefined;
  readonly after?: Version | undefined;
  /** Permissions for a file that is created. */
  readonly permissions?: number | undefined;
}

/** `changed`: somebody else changed the file since the plan. `moved`: its folder is elsewhere or a link now. */
export type LeftReason = 'changed' | 'moved' | 'occupied' | 'failed';

export interface LeftFile {
  readonly path: string;
  readonly why: LeftReason;
  /** The system's error code of a failure. */
  readonly code?: string | undefined;
}

export interface ApplyResult {
  readonly written: number;
  readonly removed: number;
  /** Already as wanted. */
  readonly already: number;
  /** Files that stay as they are. */
  readonly left: readonly LeftFile[];
}

export interface ApplyOptions {
  /** Identifies the operation; part of the name of temporary files. */
  readonly id: string;
  readonly root: string;
  readonly rows: readonly CarriedRow[];
  /** Splits contents into batches and reads one of them. */
  readonly batches: (blobs: readonly string[]) => Promise<readonly (readonly string[])[]>;
  readonly read: (blobs: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;
  /** Folders that are older than this stay, even if they become empty. */
  readonly since: number;
  /** Called before each write or removal. For tests: may throw. */
  readonly onStep?: ((path: string) => void) | undefined;
  /** Called between writing beside a file and replacing it. For tests. */
  readonly onReplace?: ((path: string) => void) | undefined;
}

/** Milliseconds of synchronous work before other work gets its turn. */
const SLICE_MS = 8;
/** The operation stops and can be finished later. Other errors concern one file. */
const STOPPING = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);

export async function applyPlan(options: ApplyOptions): Promise<ApplyResult> {
  return new Application(options).run();
}

/** Removes temporary files that a killed host left behind. */
export async function removeLeftovers({ id, root, rows }: Pick<ApplyOptions, 'id' | 'root' | 'rows'>) {
  for (const path of new Set(rows.map((row) => parentOf(row.path)))) {
    const folder = await openReadable(root, path);
    if (typeof folder !== 'object') continue;
    removeLeftover(folder, id);
    await folder.close();
  }
}

class Application {
  readonly #options: ApplyOptions;
  readonly #left: LeftFile[] = [];
  readonly #written = new Map<string, string>();
  #counts = { written: 0, removed: 0, already: 0 };
  #slice = performance.now();

  constructor(options: ApplyOptions) {
    this.#options = options;
  }

  async run(): Promise<ApplyResult> {
    const { rows, batches, read } = this.#options;
    const writes = rows.filter(({ after }) => after);
    const removals = rows.filter(({ after }) => !after);
    const inTheWay = blocking(writes, removals);
    await this.#each(
      removals.filter(({ path }) => inTheWay.has(path)),
      undefined,
      true,
    );
    const all = await batches(writes.map(({ after }) => after?.blob ?? ''));
    let next = all[0] && read(all[0]);
    for (const [at, batch] of all.entries()) {
      const contents = await next;
      const following = all[at + 1];
      // Git reads the next contents while these are written. If writing stops, nobody asks for them.
      next = following && read(following);
      next?.catch(() => undefined);
      const blobs = new Set(batch);
      await this.#each(
        writes.filter(({ after }) => blobs.has(after?.blob ?? '')),
        contents,
      );
    }
    await this.#each(removals.filter(({ path }) => !inTheWay.has(path)));
    return { ...this.#counts, left: this.#left };
  }

  /** Opens each folder once. */
  async #each(
    rows: readonly CarriedRow[],
    contents?: ReadonlyMap<string, Uint8Array>,
    isInTheWay = false,
  ): Promise<void> {
    // Deepest folders first, so that removing the last file of a folder can remove the folder above too.
    const folders = [...byParent(rows, ({ path }) => path)].sort(([a], [b]) => (a < b ? 1 : -1));
    for (const [path, list] of folders) await this.#inFolder(path, list, contents, isInTheWay);
  }

  async #inFolder(
    path: string,
    rows: readonly CarriedRow[],
    contents: ReadonlyMap<string, Uint8Array> | undefined,
    isInTheWay: boolean,
  ): Promise<void> {
    let folder: Folder | undefined;
    try {
      folder = await this.#open(path, rows);
      if (!folder) return;
      // A killed host may have left it beside a file that was changed since, and stays.
      removeLeftover(folder, this.#options.id);
      for (const row of rows) {
        if (performance.now() - this.#slice > SLICE_MS) {
          await nextTick();
          this.#slice = performance.now();
        }
        this.#settle(folder, row, contents);
      }
    } finally {
      await folder?.close();
    }
    if (rows.some(({ after }) => !after)) await this.#removeEmpty(path, isInTheWay);
  }

  async #open(path: string, rows: readonly CarriedRow[]): Promise<Folder | undefined> {
    try {
      const { root } = this.#options;
      let folder = await openExact(root, path);
      if (folder === 'missing' && rows.some(({ after }) => after)) {
        await makeExact(root, path);
        folder = await openExact(root, path);
      }
      if (typeof folder === 'object') return folder;
      for (const row of rows) {
        // Without its folder a file does not exist.
        if (folder === 'missing' && !row.after) this.#counts.already += 1;
        else this.#left.push({ path: row.path, why: 'moved' });
      }
    } catch (error) {
      if (isStopping(error)) throw error;
      const why = isMoved(error) ? 'moved' : 'failed';
      for (const row of rows) this.#left.push({ path: row.path, why, code: errnoOf(error) });
    }
    return undefined;
  }

  #settle(folder: Folder, row: CarriedRow, contents: ReadonlyMap<string, Uint8Array> | undefined): void {
    try {
      const at = folder.at(nameOf(row.path));
      const current = inspect(at);
      const isGone = current === 'other' && !row.after && isFolder(at);
      if (isGone || (current !== 'other' && isSameVersion(current?.version, row.after))) {
        this.#counts.already += 1;
        return;
      }
      // Git does not know empty folders: one in the place of a file is removed if it can be.
      const isFree = current === 'other' && !row.before && isFolder(at);
      if (!isFree && (current === 'other' || !isSameVersion(current?.version, row.before))) {
        this.#left.push({ path: row.path, why: current === 'other' ? 'occupied' : 'changed' });
        return;
      }
      this.#options.onStep?.(row.path);
      const seen = current === 'other' ? undefined : current;
      if (row.after) this.#write(folder, row, row.after, contents, seen);
      else this.#remove(folder, row.path, seen);
    } catch (error) {
      if (isStopping(error)) throw error;
      const code = errnoOf(error);
      if (code === undefined && !(error instanceof CodedError)) throw error;
      const why = code === 'ENOTEMPTY' ? 'occupied' : isMoved(error) ? 'moved' : 'failed';
      this.#left.push({ path: row.path, why, code });
    }
  }

  #write(
    folder: Folder,
    { path, permissions }: CarriedRow,
    version: Version,
    contents: ReadonlyMap<string, Uint8Array> | undefined,
    current: Seen | undefined,
  ): void {
    const content = contents?.get(version.blob);
    if (!content) throw new CodedError('GIT_CHANGED');
    const at = folder.at(nameOf(path));
    if (current?.version.blob === version.blob && current.facts.isFile() && version.mode !== LINK) {
      // Only the executable bit differs: the file itself stays.
      checkUnmoved(folder);
      chmodSync(at, modeFor(version, current.facts.mode));
      this.#counts.written += 1;
      return;
    }
    const temporary = folder.at(temporaryOf(this.#options.id));
    try {
      if (version.mode === LINK) symlinkSync(Buffer.from(content), temporary);
      else writeTemporary(temporary, content, version, current, permissions);
      checkUnmoved(folder);
      if (!isUntouched(at, current)) {
        this.#left.push({ path, why: 'changed' });
        unlinkIfThere(temporary);
        return;
      }
      this.#options.onReplace?.(path);
      renameSync(temporary, at);
    } catch (error) {
      unlinkIfThere(temporary);
      throw error;
    }
    this.#written.set(foldCase(path), path);
    this.#counts.written += 1;
  }

  #remove(folder: Folder, path: string, current: Seen | undefined): void {
    const at = folder.at(nameOf(path));
    checkUnmoved(folder);
    if (!isUntouched(at, current)) {
      this.#left.push({ path, why: 'changed' });
      return;
    }
    const twin = this.#written.get(foldCase(path));
    const isTwin = twin !== undefined && twin !== path && parentOf(twin) === parentOf(path);
    // A file system that ignores case: both names are the file that was just written.
    if (isTwin && statOf(folder.at(nameOf(twin)))?.ino === current?.facts.ino)
      renameSync(at, folder.at(nameOf(twin)));
    else unlinkSync(at);
    this.#counts.removed += 1;
  }

  /** Removes folders that became empty and were created since; a user's own empty folder stays. */
  async #removeEmpty(path: string, isInTheWay: boolean): Promise<void> {
    const { root, since } = this.#options;
    for (let at = path; at !== ''; at = parentOf(at)) {
      const parent = await openExact(root, parentOf(at));
      if (typeof parent !== 'object') return;
      try {
        const place = parent.at(nameOf(at));
        const facts = statOf(place);
        if (!facts?.isDirectory() || (!isInTheWay && bornAt(facts) < since)) return;
        rmdirSync(place);
      } catch (error) {
        const code = errnoOf(error);
        if (code === undefined) throw error;
        return;
      } finally {
        await parent.close();
      }
    }
  }
}

/** Removals that must come first: a file where a folder is needed, and files below a path that becomes a file. */
function blocking(writes: readonly CarriedRow[], removals: readonly CarriedRow[]): Set<string> {
  const files = new Set(writes.map(({ path }) => path));
  const folders = new Set(writes.flatMap(({ path }) => foldersOf(path)));
  return new Set(
    removals
      .filter(({ path }) => folders.has(path) || foldersOf(path).some((folder) => files.has(folder)))
      .map(({ path }) => path),
  );
}

function isUntouched(at: string, current: Seen | undefined): boolean {
  const facts = statOf(at);
  if (!facts || !current)
    return current === undefined && (!facts || (facts.isDirectory() && removeFolder(at)));
  const known = current.facts;
  return facts.ino === known.ino && facts.size === known.size && facts.mtimeMs === known.mtimeMs;
}

/** Throws ENOTEMPTY if it has files that no tree knows. */
function removeFolder(at: string): boolean {
  rmdirSync(at);
  return true;
}

function writeTemporary(
  temporary: string,
  content: Uint8Array,
  version: Version,
  current: Seen | undefined,
  permissions: number | undefined,
): void {
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants;
  const old = current?.facts.isFile() ? current.facts : undefined;
  const isExecutable = version.mode === EXECUTABLE;
  const file = openSync(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, isExecutable ? 0o777 : 0o666);
  try {
    for (let at = 0; at < content.length; ) at += writeSync(file, content, at);
    const own = fstatSync(file);
    if (old && (own.uid !== old.uid || own.gid !== old.gid)) {
      try {
        fchownSync(file, old.uid, old.gid);
      } catch (error) {
        // Only root can change the owner; the content matters more.
        if (errnoOf(error) !== 'EPERM') throw error;
      }
    }
    const wanted = old?.mode ?? permissions;
    const mode = wanted === undefined ? own.mode : modeFor(version, wanted);
    if ((own.mode & 0o777) !== (mode & 0o777)) fchmodSync(file, mode & 0o777);
  } finally {
    closeSync(file);
  }
}

/** The permissions, with the executable bit of the version for everybody who may read. */
function modeFor({ mode }: Version, permissions: number): number {
  const plain = permissions & 0o666;
  if (mode === EXECUTABLE && (permissions & 0o100) !== 0) return permissions & 0o777;
  return mode === EXECUTABLE ? plain | ((plain & 0o444) >> 2) : plain;
}

function isStopping(error: unknown): boolean {
  return STOPPING.has(errnoOf(error) ?? '');
}

function temporaryOf(id: string): string {
  return `.restore.tugdeck-${id}`;
}

/** In a folder that can't be written, it stays. */
function removeLeftover(folder: Folder, id: string): void {
  try {
    unlinkIfThere(folder.at(temporaryOf(id)));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

function foldCase(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
