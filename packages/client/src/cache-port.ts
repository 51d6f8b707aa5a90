/**
 * Where the page keeps what it last saw, as a port: IndexedDB in a browser, a map in tests. Knows keys and
 * ages, not what is inside. A failure rejects; whoever calls goes on without a cache.
 */
export interface CacheRecord {
  readonly key: string;
  /** What it belongs to, so that it can be forgotten together (D12). */
  readonly project: string;
  readonly usedAt: number;
  readonly value: unknown;
}

export interface CachePort {
  read(key: string): Promise<CacheRecord | undefined>;
  /** All or nothing. Once open, the write is under way when this returns: the page may be going away. */
  write(records: readonly CacheRecord[]): Promise<void>;
  /** Every key, the least recently used first. */
  keys(): Promise<readonly string[]>;
  remove(keys: readonly string[]): Promise<void>;
  /** Of one project, or everything. */
  clear(project?: string): Promise<void>;
}

export const DECK_KEY = 'deck';
export const WINDOW_PREFIX = 'window/';
