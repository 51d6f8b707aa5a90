import type { SearchHit, SearchQuery } from '@tugdeck/protocol/files/messages';

/** One search, as the page asked for it. */
export interface SearchRun {
  readonly root: string;
  readonly query: SearchQuery;
  readonly signal: AbortSignal;
  /** Resolves when the page can take more. */
  readonly emit: (hits: readonly SearchHit[]) => Promise<void>;
}
