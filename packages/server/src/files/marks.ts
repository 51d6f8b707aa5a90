/**
 * What git says of each file, as the tree shows it (W2). The marks come from the git room's one status per project;
 * this only turns them into letters and says which folders hold something that changed.
 */
import type { FileMark } from '@tugdeck/protocol/files/messages';
import { parentOf } from '@tugdeck/protocol/files/paths';
import type { FileMarks as GitMarks } from '../git/file-marks.ts';

/** Tells the marks at once and after each change, until the returned call. */
export type MarkSource = (listener: (marks: GitMarks) => void) => () => void;

type GitMark = GitMarks extends ReadonlyMap<string, infer Mark> ? Mark : never;

const LETTERS: Readonly<Record<GitMark, FileMark>> = {
  untracked: '?',
  added: 'A',
  modified: 'M',
  deleted: 'D',
  renamed: 'R',
  conflict: 'U',
};

export class MarkTable {
  readonly #marks: GitMarks;
  readonly #folders = new Map<string, FileMark>();

  constructor(marks: GitMarks = new Map()) {
    this.#marks = marks;
    for (const [path, mark] of marks) {
      for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) {
        const known = this.#folders.get(folder);
        // A folder of which all that changed is new looks new itself.
        this.#folders.set(folder, known === undefined || known === LETTERS[mark] ? LETTERS[mark] : 'M');
      }
    }
  }

  of(path: string, kind: 'file' | 'folder' | 'other'): FileMark | undefined {
    const mark = this.#marks.get(path);
    if (mark) return LETTERS[mark];
    // A folder that git did not look into: all of it is new.
    if (this.#marks.has(`${path}/`)) return '?';
    return kind === 'folder' ? this.#folders.get(path) : undefined;
  }

  /** Folders in which something has another mark in `other`, up to the top. */
  foldersDiffering(other: MarkTable): Set<string> {
    const folders = new Set<string>();
    const note = (path: string) => {
      for (let folder = parentOf(path); ; folder = parentOf(folder)) {
        if (folders.has(folder)) break;
        folders.add(folder);
        if (folder === '') break;
      }
    };
    for (const [path, mark] of this.#marks) if (other.#marks.get(path) !== mark) note(path);
    for (const path of other.#marks.keys()) if (!this.#marks.has(path)) note(path);
    return folders;
  }
}
