/** A cache port in memory that counts its writes and fails on request. */
import type { CachePort, CacheRecord } from '../src/cache-port.ts';

export class MemoryCachePort implements CachePort {
  readonly records = new Map<string, CacheRecord>();
  writes = 0;
  isBroken = false;

  async read(key: string): Promise<CacheRecord | undefined> {
    this.#check();
    return this.records.get(key);
  }

  async write(records: readonly CacheRecord[]): Promise<void> {
    this.#check();
    this.writes++;
    for (const record of records) this.records.set(record.key, structuredClone(record));
  }

  async keys(): Promise<readonly string[]> {
    this.#check();
    return [...this.records.values()].sort((a, b) => a.usedAt - b.usedAt).map(({ key }) => key);
  }

  async remove(keys: readonly string[]): Promise<void> {
    this.#check();
    for (const key of keys) this.records.delete(key);
  }

  async clear(project?: string): Promise<void> {
    this.#check();
    for (const [key, record] of this.records) {
      if (project === undefined || record.project === project) this.records.delete(key);
    }
  }

  #check(): void {
    if (this.isBroken) throw new Error('no cache in this browser');
  }
}
