/**
 * All titles as one text, most recently active first: searching ten thousand titles one by one on every key press is
 * too slow. Rebuilt when a title changes.
 */
import { type SessionFile, type SessionFiles, titleOf } from './session-files.ts';

export class Titles {
  readonly #files: SessionFiles;
  #version = -1;
  #order: readonly SessionFile[] = [];
  /** Start offset of each title. */
  #starts: readonly number[] = [];
  #text = '';

  constructor(files: SessionFiles) {
    this.#files = files;
  }

  /** Files whose title contains all words: phrase matches first, then most recently active. */
  *matching(words: readonly string[]): Generator<SessionFile> {
    this.#refresh();
    const together = new Set<SessionFile>();
    if (words.length > 1) {
      for (const file of this.#having(words.join(' '))) {
        together.add(file);
        yield file;
      }
    }
    const longest = words.reduce((a, b) => (b.length > a.length ? b : a), '');
    for (const file of this.#having(longest)) {
      const { plain } = titleOf(file);
      if (!together.has(file) && words.every((word) => plain.includes(word))) yield file;
    }
  }

  *#having(words: string): Generator<SessionFile> {
    if (words === '') return;
    for (let at = this.#text.indexOf(words); at >= 0; ) {
      const line = this.#lineAt(at);
      const file = this.#order[line];
      if (file) yield file;
      at = this.#text.indexOf(words, this.#starts[line + 1] ?? this.#text.length);
    }
  }

  /** The last title that starts at or before an offset. */
  #lineAt(place: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #refresh(): void {
    if (this.#version === this.#files.version) return;
    this.#version = this.#files.version;
    this.#order = [...this.#files.all()].sort((a, b) => activeAt(b) - activeAt(a));
    const starts: number[] = [];
    const lines: string[] = [];
    let length = 0;
    for (const file of this.#order) {
      const line = titleOf(file).plain.replaceAll('\n', ' ');
      starts.push(length);
      lines.push(line);
      length += line.length + 1;
    }
    this.#starts = starts;
    this.#text = lines.join('\n');
  }
}

export function activeAt({ facts, mtime }: SessionFile): number {
  return facts.activeAt ?? mtime;
}
