/**
 * What git says of each file, as the tree shows it (W2). Where the marks come from is another room's business: it gives
 * the current ones and tells which paths got another.
 */
import type { FileMark } from '@tugdeck/protocol/files/messages';
import { parentOf } from '@tugdeck/protocol/files/paths';

export interface FileMarks {
  /** The first marks are here. */
  readonly ready: Promise<unknown>;
  of(path: string): FileMark | undefined;
  /** Of a folder: its own mark, else that something in it changed. */
  ofFolder(path: string): FileMark | undefined;
  /** Something in the project changed: look again soon. */
  touched(): void;
  close(): void;
}

export type MarkSource = (root: string, changed: (paths: Iterable<string>) => void) => FileMarks;

export const noMarks: MarkSource = () => ({
  ready: Promise.resolve(),
  of: () => undefined,
  ofFolder: () => undefined,
  touched: () => undefined,
  close: () => undefined,
});

/** Marks by path; a folder that is new or ignored as a whole stands for all that is in it. */
export class MarkTable {
  readonly #marks: ReadonlyMap<string, FileMark>;
  readonly #changedFolders: ReadonlySet<string>;

  constructor(marks: ReadonlyMap<string, FileMark>) {
    this.#marks = marks;
    const folders = new Set<string>();
    for (const [path, mark] of marks) {
      if (mark === '!') continue;
      for (let folder = parentOf(path); folder !== '' && !folders.has(folder); folder = parentOf(folder)) {
        folders.add(folder);
      }
    }
    this.#changedFolders = folders;
  }

  of(path: string): FileMark | undefined {
    const own = this.#marks.get(path);
    if (own) return own;
    for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) {
      const mark = this.#marks.get(`${folder}/`);
      if (mark === '?' || mark === '!') return mark;
    }
    return undefined;
  }

  ofFolder(path: string): FileMark | undefined {
    return this.#marks.get(`${path}/`) ?? this.of(path) ?? (this.#changedFolders.has(path) ? 'M' : undefined);
  }

  /** Paths that have another mark in `other`. */
  *differing(other: MarkTable): Generator<string> {
    for (const [path, mark] of this.#marks) if (other.#marks.get(path) !== mark) yield path;
    for (const path of other.#marks.keys()) if (!this.#marks.has(path)) yield path;
  }
}
