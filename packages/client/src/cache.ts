/**
 * What this page last saw, for the next load of it (D5): the deck and the last window of each conversation.
 * Written at most once a second and when the page hides; read before the socket is up. It is a copy: the
 * server's word replaces it, losing it costs a moment. The web opens one and gives it to the client.
 */
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import type { Deck } from '@tugdeck/protocol/wire/deck';
import { type CachePort, type CacheRecord, DECK_KEY, WINDOW_PREFIX } from './cache-port.ts';
import { deckRecord, readDeck, readWindow, windowRecord } from './cache-records.ts';
import { type Clock, pageClock } from './clock.ts';

const WRITE_MS = 1_000;
/** Conversations kept; the least recently used goes first. */
export const MAX_WINDOWS = 50;

type ReadState = () => Conversation | undefined;

export class PageCache {
  readonly #port: CachePort;
  readonly #clock: Clock;
  readonly #changed = new Map<string, ReadState>();
  /** Sessions written by this page: their number is checked when a new one joins. */
  readonly #written = new Set<string>();
  #deck: Deck | undefined;
  #isDeckChanged = false;
  #isDisabled = false;
  #cancelTimer: (() => void) | undefined;
  #readingDeck: Promise<Deck | undefined> | undefined;
  readonly #reading = new Set<Promise<unknown>>();
  /** Told once: a browser without a working cache is no reason to keep complaining. */
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

  /** The deck as last seen; undefined when there is none worth showing. */
  deck(): Promise<Deck | undefined> {
    this.#readingDeck ??= this.#read(DECK_KEY).then((record) => {
      const deck = record && readDeck(record.value);
      // Without a session the page would begin one, perhaps a second: that waits for the server's word.
      if (this.#isDisabled || !deck?.sessions.some(({ archived }) => !archived)) return undefined;
      this.#deck ??= deck;
      return deck;
    });
    return this.#readingDeck;
  }

  /** The conversation as last seen, if it belongs to the project that the deck says (D12). */
  window(session: string): Promise<Conversation | undefined> {
    const reading = this.#window(session).finally(() => this.#reading.delete(reading));
    this.#reading.add(reading);
    return reading;
  }

  /** Whatever was asked for so far is there: a page that waits for it is drawn once and not twice. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#reading);
  }

  async #window(session: string): Promise<Conversation | undefined> {
    const [record] = await Promise.all([this.#read(WINDOW_PREFIX + session), this.deck()]);
    if (this.#isDisabled || !record || record.project !== this.#projectOf(session)) return undefined;
    return readWindow(record.value);
  }

  /** The server's word on the deck. */
  saveDeck(deck: Deck): void {
    this.#isDisabled = false;
    this.#deck = deck;
    this.#isDeckChanged = true;
    this.#writeSoon();
  }

  /** The conversation changed; `read` gives what to keep of it when the time comes. */
  saveWindow(session: string, read: ReadState): void {
    if (this.#isDisabled) return;
    this.#changed.set(session, read);
    this.#writeSoon();
  }

  /** Forgets conversations that the deck does not name any more. */
  prune(deck: Deck): Promise<void> {
    const named = new Set(deck.sessions.map(({ id }) => WINDOW_PREFIX + id));
    return this.#attempt(async () => {
      const gone = (await this.#port.keys()).filter(
        (key) => key.startsWith(WINDOW_PREFIX) && !named.has(key),
      );
      if (gone.length > 0) await this.#port.remove(gone);
    });
  }

  /** Writes now what is waiting: the page hides or goes away. */
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

  /** "Clear history": of one project, or everything. */
  clear(project?: string): Promise<void> {
    for (const session of [...this.#changed.keys()]) {
      if (project === undefined || this.#projectOf(session) === project) this.#changed.delete(session);
    }
    if (project === undefined) this.#isDeckChanged = false;
    this.#written.clear();
    return this.#attempt(() => this.#port.clear(project));
  }

  /** Signed out: everything goes, and nothing is kept until the server welcomes us again. */
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
      // Its row is still to come; it is kept with the next change of either.
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
