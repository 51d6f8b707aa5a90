/**
 * One readable per entry, notified only when that entry changed. Returns the same object for the same id, so that
 * views can subscribe without memoizing it.
 */
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { Listeners, type Readable } from './store.ts';

export class EntryReadables {
  readonly #read: (id: string) => Entry | undefined;
  readonly #readables = new Map<string, Readable<Entry | undefined>>();
  readonly #listeners = new Map<string, Listeners>();

  constructor(read: (id: string) => Entry | undefined) {
    this.#read = read;
  }

  entry(id: string): Readable<Entry | undefined> {
    const known = this.#readables.get(id);
    if (known) return known;
    const readable: Readable<Entry | undefined> = {
      get: () => this.#read(id),
      subscribe: (listener) => this.#subscribe(id, listener),
    };
    this.#readables.set(id, readable);
    return readable;
  }

  notify(changed: ReadonlySet<string>): void {
    for (const id of changed) this.#listeners.get(id)?.notify();
  }

  #subscribe(id: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Listeners();
    this.#listeners.set(id, listeners);
    const remove = listeners.add(listener);
    return () => {
      remove();
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id);
    };
  }
}
