/**
 * Copies the journals of this machine's own sessions to the fleet's stream (N30 to N33). It reads what is on disk and
 * keeps no queue: whatever was missed, by a cut, a killed process or a wiped store, is read from the journals later.
 * Nothing waits for it (N31).
 */
import { appendFile, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import type { Channel, DeckPush, Machine } from '@tugdeck/machine/port';
import type { Engine } from '../engine.ts';
import { copiedFolder } from '../fleet-files.ts';
import { SUBJECTS } from '../subjects.ts';
import { SessionCopy } from './session-copy.ts';
import { lastMessage, storeMessage } from './stream.ts';

export interface PublisherOptions {
  readonly engine: Engine;
  readonly data: DataDirectory;
  readonly member: string;
  readonly key: Buffer;
  readonly machine: Pick<Machine, 'openDeck'>;
  readonly log: Log;
  /** All copies of a session were deleted. */
  readonly purged: (session: string) => void;
}

/** How often a session that changed lately is read, and for how long after its last change. */
const ACTIVE_MS = 250;
const QUIET_MS = 60_000;
/** How often all sessions are compared with the copy. */
const ALL_MS = 60_000;
/** Sessions that are copied at the same time. */
const PARALLEL = 8;
const SESSION = /^[0-9a-zA-Z][0-9a-zA-Z-]{0,63}$/;
const HASH = /^[0-9a-f]{64}$/;

interface Copied {
  readonly copy: SessionCopy;
  changedAt: number;
  running: Promise<void> | undefined;
  isAgain: boolean;
}

export class Publisher {
  readonly #options: PublisherOptions;
  readonly #sessions = new Map<string, Copied>();
  readonly #deck: Channel;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #unwatch: () => void;
  readonly #turns: (() => void)[] = [];
  #free = PARALLEL;
  #scanning: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
    const { engine, machine } = options;
    this.#unwatch = engine.onChange((isConnected) => {
      if (isConnected) this.#lookAgain();
    });
    this.#deck = machine.openDeck((push) => this.#noteChanges(push));
    this.#timers.push(setInterval(() => this.#copyActive(), ACTIVE_MS));
    this.#timers.push(setInterval(() => void this.scan(), ALL_MS));
    for (const timer of this.#timers) timer.unref();
    void this.scan();
  }

  /** Compares all sessions with the copy, and resolves when what differed is copied. */
  scan(): Promise<void> {
    this.#scanning ??= this.#scan()
      .catch((error: unknown) => this.#options.log.warn('copies', { error }))
      .finally(() => {
        this.#scanning = undefined;
      });
    return this.#scanning;
  }

  /** Copies the last lines, for at most `limit` milliseconds. */
  async close(limit: number): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#unwatch();
    this.#deck.close();
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limit);
    });
    const flushed = Promise.all([...this.#sessions.keys()].map((session) => this.#advance(session)));
    if (this.#options.engine.isConnected) await Promise.race([flushed, tooLate]);
    clearTimeout(timer);
    this.#isClosed = true;
  }

  /** The server may have lost its store, also while all sessions are being compared. */
  #lookAgain(): void {
    for (const [session, { copy }] of this.#sessions) {
      copy.forget();
      void this.#advance(session);
    }
    void this.scan();
  }

  #noteChanges(push: DeckPush): void {
    if (push.type === 'session') this.#changed(push.row.id);
    if (push.type === 'rows') for (const { id } of push.rows) this.#changed(id);
  }

  /** Rows of external sessions have no journal; reading one shows that. */
  #changed(session: string): void {
    const copied = this.#sessionOf(session);
    if (!copied) return;
    copied.changedAt = performance.now();
    void this.#advance(session);
  }

  #copyActive(): void {
    const since = performance.now() - QUIET_MS;
    for (const [session, { changedAt }] of this.#sessions) if (changedAt > since) void this.#advance(session);
  }

  async #scan(): Promise<void> {
    const { engine, data, log } = this.#options;
    if (!engine.isConnected || this.#isClosed) return;
    const stored = (await readdir(join(data.root, 'sessions')).catch(() => [])).filter((id) =>
      SESSION.test(id),
    );
    for (const copied of this.#sessions.values()) copied.copy.forget();
    await Promise.all(
      stored.map((session) => {
        this.#sessionOf(session);
        return this.#advance(session);
      }),
    );
    for (const session of await readdir(copiedFolder(data)).catch(() => [])) {
      if (stored.includes(session) || !SESSION.test(session)) continue;
      await this.#purge(session).catch((error: unknown) => log.info('copy not deleted', { session, error }));
    }
  }

  #sessionOf(session: string): Copied | undefined {
    const known = this.#sessions.get(session);
    if (known || !SESSION.test(session)) return known;
    const { engine, data, member, key, log } = this.#options;
    const copy = new SessionCopy({
      ...{ engine, member, key, session, log, directory: data.session(session) },
      storing: (blob) => this.#note(session, blob),
    });
    const copied = { copy, changedAt: Number.NEGATIVE_INFINITY, running: undefined, isAgain: false };
    this.#sessions.set(session, copied);
    return copied;
  }

  /** Before anything is stored, so that a deletion finds it. */
  async #note(session: string, blob: string | undefined): Promise<void> {
    const folder = copiedFolder(this.#options.data);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await appendFile(join(folder, session), blob === undefined ? '' : `${blob}\n`, { mode: 0o600 });
  }

  /** One at a time for each session, and again if it changed while it ran. */
  async #advance(session: string): Promise<void> {
    const copied = this.#sessions.get(session);
    const { engine, log } = this.#options;
    if (!copied || !engine.isConnected || this.#isClosed) return;
    if (copied.running) {
      copied.isAgain = true;
      return copied.running;
    }
    copied.running = (async () => {
      await this.#turn();
      try {
        do {
          copied.isAgain = false;
          if ((await copied.copy.advance()) > 0) copied.changedAt = performance.now();
        } while (copied.isAgain && !this.#isClosed);
      } catch (error) {
        // Tried again soon: the server may be gone, or its store was wiped and is not there yet.
        copied.changedAt = performance.now();
        if (engine.isConnected) log.info('session not copied', { session, error });
        copied.copy.forget();
      } finally {
        copied.running = undefined;
        this.#free++;
        this.#turns.shift()?.();
      }
    })();
    return copied.running;
  }

  async #turn(): Promise<void> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#turns.push(resolve));
    this.#free--;
  }

  /** Deletes the copy of a session that was deleted for good (N37). Each deletion leaves an empty message. */
  async #purge(session: string): Promise<void> {
    const { engine, data, member, log, purged } = this.#options;
    if (await stat(data.session(session).root).catch(() => undefined)) return;
    const file = join(copiedFolder(data), session);
    const blobs = (await readFile(file, 'utf8')).split('\n').filter((hash) => HASH.test(hash));
    const subjects = new Set(blobs.map((hash) => SUBJECTS.blob(member, session, hash)));
    for (const subject of [...subjects, SUBJECTS.journal(member, session)]) {
      const last = await lastMessage(engine, subject);
      if (!last || last.data.length === 0) continue;
      const how = { after: last.sequence, replaces: true };
      if ((await storeMessage(engine, subject, Buffer.alloc(0), how)) === undefined) return;
    }
    this.#sessions.delete(session);
    await rm(file, { force: true });
    log.info('copy deleted', { session });
    purged(session);
  }
}
