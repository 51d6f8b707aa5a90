/**
 * Adds texts to the index in batches: one transaction per batch, rows in ascending order, as the full-text table
 * prefers. The progress of each file is saved in the same transaction.
 */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { IndexedText } from '@tugdeck/drivers/kit/history';
import type { SearchKind } from '@tugdeck/protocol/search/search';
import { type Database, indexOf } from './index-database.ts';
import type { Progress, SessionFile, SessionFiles } from './session-files.ts';
import type { TimeSlices } from './time-slices.ts';

/** Indexed length of a long text; for tool output, its beginning and end. */
const MAX_TEXT = 32 * 1024;
const TOOL_HEAD = 4096;
const TOOL_TAIL = 1024;
const BATCH_DOCS = 400;
const BATCH_TEXT = 1024 * 1024;
const FORGET_BATCH = 200;

interface Doc {
  readonly at: number;
  readonly file: SessionFile;
  readonly place: number;
  readonly size: number;
  readonly source: IndexedText;
}

/** Texts were read but not written to the index. Only a restart, from the saved progress, reads them again. */
export class IndexNotWritten extends Error {}

export class IndexWriter {
  readonly #database: Database;
  readonly #files: SessionFiles;
  readonly #entry;
  readonly #doc;
  readonly #unentry;
  readonly #undoc;
  #docs: Doc[] = [];
  /** Documents of the current flush, the next one last. */
  #writing: { readonly doc: Doc; readonly row: number }[] = [];
  #isWriting = false;
  #text = 0;
  readonly #progress = new Map<SessionFile, Progress>();

  constructor(database: Database, files: SessionFiles) {
    this.#database = database;
    this.#files = files;
    this.#entry = database.prepare(
      'INSERT OR IGNORE INTO entries (rowid, file, place, size, kind, entry) VALUES (?, ?, ?, ?, ?, ?)',
    );
    const ofEach = (statement: (name: string) => string) => ({
      messages: database.prepare(statement('messages')),
      tools: database.prepare(statement('tools')),
    });
    this.#doc = ofEach((name) => `INSERT INTO ${name} (rowid, text) VALUES (?, ?)`);
    this.#unentry = database.prepare('DELETE FROM entries WHERE rowid = ?');
    this.#undoc = ofEach((name) => `DELETE FROM ${name} WHERE rowid = ?`);
  }

  get isFull(): boolean {
    return this.#docs.length >= BATCH_DOCS || this.#text >= BATCH_TEXT;
  }

  add(file: SessionFile, place: number, size: number, indexed: IndexedText): void {
    if (indexed.entry === '' || indexed.text.trim() === '') return;
    const text = indexedPart(indexed).replaceAll(MARK, ' ');
    this.#text += text.length;
    this.#docs.push({ at: indexed.at ?? file.mtime, file, place, size, source: { ...indexed, text } });
  }

  /** Sets the read position in memory; the flush saves it with the texts. */
  setProgress(file: SessionFile, progress: Progress): void {
    this.#files.setProgress(file, progress);
    this.#progress.set(file, progress);
  }

  /** In time slices: a concurrent search also finds uncommitted rows. */
  async flush(slices: TimeSlices): Promise<void> {
    if (this.#docs.length === 0 && this.#progress.size === 0) return;
    const docs = this.#docs;
    this.#docs = [];
    this.#text = 0;
    this.#database.exec('BEGIN IMMEDIATE');
    this.#isWriting = true;
    try {
      this.#writing = docs.map((doc) => ({ doc, row: this.#insertEntry(doc) })).sort((a, b) => b.row - a.row);
      for (let next = this.#writing.pop(); next; next = this.#writing.pop()) {
        const { row, doc } = next;
        const { kind, text } = doc.source;
        this.#doc[indexOf(kind)].run(row, `${marksOf(doc.file, kind)} ${text}`);
        await slices.step();
      }
      for (const [file, { done, facts, memory }] of this.#progress) {
        this.#files.saveProgress(file, done, facts, memory);
      }
      this.#database.exec('COMMIT');
    } catch (error) {
      throw new IndexNotWritten('the index could not be written', { cause: error });
    } finally {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      this.#writing = [];
      this.#isWriting = false;
      this.#progress.clear();
    }
    await slices.step();
  }

  /** Removes some rows of a file from the index; false if none are left. */
  forget(file: SessionFile): boolean {
    this.#docs = this.#docs.filter((doc) => doc.file !== file);
    this.#writing = this.#writing.filter(({ doc }) => doc.file !== file);
    this.#progress.delete(file);
    const rows = this.#files.indexed(file, FORGET_BATCH);
    if (!this.#isWriting) this.#database.exec('BEGIN IMMEDIATE');
    for (const { row, kind } of rows) {
      this.#unentry.run(row);
      this.#undoc[indexOf(kind)].run(row);
    }
    if (!this.#isWriting) this.#database.exec('COMMIT');
    return rows.length === FORGET_BATCH;
  }

  /** Assigns a row id: the time, or a nearby free number. */
  #insertEntry({ at, file, place, size, source }: Doc): number {
    const first = Math.max(1, Math.floor(at));
    for (let tries = 0, row = first; ; tries++, row = first + Math.floor(Math.random() * 2 ** tries)) {
      if (this.#entry.run(row, file.id, place, size, source.kind, source.entry).changes > 0) return row;
    }
  }
}

/** The indexed part of a text, from which snippets are taken. */
export function indexedPart({ kind, text }: IndexedText): string {
  if (kind !== 'tool') return text.slice(0, MAX_TEXT);
  if (text.length <= TOOL_HEAD + TOOL_TAIL) return text;
  return `${text.slice(0, TOOL_HEAD)} ${text.slice(-TOOL_TAIL)}`;
}

/** Cached marks, which are the same for thousands of documents of a session. */
const MARKS = new Map<string, string>();
const MAX_CACHED_MARKS = 1000;

/** A private-use character, so that marks never match a typed query. */
const MARK = '\uE000';

/** Filter words in every document, so that filters are part of the match and cost nothing. */
function marksOf({ agent, facts }: SessionFile, kind: SearchKind): string {
  const key = `${agent}\0${facts.directory ?? ''}`;
  const marks = MARKS.get(key) ?? [agentMark(agent), ...directoryMarks(facts.directory ?? '')].join(' ');
  if (MARKS.size > MAX_CACHED_MARKS) MARKS.clear();
  MARKS.set(key, marks);
  return `${kindMark(kind)} ${marks}`;
}

export function kindMark(kind: SearchKind): string {
  return `${MARK}k${kind}`;
}

export function agentMark(agent: string): string {
  return `${MARK}a${createHash('sha256').update(agent).digest('hex').slice(0, 12)}`;
}

export function directoryMark(directory: string): string {
  return `${MARK}d${createHash('sha256').update(directory).digest('hex').slice(0, 12)}`;
}

/** Marks of the directory and its ancestors: a search in a folder includes everything below it. */
function directoryMarks(directory: string): string[] {
  const marks: string[] = [];
  for (let at = directory; at !== '' && marks.length < 20; at = dirname(at)) {
    marks.push(directoryMark(at));
    if (dirname(at) === at) break;
  }
  return marks;
}
