/**
 * Cache of the deck and of each conversation's last window, for the next page load (D5). Written at most once a
 * second and when the page is hidden; read before the socket is up. The server's data replaces it.
 */
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import type { Deck } from '@tugdeck/protocol/wire/deck';
import { type CachePort, type CacheRecord, DECK_KEY, WINDOW_PREFIX } from './cache-port.ts';
import { deckRecord, readDeck, readWindow, windowRecord } from './cache-records.ts';
import { type Clock, pageClock } from './clock.ts';

const WRITE_MS = 1_000;
/** Maximum number of cached conversations; the least recently used is removed first. */
export const MAX_WINDOWS = 50;

type ReadState = () => Conversation | undefined;

export class PageCache {
  readonly #port: CachePort;
  readonly #clock: Clock;
  readonly #changed = new Map<string, ReadState>();
  /** Sessions written by this page. A new one triggers the check of the limit. */
  readonly #written = new Set<string>();
  #deck: Deck | undefined;
  #isDeckChanged = false;
  #isDisabled = false;
  #cancelTimer: (() => void) | undefined;
  #readingDeck: Promise<Deck | undefined> | undefined;
  readonly #reading = new Set<Promise<unknown>>();
  /** Called once: a browser without a working cache is not worth repeated errors. */
  #fault: ((why: string) => void) | undefined;

  constructor(options: {
    readonly port: CachePort;
    readonly clock?: Clock;
    readonly fault?: (why: string) => void;
  }) {
    this.#port = options.port;
    this.#clock = options.clock ?? pageClock;
    this.#fault = options.fault;
  }

  /** The cached deck; undefined if there is nothing to show. */
  deck(): Promise<Deck | undefined> {
    this.#readingDeck ??= this.#read(DECK_KEY).then((record) => {
      const deck = record && readDeck(record.value);
      // Without sessions the page would create one, perhaps a duplicate, so that case waits for the server.
      if (this.#isDisabled || !deck?.sessions.some(({ archived }) => !archived)) return undefined;
      this.#deck ??= deck;
      return deck;
    });
    return this.#readingDeck;
  }

  /** The cached conversation, if its project matches the deck (D12). */
  window(session: string): Promise<Conversation | undefined> {
    const reading = this.#window(session).finally(() => this.#reading.delete(reading));
    this.#reading.add(reading);
    return reading;
  }

  /** Resolves when all pending reads are done, so that the page is rendered once and not twice. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#reading);
  }

  async #window(session: string): Promise<Conversation | undefined> {
    const [record] = await Promise.all([this.#read(WINDOW_PREFIX + session), this.deck()]);
    if (this.#isDisabled || !record || record.project !== this.#projectOf(session)) return undefined;
    return readWindow(record.value);
  }

  /** Stores the server's deck. */
  saveDeck(deck: Deck): void {
    this.#isDisabled = false;
    this.#deck = deck;
    this.#isDeckChanged = true;
    this.#writeSoon();
  }

  /** Schedules a write; `read` returns the state to store at that time. */
  saveWindow(session: string, read: ReadState): void {
    if (this.#isDisabled) return;
    this.#changed.set(session, read);
    this.#writeSoon();
  }

  /** Removes conversations that are no longer in the deck. */
  prune(deck: Deck): Promise<void> {
    const named = new Set(deck.sessions.map(({ id }) => WINDOW_PREFIX + id));
    return this.#attempt(async () => {
      const gone = (await this.#port.keys()).filter(
        (key) => key.startsWith(WINDOW_PREFIX) && !named.has(key),
      );
      if (gone.length > 0) await this.#port.remove(gone);
    });
  }

  /** Writes pending records now, because the page is hidden or closing. */
  flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const records = this.#takeChanged();
    if (records.length === 0) return Promise.resolve();
    return this.#attempt(async () => {
      await this.#port.write(records);
      await this.#evict(records);
    });
  }

  /** "Clear history": of one project, or of all. */
  clear(project?: string): Promise<void> {
    for (const session of [...this.#changed.keys()]) {
      if (project === undefined || this.#projectOf(session) === project) this.#changed.delete(session);
    }
    if (project === undefined) this.#isDeckChanged = false;
    this.#written.clear();
    return this.#attempt(() => this.#port.clear(project));
  }

  /** Signed out: clears everything and stores nothing until the server welcomes the page again. */
  signedOut(): Promise<void> {
    if (this.#isDisabled) return Promise.resolve();
    this.#isDisabled = true;
    return this.clear();
  }

  #projectOf(session: string): string | undefined {
    return this.#deck?.sessions.find(({ id }) => id === session)?.project;
  }

  #writeSoon(): void {
    this.#cancelTimer ??= this.#clock.after(WRITE_MS, () => {
      this.#cancelTimer = undefined;
      void this.flush();
    });
  }

  #takeChanged(): CacheRecord[] {
    const usedAt = this.#clock.now();
    const records: CacheRecord[] = [];
    if (this.#isDeckChanged && this.#deck) {
      const value = deckRecord(this.#deck);
      if (value !== undefined) records.push({ key: DECK_KEY, project: '', usedAt, value });
    }
    this.#isDeckChanged = false;
    for (const [session, read] of this.#changed) {
      const project = this.#projectOf(session);
      // Its row has not arrived; it is stored with the next change.
      if (project === undefined) continue;
      this.#changed.delete(session);
      const state = read();
      const value = state && windowRecord(state);
      if (value !== undefined) records.push({ key: WINDOW_PREFIX + session, project, usedAt, value });
    }
    return records;
  }

  async #evict(records: readonly CacheRecord[]): Promise<void> {
    const fresh = records.filter(({ key }) => key.startsWith(WINDOW_PREFIX) && !this.#written.has(key));
    if (fresh.length === 0) return;
    for (const { key } of fresh) this.#written.add(key);
    const windows = (await this.#port.keys()).filter((key) => key.startsWith(WINDOW_PREFIX));
    const surplus = windows.slice(0, Math.max(0, windows.length - MAX_WINDOWS));
    if (surplus.length > 0) await this.#port.remove(surplus);
  }

  #read(key: string): Promise<CacheRecord | undefined> {
    return this.#port.read(key).catch((error: unknown) => this.#report(error));
  }

  #attempt(run: () => Promise<void>): Promise<void> {
    return run().catch((error: unknown) => this.#report(error));
  }

  #report(error: unknown): undefined {
    const fault = this.#fault;
    this.#fault = undefined;
    fault?.(`cache: ${String(error)}`);
    return undefined;
  }
}
