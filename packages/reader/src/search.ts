/**
 * Runs a search (S5): titles, then the newest matches of the index, messages before tool output, each with a snippet
 * read from its file. Index queries are limited and ordered by time, so that a common word is as fast as a rare one.
 */

import { readBytes, withFile } from '@tugdeck/drivers/kit/file-lines';
import type { HistorySource } from '@tugdeck/drivers/kit/history';
import { diskFiles, type SegmentFiles } from '@tugdeck/journal/files';
import { readClosedEntry } from '@tugdeck/journal/reader';
import { recentReads } from '@tugdeck/journal/recent-reads';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Hit, Search, SearchAnswer, SearchKind } from '@tugdeck/protocol/search/search';
import { type Database, INDEXES, indexOf, LONGEST_PREFIX } from './index-database.ts';
import { agentMark, directoryMark, indexedPart, kindMark } from './index-writer.ts';
import { searchableText } from './journal-index.ts';
import type { LiveTurns } from './live-turns.ts';
import { type SessionFile, type SessionFiles, titleOf } from './session-files.ts';
import { findIn, type Query, readQuery } from './snippet.ts';
import { activeAt, Titles } from './titles.ts';

/** Matches that are ranked, per index. */
const CANDIDATES = 300;
/** Maximum hits per session. */
const PER_SESSION = 3;
/** Longer lines are not read for a snippet. */
const MAX_READ = 2 * 1024 * 1024;
/** Bytes of segments that a search keeps: the hits of a session are often in the same one. */
const KEPT_SEGMENTS = 16 * 1024 * 1024;
/** The largest time, as a row id. */
const LATEST = 8.64e15;
const DAY = 24 * 3_600_000;
const WEIGHTS: Readonly<Record<SearchKind, number>> = { title: 4, prompt: 2.5, answer: 2, tool: 1 };

type Index = (typeof INDEXES)[number];

/** A match and its position. */
interface Candidate {
  readonly at: number;
  readonly file: number;
  readonly place: number;
  readonly size: number;
  readonly kind: SearchKind;
  readonly entry: string;
}

export interface SearcherOptions {
  readonly database: Database;
  readonly files: SessionFiles;
  readonly data: DataDirectory;
  readonly sourceOf: (agent: string) => HistorySource | undefined;
  /** Hides files of adopted sessions. */
  readonly isShown: (file: SessionFile) => boolean;
  /** Texts of running turns that are not indexed yet. */
  readonly live: Pick<LiveTurns, 'read' | 'texts'>;
  readonly unread: () => number;
  readonly now: () => number;
}

export class Searcher {
  readonly #options: SearcherOptions;
  readonly #match;
  readonly #titleIndex: Titles;

