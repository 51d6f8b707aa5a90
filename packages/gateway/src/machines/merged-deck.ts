/**
 * The deck as one page follows it: the projects and rows of this machine, pushed by it, together with the copies of
 * the others (N12). Without other machines, pushes pass unchanged.
 */
import type { Channel, DeckPush, Machine } from '@tugdeck/machine/port';
import type { DeckHead, MachineRow, SessionRow } from '@tugdeck/protocol/wire/deck';

export type RemoteChange =
  | { readonly type: 'head' }
  | { readonly type: 'rows'; readonly ids: readonly string[] }
  | { readonly type: 'show'; readonly project: string };

export interface RemoteDecks {
  list(): readonly { readonly rows: RemoteRows }[];
  rows(): MachineRow[];
  subscribe(listener: (change: RemoteChange) => void): () => void;
}

export interface RemoteRows {
  readonly head: DeckHead;
  row(id: string): SessionRow | undefined;
  all(): Iterable<SessionRow>;
}

/** Rows per message. */
const BATCH = 200;

export class MergedDeck implements Channel {
  readonly #remotes: RemoteDecks;
  readonly #send: (push: DeckPush) => void;
  readonly #unsubscribe: () => void;
  readonly #local: Channel;
  #head: DeckHead | undefined;
  #isPaused = false;
  /** What changed while the page was too slow. */
  #isHeadStale = false;
  readonly #stale = new Set<string>();

  constructor(local: Pick<Machine, 'openDeck'>, remotes: RemoteDecks, send: (push: DeckPush) => void) {
    this.#remotes = remotes;
    this.#send = send;
    this.#unsubscribe = remotes.subscribe((change) => this.#changed(change));
    this.#local = local.openDeck((push) => this.#pushLocal(push));
  }

  get opened(): Promise<void> {
    return this.#local.opened;
  }

  pause(): void {
    this.#isPaused = true;
    this.#local.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#local.resume();
    if (this.#isHeadStale) this.#changed({ type: 'head' });
    if (this.#stale.size > 0) {
      const ids = [...this.#stale];
      this.#stale.clear();
      this.#changed({ type: 'rows', ids });
    }
  }

  close(): void {
    this.#unsubscribe();
    this.#local.close();
  }

  #pushLocal(push: DeckPush): void {
    const hasRemotes = this.#remotes.list().length > 0;
    if (push.type === 'whole') {
      const { sessions, more = false, ...head } = push.deck;
      this.#head = head;
      if (!hasRemotes) {
        this.#send(push);
        return;
      }
      this.#send({ type: 'whole', deck: { ...this.#merged(head), sessions, more: true } });
      if (!more) this.#send({ type: 'rows', rows: this.#sendRemote(), more: false });
      return;
    }
    if (push.type === 'deck') {
      this.#head = push.deck;
      this.#send(hasRemotes ? { type: 'deck', deck: this.#merged(push.deck) } : push);
      return;
    }
    // The last part of the list: the page removes rows that were not listed.
    if (push.type === 'rows' && push.more === false && hasRemotes) {
      this.#send({ type: 'rows', rows: this.#sendRemote(), more: true });
    }
    this.#send(push);
  }

  #changed(change: RemoteChange): void {
    if (!this.#head) return;
    if (change.type === 'show') {
      this.#send(change);
      return;
    }
    if (this.#isPaused) {
      if (change.type === 'head') this.#isHeadStale = true;
      else for (const id of change.ids) this.#stale.add(id);
      return;
    }
    if (change.type === 'head') {
      this.#isHeadStale = false;
      this.#send({ type: 'deck', deck: this.#merged(this.#head) });
      return;
    }
    for (let at = 0; at < change.ids.length; at += BATCH) {
      const ids = change.ids.slice(at, at + BATCH);
      const rows = ids.flatMap((id) => this.#find(id) ?? []);
      const found = new Set(rows.map(({ id }) => id));
      this.#send({ type: 'rows', rows, gone: ids.filter((id) => !found.has(id)) });
    }
  }

  #find(id: string): SessionRow | undefined {
    for (const { rows } of this.#remotes.list()) {
      const row = rows.row(id);
      if (row) return row;
    }
    return undefined;
  }

  /** Sends all rows of other machines as parts of the list; returns the last part. */
  #sendRemote(): SessionRow[] {
    const rows = this.#remotes.list().flatMap((remote) => [...remote.rows.all()]);
    let at = 0;
    for (; at + BATCH < rows.length; at += BATCH) {
      this.#send({ type: 'rows', rows: rows.slice(at, at + BATCH), more: true });
    }
    return rows.slice(at);
  }

  #merged(head: DeckHead): DeckHead {
    const heads = this.#remotes.list().map(({ rows }) => rows.head);
    const workspaces = [head, ...heads].flatMap((one) => one.workspaces ?? []);
    const attempts = [head, ...heads].flatMap((one) => one.attempts ?? []);
    return {
      ...head,
      projects: [head, ...heads].flatMap(({ projects }) => projects),
      ...(workspaces.length > 0 || head.workspaces ? { workspaces } : {}),
      ...(attempts.length > 0 ? { attempts } : {}),
      machines: this.#remotes.rows(),
    };
  }
}
