/**
 * A session's confirmed state, replicated from its host: folds changes and live appends, detects gaps and holes and
 * requests them, merges snapshots and pages (M2, M3). The conversation channel passes it every message of its
 * session.
 */
import type { Append, Change } from '@tugdeck/protocol/conversation/changes';
import { classifyChange, fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { dropOldest, type Snapshot } from '@tugdeck/protocol/conversation/window';
import { followRequest, holeRequests } from '@tugdeck/protocol/wire/follow';
import type { HostMessage, HostRequestInput } from '@tugdeck/protocol/wire/host-link';
import type { ClientError } from './client-error.ts';
import { mergeSnapshot } from './merge.ts';
import { PageLoader } from './page-loader.ts';

export type StateMessage = Extract<
  HostMessage,
  { type: 'snapshot' | 'changes' | 'live' | 'entries' | 'behind' }
>;

/** A `follow` without a reply is repeated after this time when a gap shows. */
const FOLLOW_AGAIN_MS = 5_000;
/** Maximum characters of a window that follows the end, and what is kept when it grows beyond that. */
const WINDOW = { maxChars: 512 * 1024, keep: 256 * 1024 };
/** Older entries requested within this time are still being read. */
const READING_MS = 60_000;

export class SessionReplica {
  readonly #request: (request: HostRequestInput) => void;
  readonly #now: () => number;
  readonly #pages: PageLoader;
  #state: Conversation = EMPTY;
  #loaded = false;
  #isConnected = false;
  /** A reply to `follow` is pending. */
  #awaiting = false;
  #followedAt = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  /** A change is missing; live text cannot be placed until it arrives. */
  #gap = false;
  /** A message could not be parsed and a full snapshot was requested. */
  #repairing = false;
  /** Holes whose text was requested. */
  #requestedHoles: ReadonlySet<string> = new Set();

  constructor(options: {
    readonly request: (request: HostRequestInput) => void;
    readonly now: () => number;
  }) {
    this.#request = options.request;
    this.#now = options.now;
    this.#pages = new PageLoader(options.request);
  }

  get state(): Conversation {
    return this.#state;
  }

  /** Whether any state is known. */
  get loaded(): boolean {
    return this.#loaded;
  }

  get hasOlder(): boolean {
    return this.#pages.hasOlder(this.#state);
  }

  /** Shows the cached state, unless the server answered first. */
  restore(state: Conversation): void {
    if (this.#loaded) return;
    this.#state = state;
    this.#loaded = true;
    this.#nextPage();
  }

  connected(): void {
    this.#isConnected = true;
    this.#gap = false;
    this.#repairing = false;
    this.#follow();
  }

  disconnected(): void {
    this.#isConnected = false;
    this.#pages.restart();
  }

  receive(message: StateMessage): void {
    switch (message.type) {
      case 'snapshot':
        this.#applySnapshot(message.snapshot);
        break;
      case 'changes':
        this.#applyChanges(message.changes);
        break;
      case 'live':
        this.#applyLive(message.appends);
        return;
      case 'entries':
        if (this.#loaded) this.#state = this.#pages.receive(this.#state, message.page);
        break;
      case 'behind':
        this.#follow();
        return;
    }
    this.#nextPage();
  }

  /** Requests a full snapshot, because a message could not be parsed. */
  repair(): void {
    if (this.#repairing || !this.#isConnected) return;
    this.#repairing = true;
    this.#follow();
  }

  loadOlder(): Promise<void> {
    this.#readAt = this.#now();
    const promise = this.#pages.loadOlder(this.#state);
    this.#nextPage();
    return promise;
  }

  /** Drops entries far above the end, so that a page that stays open all day does not grow. */
  trimOlder(): void {
    if (!this.#isConnected || this.#pages.isBusy || this.#now() - this.#readAt < READING_MS) return;
    const kept = dropOldest(this.#state, WINDOW);
    if (kept === this.#state) return;
    this.#state = kept;
    this.#pages.restart();
  }

  fail(error: ClientError): void {
    this.#pages.fail(error);
  }

  #follow(): void {
    if (!this.#isConnected) return;
    this.#awaiting = true;
    this.#followedAt = this.#now();
    this.#pages.restart();
    this.#request(!this.#loaded || this.#repairing ? { type: 'follow' } : followRequest(this.#state));
    this.#nextPage();
  }

  #nextPage(): void {
    if (this.#isConnected && this.#loaded) this.#pages.requestNext(this.#state);
  }

  #reportGap(): void {
    if (this.#gap && this.#now() - this.#followedAt < FOLLOW_AGAIN_MS) return;
    this.#gap = true;
    this.#follow();
  }

  #applySnapshot(snapshot: Snapshot): void {
    const isBack = this.#loaded && snapshot.edition === this.#state.edition && snapshot.v < this.#state.v;
    // Only a requested snapshot may go back; any other older one is a late copy. Versions of different editions
    // cannot be compared: another source provides the session from now on.
    if (isBack && !this.#awaiting) return;
    const { state, stale } = mergeSnapshot(this.#state, snapshot);
    if (snapshot.v !== this.#state.v) this.#pages.markStale(stale);
    this.#state = state;
    this.#loaded = true;
    this.#awaiting = false;
    this.#gap = false;
    this.#repairing = false;
  }

  #applyChanges(changes: readonly Change[]): void {
    if (!this.#loaded) return;
    for (const change of changes) {
      const place = classifyChange(this.#state, change);
      if (place === 'seen') continue;
      if (place === 'gap') {
        this.#reportGap();
        return;
      }
      this.#state = fold(this.#state, change);
      this.#gap = false;
    }
    if (!this.#gap) this.#awaiting = false;
  }

  #applyLive(appends: readonly Append[]): void {
    if (this.#gap) return;
    for (const append of appends) this.#state = foldAppend(this.#state, append);
    const { requests, requested } = holeRequests(this.#state, this.#requestedHoles);
    this.#requestedHoles = requested;
    for (const request of requests) this.#request(request);
  }
}
