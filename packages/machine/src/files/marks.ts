/**
 * Git marks as the file tree shows them (W2): maps statuses to letters and finds folders with changes. The marks come
 * from the project's shared git status.
 */
import type { FileMark } from '@tugdeck/protocol/files/messages';
import { parentOf } from '@tugdeck/protocol/files/paths';
import type { GitMark, GitMarks } from '../git/git-marks.ts';

/** Calls the listener now and after each change, until unsubscribed. */
export type MarkSource = (listener: (marks: GitMarks) => void) => () => void;

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
        // A folder that contains only new files is marked as new.
        this.#folders.set(folder, known === undefined || known === LETTERS[mark] ? LETTERS[mark] : 'M');
      }
    }
  }

  of(path: string, kind: 'file' | 'folder' | 'other'): FileMark | undefined {
    const mark = this.#marks.get(path);
    if (mark) return LETTERS[mark];
    // An untracked folder that git did not descend into.
    if (this.#marks.has(`${path}/`)) return '?';
    return kind === 'folder' ? this.#folders.get(path) : undefined;
  }

  /** Folders, up to the root, that contain a path whose mark differs in `other`. */
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
