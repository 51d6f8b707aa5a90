/**
 * All session files: finds them, keeps the table and the index up to date, and sends rows to the server. Connects the
 * reader's parts.
 */
import { existsSync } from 'node:fs';
import type { Environment, HistorySource, ListInfo } from '@tugdeck/drivers/kit/history';
import { createSegmentCache } from '@tugdeck/journal/cache';
import { diskFiles } from '@tugdeck/journal/files';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { externalId } from '@tugdeck/local/external-id';
import type { Log } from '@tugdeck/local/log';
import type { OwnSession, ReaderMessage, ReaderState } from '@tugdeck/local/reader-link';
import { ExternalActivity } from './external-activity.ts';
import { type AgentFile, ExternalTurns } from './external-turns.ts';
import { type ListedFile, listFolder, statFile } from './folder-list.ts';
import type { Database } from './index-database.ts';
import { IndexWriter } from './index-writer.ts';
import { Indexer } from './indexer.ts';
import { indexJournal, isIndexed, journalState } from './journal-index.ts';
import { mergeInfo, quickInfo } from './list-info.ts';
import { LiveTurns } from './live-turns.ts';
import { externalRow, isListed, type SessionFile, SessionFiles } from './session-files.ts';
import { TimeSlices } from './time-slices.ts';
import { watchFolders } from './watch.ts';

export interface LibraryOptions {
  readonly data: DataDirectory;
  readonly environment: Environment;
  readonly sources: readonly HistorySource[];
  readonly database: Database;
  readonly log: Log;
  readonly send: (message: ReaderMessage) => void;
  /** The file of this row changed. */
  readonly changed: (row: string) => void;
}

/** Rows per message, so that the server is not blocked. */
const ROWS = 50;
const PUBLISH_MS = 60;
/** The first rows are sent sooner, because a page may be waiting. */
const FIRST_PUBLISH_MS = 5;

export class Library {
  readonly files: SessionFiles;
  readonly #options: LibraryOptions;
  readonly #writer: IndexWriter;
  readonly #indexer: Indexer;
  readonly #activity: ExternalActivity;
  readonly #external: ExternalTurns;
  readonly live: LiveTurns;
  readonly #roots: ReadonlyMap<string, HistorySource>;
  readonly #rows = new Set<SessionFile>();
  readonly #gone = new Set<string>();
  #watch: { stop(): Promise<void> } | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The last listing of each folder, and the folders that have not been listed since the start. */
  readonly #lists = new Map<string, Promise<void>>();
  #unlisted = new Set<string>();
  #hasPublished = false;

