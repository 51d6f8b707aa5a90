/**
 * Searches the files of a project (W2), with ripgrep if installed, otherwise with our own search. Limited in hits and
 * time; cancelable.
 */

import { openFolder } from '@tugdeck/local/files/confined';
import { coded } from '@tugdeck/local/files/file-faults';
import type { SearchHit, SearchQuery } from '@tugdeck/protocol/files/messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FileIndex } from '../file-index.ts';
import { fallbackSearch } from './fallback-search.ts';
import { findRipgrep, ripgrepSearch } from './ripgrep.ts';
import type { SearchRun } from './search-run.ts';

export interface SearchOutcome {
  readonly hits: number;
  readonly files: number;
  /** There are more hits than reported. */
  readonly isCut: boolean;
  readonly isStopped: boolean;
}

export const MAX_HITS = 2_000;
const MAX_MS = 60_000;

export function search(run: SearchRun, index: FileIndex): Promise<SearchOutcome> {
  return coded(async () => {
    const { root, query } = run;
    checkPattern(query);
    const folder = await openFolder(root, query.folder);
    const enough = new AbortController();
    const signal = AbortSignal.any([run.signal, enough.signal, AbortSignal.timeout(MAX_MS)]);
    const files = new Set<string>();
    let count = 0;
    const emit = async (hits: readonly SearchHit[]) => {
      const taken = hits.slice(0, MAX_HITS - count);
      count += taken.length;
      for (const { path } of taken) files.add(path);
      if (taken.length > 0) await run.emit(taken);
      if (count >= MAX_HITS) enough.abort();
    };
    const ripgrep = await findRipgrep();
    try {
      const isDone = ripgrep && (await ripgrepSearch(ripgrep, folder, { root, query, signal, emit }));
      if (!isDone && count === 0) await fallbackSearch({ root, query, signal, emit }, await index.files());
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await folder.close();
    }
    const isStopped = run.signal.aborted;
    return { hits: count, files: files.size, isCut: signal.aborted && !isStopped, isStopped };
  });
}

/** Checked up front, so that both searches report the same errors. */
function checkPattern({ text, isRegex }: SearchQuery): void {
  if (text.includes('\n') || text.includes('\0')) throw new CodedError('SEARCH_INVALID');
  if (!isRegex) return;
  try {
    new RegExp(text, 'u');
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new CodedError('SEARCH_INVALID', `${error.message}.`.slice(0, 300));
    throw error;
  }
}
