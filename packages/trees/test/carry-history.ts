/**
 * Seeded random histories of an agent, a user and a second session that work in one folder, for the property tests of
 * carry. Every written line is unique and names its author.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { blobId } from '../src/carry/blobs.ts';
import { EXECUTABLE, FILE, isSameVersion, LINK, type Span, type Version } from '../src/carry/versions.ts';

/** A file: its mode and text. */
export interface Content {
  readonly mode: string;
  readonly text: string;
}
export type Files = Map<string, Content>;
export type Author = 'agent' | 'user' | 'other';

export interface History {
  /** The files before and after each of the agent's turns, oldest first; an overlap with the other session is cut out. */
  readonly spans: readonly { readonly start: Files; readonly end: Files }[];
  readonly now: Files;
}

export function random(seed: number): (below: number) => number {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

const NAMES = ['a', 'b', 'c', 'd/e', 'd/f', 'd/g/h', 'i', 'i/j', 'k l', 'ü/ö', '-m', 'n.bin'];

export class Writer {
  readonly files: Files = new Map();
  readonly #pick: (below: number) => number;
  #line = 0;

  constructor(pick: (below: number) => number) {
    this.#pick = pick;
  }

  begin(): void {
    for (const name of NAMES.slice(0, 8)) {
      if (name === 'i/j') continue;
      this.files.set(name, { mode: FILE, text: this.#lines('base', 12) });
    }
  }

  /** One random edit by one author. */
  edit(author: Author): void {
    const names = [...this.files.keys()];
    const name = names[this.#pick(names.length)];
    const kind = this.#pick(20);
    if (kind < 3 || name === undefined) this.#create(author);
    else if (kind === 3) this.files.delete(name);
    else if (kind === 4) this.#rename(name);
    else if (kind === 5) this.#toggle(name);
    else if (kind === 6) this.files.set(name, { mode: LINK, text: `${author}-${this.#line++}` });
    else if (kind === 7) this.files.set(name, { mode: FILE, text: `${this.#lines(author, 1).trimEnd()}\0` });
    else if (kind === 8) this.files.set(name, { mode: FILE, text: this.#lines(author, 6) });
    else this.#change(name, author);
  }

  #lines(author: string, count: number): string {
    return Array.from({ length: count }, () => `${author}-${this.#line++}\n`).join('');
  }

  /** Makes room: a file and a folder can't have one name. */
  #put(path: string, content: Content): void {
    for (const known of [...this.files.keys()]) {
      if (known.startsWith(`${path}/`) || path.startsWith(`${known}/`)) this.files.delete(known);
    }
    this.files.set(path, content);
  }

  #create(author: Author): void {
    const path = NAMES[this.#pick(NAMES.length)] ?? '';
    if (!this.files.has(path)) this.#put(path, { mode: FILE, text: this.#lines(author, 5) });
  }

  #rename(from: string): void {
    const to = NAMES[this.#pick(NAMES.length)] ?? '';
    const content = this.files.get(from);
    if (!content || this.files.has(to) || `${to}/`.startsWith(`${from}/`)) return;
    this.files.delete(from);
    this.#put(to, content);
  }

  #toggle(name: string): void {
    const content = this.files.get(name);
    if (!content || content.mode === LINK) return;
    this.files.set(name, { ...content, mode: content.mode === FILE ? EXECUTABLE : FILE });
  }

  #change(name: string, author: Author): void {
    const content = this.files.get(name);
    if (!content || content.mode === LINK) return;
    const lines = content.text.split('\n');
    const at = this.#pick(Math.max(1, lines.length - 1));
    const kind = this.#pick(4);
    if (kind === 0) lines.splice(at, 0, `${author}-${this.#line++}`);
    else if (kind === 1) lines.splice(at, 1);
    else lines[at] = `${author}-${this.#line++}`;
    this.files.set(name, { ...content, text: lines.join('\n') });
  }
}

/** User and other session never delete or replace lines of each other here: only what stands now is judged. */
export function makeHistory(seed: number): History {
  const pick = random(seed);
  const writer = new Writer(pick);
  writer.begin();
  const edits = (author: Author, most: number) => {
    for (let left = pick(most + 1); left > 0; left--) writer.edit(author);
  };
  const files = (): Files => new Map(writer.files);
  const spans: { start: Files; end: Files }[] = [];
  for (let turns = 1 + pick(4); turns > 0; turns--) {
    edits('user', 2);
    let start = files();
    edits('agent', 4);
    if (pick(3) === 0) {
      // A turn of the second session overlaps: its changes are not the agent's.
      spans.push({ start, end: files() });
      edits('other', 3);
      start = files();
    }
    edits('agent', 4);
    spans.push({ start, end: files() });
    edits('user', 3);
    if (pick(2) === 0) edits('other', 2);
  }
  return { spans, now: files() };
}

export function versionOf({ mode, text }: Content): Version {
  return { mode, blob: blobId(Buffer.from(text)) };
}

export function versions(files: Files): Map<string, Version> {
  return new Map([...files].map(([path, content]) => [path, versionOf(content)]));
}

export function spanOf(start: Files, end: Files): Span {
  const [before, after] = [versions(start), versions(end)];
  const paths = new Set([...before.keys(), ...after.keys()]);
  return new Map(
    [...paths]
      .filter((path) => !isSameVersion(before.get(path), after.get(path)))
      .map((path) => [path, { start: before.get(path), end: after.get(path) }]),
  );
}

/** Lines of a user or the second session. */
export function linesOf(files: Files): Set<string> {
  const texts = [...files.values()].map(({ text }) => text);
  return new Set(texts.flatMap((text) => text.split('\n')).filter((line) => /^(user|other)-/.test(line)));
}

export function writeFiles(root: string, files: Files): void {
  if (existsSync(root)) for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
  mkdirSync(root, { recursive: true });
  for (const [path, { mode, text }] of files) {
    const at = join(root, path);
    mkdirSync(dirname(at), { recursive: true });
    if (mode === LINK) symlinkSync(text, at);
    else {
      writeFileSync(at, text);
      chmodSync(at, mode === EXECUTABLE ? 0o755 : 0o644);
    }
  }
}

export function readFiles(root: string, below = ''): Files {
  const files: Files = new Map();
  for (const name of readdirSync(join(root, below))) {
    const path = below === '' ? name : `${below}/${name}`;
    const facts = lstatSync(join(root, path));
    if (facts.isDirectory()) {
      for (const [inner, content] of readFiles(root, path)) files.set(inner, content);
    } else if (facts.isSymbolicLink()) files.set(path, { mode: LINK, text: readlinkSync(join(root, path)) });
    else {
      const mode = (facts.mode & 0o100) === 0 ? FILE : EXECUTABLE;
      files.set(path, { mode, text: readFileSync(join(root, path), 'utf8') });
    }
  }
  return files;
}