  constructor(options: LibraryOptions) {
    this.#options = options;
    const { database, data, environment, sources, log } = options;
    this.files = new SessionFiles(database);
    this.#writer = new IndexWriter(database, this.files);
    // A journal is indexed page by page; the cache avoids reading its segments again for each.
    const segments = { load: createSegmentCache(diskFiles, 2) };
    this.#indexer = new Indexer({
      files: this.files,
      writer: this.#writer,
      sourceOf: (agent) => this.sourceOf(agent),
      readOwn: (file) => indexJournal(data, this.#writer, file, segments),
      log,
      changed: (file) => this.#publishRow(file),
    });
    this.live = new LiveTurns(data);
    this.#external = new ExternalTurns((agent) => this.sourceOf(agent));
    this.#activity = new ExternalActivity({
      sources,
      environment,
      changed: (file) => this.#publishRow(file),
      isTurnComplete: (file) => !file.own && this.#external.isComplete(file),
    });
    this.#roots = new Map(
      sources.flatMap((source) => source.roots(environment).map((root) => [root, source])),
    );
  }

  start(): void {
    // Rows known from an earlier run, newest first; the folders are listed afterwards.
    const known = [...this.files.all()].filter((file) => !file.own);
    for (const file of known.sort((a, b) => b.mtime - a.mtime)) this.#publishRow(file);
    const roots = [...this.#roots.keys()];
    this.#unlisted = new Set(roots.filter((root) => existsSync(root)));
    this.#watch = watchFolders({
      roots,
      changed: (paths) => this.#pathsChanged(paths),
      relist: (root) => this.#relist(root),
      log: this.#options.log,
    });
    this.#indexWhenListed();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#activity.stop();
    this.live.stop();
    await this.#indexer.stop();
    await this.#watch?.stop();
  }

  sourceOf(agent: string): HistorySource | undefined {
    return this.#options.sources.find((source) => source.agent === agent);
  }

  isShown(file: SessionFile): boolean {
    return file.own || (isListed(file) && !this.#external.isOwned(file.session));
  }

  isExternallyActive(file: SessionFile): boolean {
    return this.#activity.isActive(file);
  }

  /** Like `isExternallyActive`, but checks the file and the agents' notes again. */
  isExternallyActiveNow(file: SessionFile): boolean {
    const source = this.sourceOf(file.agent);
    const listed = statFile(file.path, file.session);
    if (source && listed && !file.own) this.#update(source, listed);
    return this.#activity.isActiveNow(file);
  }

  state(): ReaderState {
    return {
      files: this.files.size,
      unread: this.#indexer.unread,
      listed: this.#unlisted.size === 0,
      read: this.#indexer.read,
      memory: process.memoryUsage().rss,
    };
  }

  /** Updates new or changed Tugdeck sessions. */
  updateOwn(sessions: readonly OwnSession[]): void {
    for (const { id, agent, directory, title, activeAt, agentSessions, running = false } of sessions) {
      for (const session of agentSessions) {
        this.#external.adopted(session, id, this.#fileOf(session));
      }
      const path = this.#options.data.session(id).journal;
      const { size, mtime } = journalState(path) ?? { size: 0, mtime: 0 };
      const facts: ListInfo = { directory, title, activeAt, createdAt: activeAt };
      const known = this.files.ofRow(id);
      // The row was external or belonged to another project, so its index is invalid.
      if (known && (!known.own || known.facts.directory !== directory)) this.#forget(known);
      const file =
        this.files.ofRow(id) ??
        this.files.insert({ path, row: id, agent, session: id, own: true, inode: 0, size, mtime, facts });
      this.files.updateStat(file, { inode: 0, size, mtime, facts });
      if (!isIndexed(file)) this.#indexer.add(file);
      this.live.set(file, running);
    }
  }

  /** The agent's own file of a session, by the agent's id. */
  #fileOf(session: string): SessionFile | undefined {
    for (const { agent } of this.#options.sources) {
      const file = this.files.ofRow(externalId(agent, session));
      if (file && !file.own) return file;
    }
    return undefined;
  }

  /** Lists a folder after its previous listing has finished. */
  #relist(root: string): void {
    const { log } = this.#options;
    const before = this.#lists.get(root) ?? Promise.resolve();
    const list = before
      .then(() => this.#list(root))
      .catch((error: unknown) => log.error('listing', { root, error }))
      .then(() => {
        this.#unlisted.delete(root);
        this.#indexWhenListed();
      });
    this.#lists.set(root, list);
  }

  /** Indexing starts after all folders were listed, because rows matter more than search. */
  #indexWhenListed(): void {
    if (this.#unlisted.size === 0) this.#indexer.start();
  }

  async #list(root: string): Promise<void> {
    const source = this.#roots.get(root);
    if (!source) return;
    const early = (files: readonly ListedFile[]) => {
      for (const file of newestFirst(files).slice(0, ROWS)) this.#update(source, file);
    };
    const listed = newestFirst(await listFolder(root, (path) => source.sessionOf(path), early));
    const slices = new TimeSlices();
    for (const file of listed) {
      this.#update(source, file);
      await slices.step();
    }
    const there = new Set(listed.map(({ path }) => path));
    for (const file of [...this.files.all()]) {
      if (!file.own && file.path.startsWith(root) && !there.has(file.path) && !statFile(file.path, '')) {
        this.#remove(file);
      }
    }
  }

  #pathsChanged(paths: readonly string[]): void {
    for (const path of new Set(paths)) {
      const source = [...this.#roots].find(([root]) => path.startsWith(root))?.[1];
      const session = source?.sessionOf(path);
      if (!source || session === undefined) continue;
      const listed = statFile(path, session);
      const known = this.files.atPath(path);
      if (listed) this.#update(source, listed);
      else if (known) this.#remove(known);
    }
  }

  /** Reads a file only if it changed. */
  #update(source: HistorySource, listed: ListedFile): void {
    const { path, session, inode, size, mtime } = listed;
    const known = this.files.atPath(path);
    if (!known) {
      const row = externalId(source.agent, session);
      // The session is in two files or was adopted: the first file stays.
      if (this.files.ofRow(row)) {
        this.#reportExternalTurn({ ...listed, agent: source.agent });
        return;
      }
      const facts = this.#infoOf(source, listed);
      const base = { path, row, agent: source.agent, session, own: false };
      const file = this.files.insert({ ...base, inode, size, mtime, facts });
      this.#publishRow(file);
      this.#indexer.add(file);
      return;
    }
    const title = source.titles?.(this.#options.environment).get(session);
    if (title !== undefined && title !== known.facts.title) {
      this.files.updateStat(known, { ...known, facts: { ...known.facts, title } });
      this.#publishRow(known);
    }
    if (known.inode === inode && known.size === size && known.mtime === mtime) {
      if (known.done < size && !this.#indexer.has(known)) this.#indexer.add(known);
      return;
    }
    const isRewritten = known.inode !== inode || size < known.done;
    const facts = isRewritten
      ? this.#infoOf(source, listed)
      : mergeInfo(known.facts, this.#infoOf(source, listed));
    this.files.updateStat(known, { inode, size, mtime, facts });
    this.#indexer.add(known, { isRewritten });
    this.#publishRow(known);
    this.#options.changed(known.row);
    this.#reportExternalTurn(known);
  }

  #reportExternalTurn(file: AgentFile): void {
    const session = this.#external.newExternalTurn(file);
    if (session !== undefined) this.#options.send({ type: 'external-turn', session });
  }

  #infoOf(source: HistorySource, { path, session, size }: ListedFile): ListInfo {
    const facts = quickInfo(source, path, size);
    const title = source.titles?.(this.#options.environment).get(session);
    return title === undefined ? facts : { ...facts, title };
  }

  #remove(file: SessionFile): void {
    this.#forget(file);
    this.#rows.delete(file);
    this.#gone.add(file.row);
    this.#schedulePublish();
  }

  #forget(file: SessionFile): void {
    this.#indexer.drop(file);
    while (this.#writer.forget(file));
    this.files.remove(file);
  }

  #publishRow(file: SessionFile): void {
    if (file.own) return;
    this.#gone.delete(file.row);
    this.#rows.add(file);
    this.#activity.watch(file);
    this.#schedulePublish();
  }

  #schedulePublish(): void {
    this.#timer ??= setTimeout(() => this.#publish(), this.#hasPublished ? PUBLISH_MS : FIRST_PUBLISH_MS);
  }

  #publish(): void {
    this.#timer = undefined;
    this.#hasPublished = true;
    const files: SessionFile[] = [];
    for (const file of this.#rows) {
      files.push(file);
      this.#rows.delete(file);
      if (files.length === ROWS) break;
    }
    const rows = files.map((file) => externalRow(file, this.isExternallyActive(file)));
    const gone = [...this.#gone, ...files.flatMap((file, index) => (rows[index] ? [] : [file.row]))];
    this.#gone.clear();
    const sessions = rows.filter((row) => row !== undefined);
    if (sessions.length > 0 || gone.length > 0) this.#options.send({ type: 'sessions', sessions, gone });
    if (this.#rows.size > 0) this.#timer = setTimeout(() => this.#publish(), 1);
  }
}

function newestFirst(files: readonly ListedFile[]): ListedFile[] {
  return [...files].sort((a, b) => b.mtime - a.mtime);
}
