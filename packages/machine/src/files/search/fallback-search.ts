/**
 * Search without ripgrep: reads file by file and matches with JavaScript regular expressions. A pattern can backtrack
 * forever on a harmless line, so matching runs in `vm` with a timeout, in batches small enough that normal patterns
 * never hit it and other work is not delayed.
 */
import { createContext, Script } from 'node:vm';
import { openFile } from '@tugdeck/local/files/confined';
import { errnoOf } from '@tugdeck/local/files/file-faults';
import type { SearchHit, SearchQuery } from '@tugdeck/protocol/files/messages';
import { isWithin } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { readBounded, textOf } from '../read-file.ts';
import { hitLine } from './hit-line.ts';
import type { SearchRun } from './search-run.ts';

const MAX_FILE = 2 * 1024 * 1024;
/** Characters per run of the pattern. */
const BATCH_CHARS = 128 * 1024;
const BATCH_MS = 18;
/** A loaded machine may interrupt a batch; that is not the pattern's fault. */
const MAX_TRIES = 15;
/** Other threads can cause a timeout too; after three it counts as the pattern's fault. */
const MAX_TIMEOUTS = 3;
const MAX_PER_FILE = 200;
const MAX_LINE = 20_000;

/** `lines` → the number and match ranges of each matching line. */
const MATCH = new Script(`{
  const found = [];
  for (let line = 0; line < lines.length && found.length < limit; line++) {
    const marks = [];
    pattern.lastIndex = 0;
    for (let hit = pattern.exec(lines[line]); hit && marks.length < 20; hit = pattern.exec(lines[line])) {
      marks.push([hit.index, hit.index + hit[0].length]);
      if (hit[0] === '') pattern.lastIndex += 1;
    }
    if (marks.length > 0) found.push([line, marks]);
  }
  found;
}`);

export async function fallbackSearch(run: SearchRun, files: readonly string[]): Promise<void> {
  const { root, query, signal, emit } = run;
  const context = createContext({ pattern: patternOf(query), lines: [], limit: MAX_PER_FILE });
  for (const path of files) {
    signal.throwIfAborted();
    if (!isWithin(query.folder, path)) continue;
    const text = await textAt(root, path);
    if (text === undefined || text === '') continue;
    const hits = await matchText(context, path, text);
    if (hits.length > 0) await emit(hits);
    // Reading may resolve without yielding to the event loop.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

export function patternOf({ text, isRegex, isCaseSensitive, isWholeWord }: SearchQuery): RegExp {
  const source = isRegex ? text : text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const whole = isWholeWord ? `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])` : source;
  return new RegExp(whole, `gu${isCaseSensitive ? '' : 'i'}`);
}

async function matchText(context: object, path: string, text: string): Promise<SearchHit[]> {
  const lines = text.split('\n');
  const hits: SearchHit[] = [];
  for (let first = 0; first < lines.length && hits.length < MAX_PER_FILE; ) {
    const part: string[] = [];
    for (let size = 0; first + part.length < lines.length && size < BATCH_CHARS; ) {
      const line = (lines[first + part.length] ?? '').slice(0, MAX_LINE);
      part.push(line.endsWith('\r') ? line.slice(0, -1) : line);
      size += line.length + 1;
    }
    Object.assign(context, { lines: part });
    for (const [line, marks] of await matchBatch(context)) {
      hits.push(hitLine(path, first + line + 1, part[line] ?? '', marks));
    }
    first += part.length;
  }
  return hits.slice(0, MAX_PER_FILE);
}

async function matchBatch(context: object): Promise<[number, [number, number][]][]> {
  for (let tries = 1, busy = 0; ; tries++) {
    const before = process.cpuUsage();
    try {
      return MATCH.runInContext(context, { timeout: BATCH_MS });
    } catch (error) {
      if (errnoOf(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const { user, system } = process.cpuUsage(before);
      if ((user + system) / 1000 > BATCH_MS / 2) busy += 1;
      if (busy === MAX_TIMEOUTS || tries === MAX_TRIES) throw new CodedError('SEARCH_TOO_SLOW');
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
}

/** Returns undefined for files that are missing, unreadable, too large or not text. */
async function textAt(root: string, path: string): Promise<string | undefined> {
  try {
    const { handle, stats } = await openFile(root, path);
    try {
      if (stats.size > MAX_FILE) return undefined;
      const bytes = await readBounded(handle, MAX_FILE);
      return bytes && textOf(bytes);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof CodedError || errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}
