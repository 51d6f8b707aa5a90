/**
 * Index of a project's files and folders for fuzzy finding: quick open, `@` in the composer, search. One list per
 * project, updated from the watch; without a watch it is reloaded on demand. Results are checked again, because a
 * file may be gone and a link may point anywhere (X1).
 */
import { lstat, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { runInSlices } from '@tugdeck/local/cooperative';
import type { FoundFile } from '@tugdeck/protocol/files/messages';
import { parentOf } from '@tugdeck/protocol/files/paths';
import {
  BLOCK,
  type FuzzyBlock,
  type FuzzyRows,
  fuzzyBlock,
  searchBlocks,
} from '@tugdeck/protocol/fuzzy-list';
import { listFiles } from './list-files.ts';

export interface IndexChange {
  readonly created: readonly string[];
  readonly deleted: readonly string[];
}

interface IndexRows {
  readonly files: readonly FuzzyBlock[];
  readonly folders: readonly FuzzyBlock[];
}

interface PreviousSearch {
  readonly of: IndexRows;
  readonly kinds: string;
  readonly query: string;
  readonly matching: readonly FuzzyRows[];
}

export class FileIndex {
  readonly #root: string;
  #rows: Promise<IndexRows> | undefined;
  #reloading: Promise<void> | undefined;
  #previous: PreviousSearch | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  async files(): Promise<string[]> {
    return (await this.#read()).files.flatMap(({ paths }) => paths);
  }

  /** Best matches first; an empty query returns top-level paths. Folders end with a slash. */
  async find(
    query: string,
    limit: number,
    { withFolders = true, signal }: { withFolders?: boolean; signal?: AbortSignal } = {},
  ): Promise<FoundFile[]> {
    const rows = await this.#read();
    const kinds = withFolders ? 'all' : 'files';
    const before = this.#previous;
    const isLonger = before?.of === rows && before.kinds === kinds && query.startsWith(before.query);
    const all = () => [...(withFolders ? rows.folders : []), ...rows.files].map((block) => ({ block }));
    // More than needed: some may be gone or outside the project.
    const search = searchBlocks(isLonger ? before.matching : all(), query, limit * 2);
    const { found, matching } = await runInSlices(search, { signal });
    this.#previous = { of: rows, kinds, query, matching };
    const isInside = insideCheck(await realpath(this.#root));
    const kindOf = (path: string) => (path.endsWith('/') ? 'folder' : 'file');
    const offered: FoundFile[] = [];
    // Check a full page of results at once; usually all exist.
    for (let from = 0; from < found.length && offered.length < limit; from += limit) {
      const some = found.slice(from, from + limit);
      const are = await Promise.all(some.map(({ path }) => isInside(path, kindOf(path))));
      for (const { path, at } of some.filter((_, index) => are[index])) {
        offered.push({ path, kind: kindOf(path), at: [...at] });
      }
    }
    return offered.slice(0, limit);
  }

  /** Reload on next use. */
  forget(): void {
    this.#rows = undefined;
  }

  /** Reloads now if it was loaded before; the old list stays in use until then. */
  reload(): void {
    const known = this.#rows;
    if (!known) return;
    const renewing = this.#list().then(
      (rows) => {
        if (this.#rows === known) this.#rows = Promise.resolve(rows);
      },
      () => this.forget(),
    );
    this.#reloading = renewing;
    void renewing.then(() => {
      if (this.#reloading === renewing) this.#reloading = undefined;
    });
  }

  /** `created` are files that are not ignored; `deleted` may be folders. */
  async change({ created, deleted }: IndexChange): Promise<void> {
    // A reload in progress may have read the state before this change.
    await this.#reloading;
    const reading = this.#rows;
    if (!reading) return;
    const rows = await reading;
    const files = await runInSlices(changedBlocks(rows.files, created, new Set(deleted)));
    const changed = files && { files, folders: await runInSlices(folderBlocks(files)) };
    // Another change or reload finished first: apply this one on top.
    if (this.#rows !== reading) await this.change({ created, deleted });
    else if (changed) this.#rows = Promise.resolve(changed);
  }

  #read(): Promise<IndexRows> {
    this.#rows ??= this.#list().catch((error: unknown) => {
      this.forget();
      throw error;
    });
    return this.#rows;
  }

  async #list(): Promise<IndexRows> {
    const files = await runInSlices(blocksOf(await listFiles(this.#root)));
    return { files, folders: await runInSlices(folderBlocks(files)) };
  }
}

/** Returns undefined if nothing changed. Blocks without deleted files are reused. */
function* changedBlocks(
  blocks: readonly FuzzyBlock[],
  created: readonly string[],
  gone: ReadonlySet<string>,
): Generator<undefined, FuzzyBlock[] | undefined> {
  const isGone = (path: string) => {
    if (gone.has(path)) return true;
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      if (gone.has(path.slice(0, at))) return true;
    }
    return false;
  };
  const added = new Set(created);
  const left: FuzzyBlock[] = [];
  let isSame = true;
  for (const block of blocks) {
    const paths = gone.size === 0 ? block.paths : block.paths.filter((path) => !isGone(path));
    for (const path of paths) added.delete(path);
    if (paths.length === block.paths.length) left.push(block);
    else {
      isSame = false;
      if (paths.length > 0) left.push(fuzzyBlock(paths));
    }
    yield;
  }
  if (added.size === 0) return isSame ? undefined : left;
  // Fill the last block first, so that small blocks do not accumulate.
  const last = left.at(-1);
  const hasRoom = last !== undefined && last.paths.length < BLOCK;
  if (hasRoom) left.pop();
  left.push(...(yield* blocksOf([...(hasRoom ? last.paths : []), ...added])));
  return left;
}

function* blocksOf(paths: readonly string[]): Generator<undefined, FuzzyBlock[]> {
  const blocks: FuzzyBlock[] = [];
  for (let from = 0; from < paths.length; from += BLOCK) {
    blocks.push(fuzzyBlock(paths.slice(from, from + BLOCK)));
    yield;
  }
  return blocks;
}

function* folderBlocks(files: readonly FuzzyBlock[]): Generator<undefined, FuzzyBlock[]> {
  const folders = new Set<string>();
  for (const { paths } of files) {
    for (const path of paths) {
      for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
        const folder = path.slice(0, at + 1);
        if (folders.has(folder)) break;
        folders.add(folder);
      }
    }
    yield;
  }
  return yield* blocksOf([...folders]);
}

/**
 * Checks whether paths exist inside the project. Most files share few folders and are not links, so one check per
 * folder and one per name is enough.
 */
function insideCheck(root: string): (path: string, kind: FoundFile['kind']) => Promise<boolean> {
  const start = root.endsWith(sep) ? root : root + sep;
  const isBelow = (real: string) => real === root || real.startsWith(start);
  const folders = new Map<string, Promise<boolean>>();
  const isFolderInside = (folder: string) => {
    const known = folders.get(folder) ?? realpath(join(root, folder)).then(isBelow);
    folders.set(folder, known);
    return known;
  };
  return async (path, kind) => {
    try {
      if (kind === 'folder') return await isFolderInside(path);
      const [facts, isInside] = await Promise.all([lstat(join(root, path)), isFolderInside(parentOf(path))]);
      if (!facts.isSymbolicLink()) return isInside && facts.isFile();
      const real = await realpath(join(root, path));
      return isBelow(real) && (await stat(real)).isFile();
    } catch {
      // Gone or unreachable: not offered.
      return false;
    }
  };
}
