/**
 * The page's WebSocket: opens it, verifies the server, says hello, and reconnects forever (D6). Delivers decoded
 * messages and reports when the link is up or lost. Keeps nothing that was sent: callers that need delivery across
 * reconnects resend on `online`.
 */
import type { DeckMessage, DeckRequest } from '@tugdeck/protocol/wire/deck';
import type { FeedAsk, FeedMessage } from '@tugdeck/protocol/wire/feeds';
import { MAX_FRAME_IN } from '@tugdeck/protocol/wire/frames';
import type { HostMessage, HostRequestInput } from '@tugdeck/protocol/wire/host-link';
import { PAGE_VERSION } from '@tugdeck/protocol/wire/version';
import type { SocketAccess, SocketHandshake } from './access.ts';
import type { Clock } from './clock.ts';
import { Heartbeat } from './heartbeat.ts';
import {
  decodeMessage,
  encodeDeckRequest,
  encodeFeedRequest,
  encodeHostRequest,
  encodeTerminalInput,
} from './messages.ts';
import type { Cell } from './store.ts';

/** The part of WebSocket that is used. */
export interface WebSocketLike {
  binaryType: string;
  send(data: Uint8Array<ArrayBuffer> | string): void;
  close(): void;
  addEventListener(
    type: 'open' | 'message' | 'close',
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
}

export interface ConnectionStatus {
  /**
   * `stopped`: no server runs, but the address is still ours. `offline`: no answer. `stranger`: the answer is not
   * from our server. `outdated`: the server was upgraded while this page was open. `ahead`: the server is older
   * than this page.
   */
  readonly state:
    | 'connecting'
    | 'online'
    | 'offline'
    | 'stopped'
    | 'stranger'
    | 'signed-out'
    | 'outdated'
    | 'ahead';
  /** Failed attempts since the link was last up. */
  readonly attempt: number;
  readonly retryAt?: number;
}

export type Welcome = Extract<DeckMessage, { type: 'welcome' }>;

export interface ConnectionEvents {
  /** The server sent `welcome`; requests can be sent from now on. */
  online(welcome: Welcome): void;
  /** The link is lost. Only called after `online`. */
  lost(): void;
  deck(message: DeckMessage): void;
  conversation(channel: number, messages: readonly HostMessage[], broken: number): void;
  feed(channel: number, message: FeedMessage): void;
  bytes(channel: number, data: Uint8Array): void;
  fault(why: string): void;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly build: string;
  readonly createSocket: (url: string) => WebSocketLike;
  readonly access: SocketAccess;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly status: Cell<ConnectionStatus>;
  readonly events: ConnectionEvents;
}

/** Until a `welcome` brings the server's own delays. */
const RECONNECT_MS: readonly number[] = [500, 1_000, 2_000, 4_000, 5_000];
/** A socket that opens but gets no `welcome` in this time is closed. */
const WELCOME_MS = 10_000;
/** Unless the `welcome` brings another interval. */
const HEARTBEAT_MS = 10_000;

type State = ConnectionStatus['state'];
const STICKY_STATES: ReadonlySet<State> = new Set<State>(['signed-out', 'stopped', 'stranger']);
const AWAY_STATES: ReadonlySet<State> = new Set<State>(['offline', 'stopped', 'stranger']);

export class Connection {
  readonly #options: ConnectionOptions;
  #socket: WebSocketLike | undefined;
  /** Distinguishes the current socket from older ones, whose late events are ignored. */
  #generation = 0;
  #ready = false;
  /** Whether the server ever had the page's own build. */
  #hadSameBuild = false;
  #failures = 0;
  #reconnectDelays = RECONNECT_MS;
  #cancelTimer: () => void = () => undefined;
  #disposed = false;
  #isDiagnosing = false;
  readonly #heartbeat: Heartbeat;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { clock } = options;
    this.#heartbeat = new Heartbeat({
      clock,
      ping: () => this.#ping(),
      onDead: () => this.#abandon(),
    });
  }

  get ready(): boolean {
    return this.#ready;
  }

  connect(): void {
    if (this.#disposed) return;
    const { access, clock, status, events } = this.#options;
    this.#cancelTimer();
    const generation = ++this.#generation;
    // The status stays on screen while we check whether it has changed.
    const { state } = status.get();
    status.set({ state: STICKY_STATES.has(state) ? state : 'connecting', attempt: this.#failures });
    const isCurrent = () => generation === this.#generation;
    this.#cancelTimer = clock.after(WELCOME_MS, () => isCurrent() && this.#abandon());
    const open = () => {
      const opening = access.startHandshake();
      if (opening) this.#open(opening, isCurrent);
      return opening !== undefined;
    };
    if (open()) return;
    access.hasCredentials().then(
      () => isCurrent() && !open() && this.#lost(),
      (error: unknown) => {
        events.fault(`sign-in: ${String(error)}`);
        if (isCurrent()) this.#lost();
      },
    );
  }

  #open(opening: SocketHandshake, isCurrent: () => boolean): void {
    const { url, createSocket, events, access } = this.#options;
    let socket: WebSocketLike;
    try {
      socket = createSocket(`${url}?${opening.query}`);
    } catch (error) {
      events.fault(`socket: ${String(error)}`);
      this.#lost();
      return;
    }
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    let isProven = false;
    const prove = async (first: unknown) => {
      const answer = await opening.answer(first);
      if (!isCurrent()) return;
      if (answer === undefined) {
        this.#close();
        this.#lost('stranger');
        return;
      }
      isProven = true;
      socket.send(answer);
      access.serverProven(() => this.#ping());
      this.#hello();
    };
    socket.addEventListener('message', ({ data }) => {
      if (!isCurrent()) return;
      if (isProven) this.#receive(data);
      else {
        prove(data).catch((error: unknown) => {
          events.fault(`sign-in: ${String(error)}`);
          if (isCurrent()) this.#abandon();
        });
      }
    });
    socket.addEventListener('close', () => isCurrent() && this.#lost());
  }

  /** Reconnects now, in any state, even if the page still believes the dead link is up. */
  reconnect(): void {
    this.#close();
    this.connect();
  }

  /** Checks the link after the page woke up or its network changed. */
  checkLink(): void {
    if (this.#ready) this.#heartbeat.check();
    else if (AWAY_STATES.has(this.#options.status.get().state)) this.reconnect();
  }

  dispose(): void {
    this.#disposed = true;
    this.#close();
  }

  sendDeckRequest(request: DeckRequest): boolean {
    return this.#ready && this.#send(encodeDeckRequest(request));
  }

  sendHostRequest(channel: number, request: HostRequestInput): boolean {
    return this.#ready && this.#send(encodeHostRequest(channel, request));
  }

  sendFeedRequest(name: string, channel: number, request: FeedAsk): boolean {
    return this.#ready && this.#send(encodeFeedRequest(name, channel, request));
  }

  sendBytes(channel: number, data: Uint8Array): boolean {
    return this.#ready && this.#send(encodeTerminalInput(channel, data));
  }

  #ping(): boolean {
    return this.sendDeckRequest({ type: 'ping', id: this.#options.newId() });
  }

  #hello(): void {
    const { newId, build } = this.#options;
    this.#send(encodeDeckRequest({ type: 'hello', id: newId(), version: PAGE_VERSION, build }));
  }

  #send(bytes: Uint8Array<ArrayBuffer>): boolean {
    // A larger frame would close the connection, and resending it would close every later one.
    if (!this.#socket || bytes.length > MAX_FRAME_IN) return false;
    this.#socket.send(bytes);
    return true;
  }

  #receive(data: unknown): void {
    const { events } = this.#options;
    this.#heartbeat.received();
    const incoming = decodeMessage(data);
    switch (incoming.feed) {
      case 'deck':
        this.#receiveDeck(incoming.message);
        return;
      case 'conversation':
        for (const why of incoming.broken) events.fault(why);
        if (this.#ready) events.conversation(incoming.channel, incoming.messages, incoming.broken.length);
        return;
      case 'area':
        if (this.#ready) events.feed(incoming.channel, incoming.message);
        return;
      case 'bytes':
        if (this.#ready) events.bytes(incoming.channel, incoming.data);
        return;
      case 'broken':
        events.fault(incoming.why);
        return;
      case 'unknown':
        return;
    }
  }

  #receiveDeck(message: DeckMessage): void {
    const { access, events } = this.#options;
    if (message.type === 'welcome') this.#welcomed(message);
    else if (this.#ready) events.deck(message);
    if (message.type === 'done' && message.now !== undefined) access.setServerTime(message.now);
  }

  #welcomed(welcome: Welcome): void {
    const { build, status, events } = this.#options;
    this.#cancelTimer();
    this.#failures = 0;
    if (welcome.timings.reconnectMs.length > 0) this.#reconnectDelays = welcome.timings.reconnectMs;
    const isSame = welcome.build === build;
    this.#hadSameBuild ||= isSame;
    status.set({ state: isSame ? 'online' : this.#hadSameBuild ? 'outdated' : 'ahead', attempt: 0 });
    // Another build with the same protocol version is compatible, so the page keeps working until it is reloaded
    // (H10).
    if (welcome.version !== PAGE_VERSION || this.#ready) return;
    this.#ready = true;
    this.#heartbeat.start(welcome.timings.pulseMs ?? HEARTBEAT_MS);
    events.online(welcome);
  }

  #abandon(): void {
    this.#close();
    this.#lost();
  }

  #close(): void {
    this.#cancelTimer();
    this.#generation++;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#emitLost();
  }

  #emitLost(): void {
    if (!this.#ready) return;
    this.#ready = false;
    this.#heartbeat.stop();
    this.#options.events.lost();
  }

  #lost(known?: 'stranger'): void {
    const { access, clock, status } = this.#options;
    this.#cancelTimer();
    this.#generation++;
    const wasUp = this.#ready;
    this.#socket = undefined;
    this.#emitLost();
    access.disconnected();
    const wait = this.#reconnectDelays[Math.min(this.#failures, this.#reconnectDelays.length - 1)] ?? 0;
    this.#failures++;
    const waiting = { attempt: this.#failures, retryAt: clock.now() + wait };
    const { state } = status.get();
    status.set({ state: known ?? (STICKY_STATES.has(state) ? state : 'offline'), ...waiting });
    this.#cancelTimer = clock.after(wait, () => this.connect());
    if (!wasUp && known === undefined) this.#diagnose();
  }

  /** One check at a time; its result applies to all attempts that failed in between. */
  #diagnose(): void {
    const { access, status, events } = this.#options;
    if (this.#isDiagnosing) return;
    this.#isDiagnosing = true;
    access.checkSignIn().then(
      (standing) => {
        this.#isDiagnosing = false;
        const before = status.get();
        if (this.#ready || before.state === 'stranger') return;
        const isKnown = standing === 'signed-out' || standing === 'stopped';
        status.set({ ...before, state: isKnown ? standing : 'offline' });
      },
      (error: unknown) => {
        this.#isDiagnosing = false;
        events.fault(`sign-in: ${String(error)}`);
      },
    );
  }
}