  constructor(options: SearcherOptions) {
    this.#options = options;
    this.#titleIndex = new Titles(options.files);
    this.#match = {
      messages: statement(options.database, 'messages'),
      tools: statement(options.database, 'tools'),
    };
  }

  search(search: Search): SearchAnswer {
    const query = readQuery(search.query);
    const unread = this.#options.unread();
    if (query.words.length === 0) return { hits: [], more: false, unread };
    const titles = this.#titles(search, query);
    const live = search.kind === 'title' ? [] : this.#live(search, query);
    const texts = search.kind === 'title' ? [] : this.#texts(search, query);
    const fresh = new Set(live.map(({ hit }) => hit.entry));
    const hits = [...titles, ...live, ...texts.filter(({ hit }) => !fresh.has(hit.entry))].sort(
      (a, b) => b.weight - a.weight,
    );
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

  #titles(search: Search, query: Query): ScoredHit[] {
    if (search.kind !== undefined && search.kind !== 'title') return [];
    const hits: ScoredHit[] = [];
    // A single letter matches thousands of titles: only those that can be shown are examined.
    for (const file of this.#titleIndex.matching(query.words)) {
      if (!this.#isWanted(file, search)) continue;
      const { snippet, fit } = findIn(titleOf(file).title, query);
      if (snippet.found.length === 0) continue;
      hits.push(this.#weigh(file, 'title', activeAt(file), undefined, snippet, fit));
      if (hits.length === search.limit) break;
    }
    return hits;
  }

  #live(search: Search, query: Query): ScoredHit[] {
    const { live, now } = this.#options;
    live.read();
    const hits: ScoredHit[] = [];
    for (const { file, indexed } of live.texts()) {
      if (search.kind !== undefined && indexed.kind !== search.kind) continue;
      const { at = now(), entry, kind, text } = indexed;
      if (at < (search.after ?? 0) || at > (search.before ?? Number.POSITIVE_INFINITY)) continue;
      if (!this.#isWanted(file, { ...search, after: undefined, before: undefined })) continue;
      const { snippet, fit, hasAllWords } = findIn(text, query);
      if (hasAllWords) hits.push(this.#weigh(file, kind, at, entry, snippet, fit));
      if (hits.length > search.limit) break;
    }
    return hits;
  }

  #isWanted(file: SessionFile, { agent, directory, after, before }: Search): boolean {
    const { activeAt = file.mtime, directory: place = '' } = file.facts;
    if (!this.#options.isShown(file)) return false;
    if (agent !== undefined && file.agent !== agent) return false;
    if (directory !== undefined && place !== directory && !place.startsWith(`${directory}/`)) return false;
    return activeAt >= (after ?? 0) && activeAt <= (before ?? Number.POSITIVE_INFINITY);
  }

  #texts(search: Search, query: Query): ScoredHit[] {
    const perSession = new Map<number, number>();
    const read: ScoredHit[] = [];
    const seen = new Set<string>();
    const files = recentReads(diskFiles, KEPT_SEGMENTS);
    for (const candidate of this.#candidates(search, query)) {
      const file = this.#options.files.byId(candidate.file);
      if (!file || !this.#options.isShown(file)) continue;
      const count = perSession.get(file.id) ?? 0;
      const where = `${candidate.file} ${candidate.place} ${candidate.entry}`;
      if (count === PER_SESSION || seen.has(where)) continue;
      seen.add(where);
      const { snippet, fit, hasAllWords } = findIn(this.#textOf(file, candidate, files) ?? '', query);
      // The index only compares the first letters of a long prefix; texts without the whole prefix are not matches.
      if (isLongPrefix(query) && !hasAllWords) continue;
      perSession.set(file.id, count + 1);
      read.push(this.#weigh(file, candidate.kind, candidate.at, candidate.entry, snippet, fit));
      if (read.length > search.limit) break;
    }
    return read;
  }

  /** Best candidates first, ranked by what the index knows. */
  #candidates(search: Search, query: Query): Candidate[] {
    const now = this.#options.now();
    const indexes = search.kind === undefined ? INDEXES : [indexOf(search.kind)];
    // A long word matches by its prefix only, which many words share, so exact matches come first.
    const queries = isLongPrefix(query) ? [{ ...query, isPrefix: false }, query] : [query];
    const found = queries.map((one) => indexes.flatMap((index) => this.#matches(index, search, one)));
    return found.flatMap((matches) => ranked(matches, now));
  }

  #matches(index: Index, { agent, directory, kind, after, before }: Search, query: Query): Candidate[] {
    const words = query.words.map((word, at) => {
      const isPrefix = query.isPrefix && at === query.words.length - 1;
      return isPrefix ? `"${[...word].slice(0, LONGEST_PREFIX).join('')}"*` : `"${word}"`;
    });
    const marks = [
      ...(kind === undefined ? [] : [kindMark(kind)]),
      ...(agent === undefined ? [] : [agentMark(agent)]),
      ...(directory === undefined ? [] : [directoryMark(directory)]),
    ];
    const { rows } = this.#match[index].get(
      [...words, ...marks].join(' AND '),
      Math.max(0, Math.floor(after ?? 0)),
      Math.min(Math.floor(before ?? LATEST), LATEST),
      CANDIDATES,
    ) as { rows: string };
    return (JSON.parse(rows) as [number, number, number, number, SearchKind, string][]).map(
      ([at, file, place, size, kind, entry]) => ({ at, file, place, size, kind, entry }),
    );
  }

  /** The text of a match; undefined if the file was deleted or changed. */
  #textOf(file: SessionFile, { place, size, entry }: Candidate, files: SegmentFiles): string | undefined {
    try {
      if (file.own) {
        const found = readClosedEntry(this.#options.data.session(file.session), place, entry, { files });
        const own = found && searchableText(found);
        return own && indexedPart(own);
      }
      const bytes = withFile(file.path, (descriptor) =>
        readBytes(descriptor, place, Math.min(size + 1, MAX_READ)),
      );
      const end = bytes.indexOf(10);
      const line = bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
      const items = this.#options.sourceOf(file.agent)?.scan().take(line) ?? [];
      // A line read alone does not know its position in the message: the first text is used unless the id matches.
      const one = items.find((one) => one.entry === entry) ?? items[0];
      return one && indexedPart(one);
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
  ): ScoredHit {
    return {
      weight: WEIGHTS[kind] + recency(at, this.#options.now()) + fit * 2,
      hit: {
        session: file.row,
        ...(entry === undefined ? {} : { entry }),
        kind,
        at,
        agent: file.agent,
        directory: file.facts.directory ?? '',
        title: titleOf(file).title,
        snippet,
      },
    };
  }
}

/** One row with all matches: fetching hundreds of rows takes longer than finding them. */
function statement(database: Database, index: Index) {
  return database.prepare(
    `SELECT json_group_array(json_array(rowid, file, place, size, kind, entry)) AS rows
     FROM entries WHERE rowid IN (
       SELECT rowid FROM ${index} WHERE ${index} MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?)`,
  );
}

interface ScoredHit {
  readonly weight: number;
  readonly hit: Hit;
}

/** From 2 (now) to 0 (long ago), with a half-life of 30 days. */
function recency(at: number, now: number): number {
  return 2 / (1 + Math.max(0, now - at) / (30 * DAY));
}

/** The last word is longer than the indexed prefixes. */
function isLongPrefix({ isPrefix, words }: Query): boolean {
  return isPrefix && (words.at(-1)?.length ?? 0) > LONGEST_PREFIX;
}

function ranked(candidates: readonly Candidate[], now: number): Candidate[] {
  return candidates
    .map((candidate) => ({ candidate, weight: WEIGHTS[candidate.kind] + recency(candidate.at, now) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ candidate }) => candidate);
}
