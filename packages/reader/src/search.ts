/**
 * Answers a search (S5): the newest matches of the index, those of what was said by people first, titles above all, and
 * for each the piece of text around it, read from its own file again. The index is asked with a limit and in the
 * order of time, so that a common word costs as little as a rare one.
 */
import type { HistorySource } from '@tugdeck/drivers/kit/history';
import { readPage } from '@tugdeck/journal/reader';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Hit, Search, SearchAnswer, SearchKind } from '@tugdeck/protocol/search/search';
import { readBytes, withFile } from './file-lines.ts';
import type { Database } from './index-database.ts';
import { agentMark, KINDS, kindMark, placeMark } from './index-writer.ts';
import { saidBy } from './own-journals.ts';
import { type SessionFile, type SessionFiles, titleOf } from './session-files.ts';
import { findIn, type Query, readQuery } from './snippet.ts';

/** Matches that are weighed, of what people and models said, and of everything. */
const CANDIDATES = 300;
/** Of one session at most so many are shown. */
const PER_SESSION = 3;
/** A longer line is not read again only to show a piece of it. */
const MAX_READ = 2 * 1024 * 1024;
const DAY = 24 * 3_600_000;
const WEIGHTS: Readonly<Record<SearchKind, number>> = { title: 4, prompt: 2.5, answer: 2, tool: 1 };

interface Candidate {
  readonly rowid: number;
  readonly file: number;
  readonly place: number;
  readonly size: number;
  readonly kind: number;
  readonly entry: string;
}

export interface SearcherOptions {
  readonly database: Database;
  readonly files: SessionFiles;
  readonly data: DataDirectory;
  readonly sourceOf: (agent: string) => HistorySource | undefined;
  /** Hidden ones are no hits: another session goes on with them. */
  readonly isShown: (file: SessionFile) => boolean;
  readonly unread: () => number;
  readonly now: () => number;
}

export class Searcher {
  readonly #options: SearcherOptions;
  readonly #match;
  readonly #entry;

