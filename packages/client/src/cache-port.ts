/**
 * Storage interface of the page cache: IndexedDB in a browser, a map in tests. Knows keys and ages, not contents.
 * If a call rejects, the caller works without a cache.
 */
export interface CacheRecord {
  readonly key: string;
  /** The project it belongs to, so that a project's records can be deleted together (D12). */
  readonly project: string;
  readonly usedAt: number;
  readonly value: unknown;
}

export interface CachePort {
  read(key: string): Promise<CacheRecord | undefined>;
  /** Atomic. Once the database is open, the write has started when this returns, because the page may be closing. */
  write(records: readonly CacheRecord[]): Promise<void>;
  /** All keys, least recently used first. */
  keys(): Promise<readonly string[]>;
  remove(keys: readonly string[]): Promise<void>;
  /** Deletes the records of one project, or all. */
  clear(project?: string): Promise<void>;
}

export const DECK_KEY = 'deck';
export const WINDOW_PREFIX = 'window/';
