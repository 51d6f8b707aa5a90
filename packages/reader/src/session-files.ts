/** The table of session files, in memory and in `search.db`. Does not access the files. */
import type { ListInfo } from '@tugdeck/drivers/kit/history';
import type { ExternalSession } from '@tugdeck/local/reader-link';
import { shortTitle } from '@tugdeck/protocol/conversation/summarize';
import type { SearchKind } from '@tugdeck/protocol/search/search';
import type { Database } from './index-database.ts';
import { normalize } from './snippet.ts';

export interface SessionFile {
  readonly id: number;
  readonly path: string;
  readonly row: string;
  readonly agent: string;
  readonly session: string;
  /** One of our journals; otherwise an agent's file. */
  readonly own: boolean;
  inode: number;
  size: number;
  mtime: number;
  facts: ListInfo;
  done: number;
  memory: unknown;
  /** Cached by `titleOf`. */
  titleForms: TitleForms | undefined;
}

/** Title for display and for search, derived from this information. */
export interface TitleForms {
  readonly facts: ListInfo;
  readonly title: string;
  readonly plain: string;
}

interface Row extends Omit<SessionFile, 'own' | 'facts' | 'memory' | 'titleForms'> {
  readonly own: number;
  readonly facts: string;
  readonly memory: string | null;
}

export interface Progress {
  readonly done: number;
  readonly facts: ListInfo;
  readonly memory: unknown;
}

export type NewFile = Omit<SessionFile, 'id' | 'done' | 'memory' | 'titleForms'>;

export class SessionFiles {
  readonly #byPath = new Map<string, SessionFile>();
  readonly #byRow = new Map<string, SessionFile>();
  readonly #byId = new Map<number, SessionFile>();
  readonly #insert;
  readonly #seen;
  readonly #read;
  readonly #remove;
  readonly #forget;
  /** Changes whenever files, titles or times change. */
  version = 0;

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO files (path, row, agent, session, own, inode, size, mtime, facts)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#seen = database.prepare('UPDATE files SET inode = ?, size = ?, mtime = ?, facts = ? WHERE id = ?');
    this.#read = database.prepare('UPDATE files SET facts = ?, done = ?, memory = ? WHERE id = ?');
    this.#remove = database.prepare('DELETE FROM files WHERE id = ?');
    this.#forget = database.prepare('SELECT rowid AS row, kind FROM entries WHERE file = ? LIMIT ?');
    for (const row of database.prepare('SELECT * FROM files').all() as Row[]) {
      this.#add({
        ...row,
        own: row.own !== 0,
        facts: JSON.parse(row.facts) as ListInfo,
        memory: row.memory === null ? undefined : JSON.parse(row.memory),
        titleForms: undefined,
      });
    }
  }

  get size(): number {
    return this.#byPath.size;
  }

  all(): IterableIterator<SessionFile> {
    return this.#byPath.values();
  }

  atPath(path: string): SessionFile | undefined {
    return this.#byPath.get(path);
  }

  ofRow(row: string): SessionFile | undefined {
    return this.#byRow.get(row);
  }

  byId(id: number): SessionFile | undefined {
    return this.#byId.get(id);
  }

  insert(file: NewFile): SessionFile {
    const { path, row, agent, session, own, inode, size, mtime, facts } = file;
    const { lastInsertRowid } = this.#insert.run(
      path,
      row,
      agent,
      session,
      own ? 1 : 0,
      inode,
      size,
      mtime,
      JSON.stringify(facts),
    );
    const id = Number(lastInsertRowid);
    const known: SessionFile = { ...file, id, done: 0, memory: undefined, titleForms: undefined };
    this.#add(known);
    return known;
  }

  /** Updates size, time and list information. */
  updateStat(file: SessionFile, now: Pick<SessionFile, 'inode' | 'size' | 'mtime' | 'facts'>): void {
    Object.assign(file, now);
    this.version += 1;
    this.#seen.run(now.inode, now.size, now.mtime, JSON.stringify(now.facts), file.id);
  }

  /** Sets the read position in memory; `saveProgress` saves it. */
  setProgress(file: SessionFile, { done, facts, memory }: Progress): void {
    const { title, prompt, activeAt } = file.facts;
    if (title !== facts.title || prompt !== facts.prompt || activeAt !== facts.activeAt) this.version += 1;
    Object.assign(file, { done, facts, memory });
  }

  /** Saves the indexed position. */
  saveProgress(file: SessionFile, done: number, facts: ListInfo, memory: unknown): void {
    this.setProgress(file, { done, facts, memory });
    this.#read.run(
      JSON.stringify(facts),
      done,
      memory === undefined ? null : JSON.stringify(memory),
      file.id,
    );
  }

  remove(file: SessionFile): void {
    this.#remove.run(file.id);
    this.version += 1;
    this.#byPath.delete(file.path);
    this.#byRow.delete(file.row);
    this.#byId.delete(file.id);
  }

  /** Some of its index rows. */
  indexed(file: SessionFile, limit: number): { row: number; kind: SearchKind }[] {
    return this.#forget.all(file.id, limit) as { row: number; kind: SearchKind }[];
  }

  #add(file: SessionFile): void {
    this.version += 1;
    this.#byPath.set(file.path, file);
    this.#byRow.set(file.row, file);
    this.#byId.set(file.id, file);
  }
}

/** Cached, because a search checks all titles on every key press. */
export function titleOf(file: SessionFile): TitleForms {
  const { facts, titleForms } = file;
  if (titleForms?.facts === facts) return titleForms;
  const title = shortTitle(facts.title || facts.prompt || 'Session');
  file.titleForms = { facts, title, plain: normalize(title) };
  return file.titleForms;
}

/** Whether it has a row: only conversations of users. */
export function isListed({ own, facts }: SessionFile): boolean {
  if (own || facts.hidden || facts.directory === undefined) return false;
  return facts.prompt !== undefined || facts.title !== undefined;
}

/** The row for the deck. */
export function externalRow(file: SessionFile, elsewhere: boolean): ExternalSession | undefined {
  const { facts, row, agent, session, mtime } = file;
  if (!isListed(file) || facts.directory === undefined) return undefined;
  const activeAt = facts.activeAt ?? mtime;
  return {
    id: row,
    agent,
    session,
    directory: facts.directory,
    title: titleOf(file).title,
    createdAt: facts.createdAt ?? activeAt,
    activeAt,
    elsewhere,
  };
}