  constructor(options: SearcherOptions) {
    this.#options = options;
    this.#match = options.database.prepare(
      'SELECT rowid FROM docs WHERE docs MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?',
    );
    this.#entry = options.database.prepare('SELECT * FROM entries WHERE rowid = ?');
  }

  search(search: Search): SearchAnswer {
    const query = readQuery(search.query);
    const unread = this.#options.unread();
    if (query.words.length === 0) return { hits: [], more: false, unread };
    const titles = this.#titles(search, query);
    const texts = search.kind === 'title' ? [] : this.#texts(search, query);
    const hits = [...titles, ...texts].sort((a, b) => b.weight - a.weight);
    const perSession = new Map<string, number>();
    const shown = hits.filter(({ hit }) => {
      const count = (perSession.get(hit.session) ?? 0) + 1;
      perSession.set(hit.session, count);
      return count <= PER_SESSION;
    });
    return {
      hits: shown.slice(0, search.limit).map(({ hit }) => hit),
      more: shown.length > search.limit || hits.length > shown.length,
      unread,
    };
  }

  #titles(search: Search, query: Query): Weighed[] {
    if (search.kind !== undefined && search.kind !== 'title') return [];
    const hits: Weighed[] = [];
    for (const file of this.#options.files.all()) {
      if (!this.#isWanted(file, search)) continue;
      const title = titleOf(file);
      const small = title.toLowerCase();
      if (!query.words.every((word) => small.includes(word))) continue;
      const { snippet, fit } = findIn(title, query);
      if (snippet.found.length === 0) continue;
      hits.push(this.#weigh(file, 'title', file.facts.activeAt ?? file.mtime, undefined, snippet, fit));
    }
    return hits.sort((a, b) => b.weight - a.weight).slice(0, search.limit);
  }

  #isWanted(file: SessionFile, { agent, directory, after, before }: Search): boolean {
    const { activeAt = file.mtime, directory: place = '' } = file.facts;
    if (!this.#options.isShown(file)) return false;
    if (agent !== undefined && file.agent !== agent) return false;
    if (directory !== undefined && place !== directory && !place.startsWith(`${directory}/`)) return false;
    return activeAt >= (after ?? 0) && activeAt <= (before ?? Number.POSITIVE_INFINITY);
  }

  #texts(search: Search, query: Query): Weighed[] {
    const candidates = new Map<number, Candidate>();
    const kinds: (SearchKind | undefined)[] = search.kind ? [search.kind] : ['prompt', 'answer', undefined];
    for (const kind of kinds) {
      for (const rowid of this.#rowids(search, query, kind)) {
        const found = this.#entry.get(rowid) as Candidate | undefined;
        if (found) candidates.set(rowid, found);
      }
    }
    const likely = [...candidates.values()]
      .map((candidate) => ({ candidate, weight: this.#guess(candidate) }))
      .sort((a, b) => b.weight - a.weight);
    const perSession = new Map<number, number>();
    const read: Weighed[] = [];
    for (const { candidate } of likely) {
      const count = (perSession.get(candidate.file) ?? 0) + 1;
      perSession.set(candidate.file, count);
      if (count > PER_SESSION) continue;
      const weighed = this.#read(candidate, query);
      if (weighed) read.push(weighed);
      if (read.length > search.limit) break;
    }
    return read;
  }

  #rowids({ agent, directory, after, before }: Search, query: Query, kind: SearchKind | undefined): number[] {
    const words = query.words.map((word, index) => {
      return `"${word}"${query.isOpen && index === query.words.length - 1 ? '*' : ''}`;
    });
    const marks = [
      ...(kind === undefined ? [] : [kindMark(kind)]),
      ...(agent === undefined ? [] : [agentMark(agent)]),
      ...(directory === undefined ? [] : [placeMark(directory)]),
    ];
    const rows = this.#match.all(
      [...words, ...marks].join(' AND '),
      Math.floor((after ?? 0) * 1000),
      Math.min(Math.floor((before ?? 9e12) * 1000 + 999), Number.MAX_SAFE_INTEGER),
      CANDIDATES,
    );
    return (rows as { rowid: number }[]).map(({ rowid }) => rowid);
  }

  #guess({ rowid, kind }: Candidate): number {
    return WEIGHTS[KINDS[kind] ?? 'tool'] + recency(rowid / 1000, this.#options.now());
  }

  #read(candidate: Candidate, query: Query): Weighed | undefined {
    const file = this.#options.files.byId(candidate.file);
    if (!file || !this.#options.isShown(file)) return undefined;
    const kind = KINDS[candidate.kind] ?? 'tool';
    const text = this.#textOf(file, candidate) ?? '';
    const { snippet, fit } = findIn(text, query);
    return this.#weigh(file, kind, Math.floor(candidate.rowid / 1000), candidate.entry, snippet, fit);
  }

  /** What was said there; nothing where the file is gone or changed since. */
  #textOf(file: SessionFile, { place, size, entry }: Candidate): string | undefined {
    try {
      if (file.own) {
        const [found] = readPage(this.#options.data.session(file.session), place + 1, 1).entries;
        return found?.id === entry ? saidBy(found)?.text : undefined;
      }
      const bytes = withFile(file.path, (descriptor) =>
        readBytes(descriptor, place, Math.min(size + 1, MAX_READ)),
      );
      const end = bytes.indexOf(10);
      const line = bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
      const said = this.#options.sourceOf(file.agent)?.scan().take(line) ?? [];
      // Read alone, a line does not know its place in its message: one said is enough, else by its name.
      return (said.find((one) => one.entry === entry) ?? said[0])?.text;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  #weigh(
    file: SessionFile,
    kind: SearchKind,
    at: number,
    entry: string | undefined,
    snippet: Hit['snippet'],
    fit: number,
  ): Weighed {
    return {
      weight: WEIGHTS[kind] + recency(at, this.#options.now()) + fit * 2,
      hit: {
        session: file.row,
        ...(entry === undefined ? {} : { entry }),
        kind,
        at,
        agent: file.agent,
        directory: file.facts.directory ?? '',
        title: titleOf(file),
        snippet,
      },
    };
  }
}

interface Weighed {
  readonly weight: number;
  readonly hit: Hit;
}

/** From 2 for now to 0 for long ago; a month takes half of it. */
function recency(at: number, now: number): number {
  return 2 / (1 + Math.max(0, now - at) / (30 * DAY));
}
