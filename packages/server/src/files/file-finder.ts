/**
 * Finds files and folders of a project by a few letters (C9). Keeps each list for some seconds, so that typing does
 * not walk the tree again, and offers nothing that leads out of the project once links are resolved (X1).
 */
import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fuzzySort } from '@tugdeck/protocol/fuzzy';
import { listFiles } from './list-files.ts';

export interface FoundFile {
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

const KEPT_MS = 4_000;
const MAX_KEPT = 8;

interface Kept {
  readonly since: number;
  readonly list: Promise<readonly FoundFile[]>;
}

export class FileFinder {
  readonly #kept = new Map<string, Kept>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The best first; without letters what lies at the top. */
  async find(root: string, query: string, most: number): Promise<FoundFile[]> {
    const all = await this.#list(root);
    const matching = query === '' ? all : fuzzySort(query, all, ({ path }) => path);
    const real = await realpath(root);
    const found: FoundFile[] = [];
    for (const { path, kind } of matching) {
      if (found.length >= most) break;
      if (await isInside(real, path, kind)) found.push({ path, kind });
    }
    return found;
  }

  #list(root: string): Promise<readonly FoundFile[]> {
    const now = this.#now();
    const kept = this.#kept.get(root);
    if (kept && now - kept.since < KEPT_MS) return kept.list;
    this.#kept.delete(root);
    for (const old of this.#kept.keys()) if (this.#kept.size >= MAX_KEPT) this.#kept.delete(old);
    const list = listFiles(root).then(withFolders);
    this.#kept.set(root, { since: now, list });
    list.catch(() => this.#kept.delete(root));
    return list;
  }
}

/** Folders are those of the files; the shallow first, then by name. */
export function withFolders(files: readonly string[]): readonly FoundFile[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) {
      const folder = file.slice(0, at + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  const all: FoundFile[] = [
    ...[...folders].map((path) => ({ path, kind: 'folder' as const })),
    ...files.map((path) => ({ path, kind: 'file' as const })),
  ];
  const depth = new Map(all.map(({ path }) => [path, depthOf(path)]));
  return all.sort(
    (a, b) => (depth.get(a.path) ?? 0) - (depth.get(b.path) ?? 0) || (a.path < b.path ? -1 : 1),
  );
}

function depthOf(path: string): number {
  return path.split('/').filter((part) => part !== '').length;
}

/** A listed file may be gone, and a link may lead anywhere. */
async function isInside(root: string, path: string, kind: FoundFile['kind']): Promise<boolean> {
  try {
    const real = await realpath(join(root, path));
    if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) return false;
    return kind === 'folder' || (await stat(real)).isFile();
  } catch {
    return false;
  }
}
