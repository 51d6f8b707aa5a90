/**
 * The page's one socket: opens it, has the server prove itself, says hello, and when it is lost opens it again for ever (D6). Delivers
 * decoded messages and says when the link is up or gone; keeps nothing of what is sent: whoever wants
 * something to survive a reconnect keeps it and sends it again on `online`.
 */
import type { DeckMessage, DeckRequest } from '@tugdeck/protocol/wire/deck';
import type { FeedAsk, FeedMessage, FeedName } from '@tugdeck/protocol/wire/feeds';
import { MAX_FRAME_IN } from '@tugdeck/protocol/wire/frames';
import type { HostMessage, HostRequestInput } from '@tugdeck/protocol/wire/host-link';
import { PAGE_VERSION } from '@tugdeck/protocol/wire/version';
import type { Opening, SocketAccess } from './access.ts';
import type { Clock } from './clock.ts';
import {
  decodeMessage,
  encodeDeckRequest,
  encodeFeedAsk,
  encodeHostRequest,
  encodeTerminalInput,
} from './messages.ts';
import { Pulse } from './pulse.ts';
import type { Cell } from './store.ts';

/** What is used of a WebSocket. */
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
   * `stopped`: no server runs, and the address is still ours. `offline`: nobody answers there. `stranger`: somebody answers who is not
   * our server. `outdated`: the server was replaced under this page. `ahead`: it is older than the page was from the beginning.
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
  /** Attempts that failed since the link was last up. */
  readonly attempt: number;
  readonly retryAt?: number;
}

export type Welcome = Extract<DeckMessage, { type: 'welcome' }>;

export interface ConnectionEvents {
  /** The server said welcome; from now on things can be sent. */
  online(welcome: Welcome): void;
  /** The link is gone; comes only after `online`. */
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

/** Until a welcome tells the server's own. */
const RECONNECT_MS: readonly number[] = [500, 1_000, 2_000, 4_000, 5_000];
/** A socket that opens but never gets its welcome is given up. */
const WELCOME_MS = 10_000;
/** Unless a welcome tells. */
const PULSE_MS = 10_000;

type State = ConnectionStatus['state'];
const LASTING: ReadonlySet<State> = new Set<State>(['signed-out', 'stopped', 'stranger']);
const AWAY: ReadonlySet<State> = new Set<State>(['offline', 'stopped', 'stranger']);

export class Connection {
  readonly #options: ConnectionOptions;
  #socket: WebSocketLike | undefined;
  /** Told apart from older sockets, whose late events no longer matter. */
  #generation = 0;
  #ready = false;
  /** Whether the server was ever of the page's own build. */
  #wasSame = false;
  #failures = 0;
  #steps = RECONNECT_MS;
  #callOffTimer: () => void = () => undefined;
  #disposed = false;
  #isAsking = false;
  readonly #pulse: Pulse;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { clock } = options;
    this.#pulse = new Pulse({
      clock,
      ask: () => this.#ping(),
      dead: () => this.#abandon(),
    });
  }

  get ready(): boolean {
    return this.#ready;
  }

  connect(): void {
    if (this.#disposed) return;
    const { access, clock, status, events } = this.#options;
    this.#callOffTimer();
    const generation = ++this.#generation;
    // Stays on screen while we quietly look whether that has changed.
    const { state } = status.get();
    status.set({ state: LASTING.has(state) ? state : 'connecting', attempt: this.#failures });
    const isCurrent = () => generation === this.#generation;
    this.#callOffTimer = clock.after(WELCOME_MS, () => isCurrent() && this.#abandon());
    const open = () => {
      const opening = access.opening();
      if (opening) this.#open(opening, isCurrent);
      return opening !== undefined;
    };
    if (open()) return;
    access.load().then(
      () => isCurrent() && !open() && this.#lost(),
      (error: unknown) => {
        events.fault(`sign-in: ${String(error)}`);
        if (isCurrent()) this.#lost();
      },
    );
  }

  #open(opening: Opening, isCurrent: () => boolean): void {
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
      access.proven(() => this.#ping());
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

  /** Now, whatever the state: also where the page still believes in a link that is dead. */
  reconnect(): void {
    this.#close();
    this.connect();
  }

  /** The page woke up or its network changed: is the link still one? */
  look(): void {
    if (this.#ready) this.#pulse.look();
    else if (AWAY.has(this.#options.status.get().state)) this.reconnect();
  }

  dispose(): void {
    this.#disposed = true;
    this.#close();
  }

  sendDeck(request: DeckRequest): boolean {
    return this.#ready && this.#send(encodeDeckRequest(request));
  }

  sendHost(channel: number, request: HostRequestInput): boolean {
    return this.#ready && this.#send(encodeHostRequest(channel, request));
  }

  sendAsk(name: FeedName, channel: number, ask: FeedAsk): boolean {
    return this.#ready && this.#send(encodeFeedAsk(name, channel, ask));
  }

  sendBytes(channel: number, data: Uint8Array): boolean {
    return this.#ready && this.#send(encodeTerminalInput(channel, data));
  }

  #ping(): boolean {
    return this.sendDeck({ type: 'ping', id: this.#options.newId() });
  }

  #hello(): void {
    const { newId, build } = this.#options;
    this.#send(encodeDeckRequest({ type: 'hello', id: newId(), version: PAGE_VERSION, build }));
  }

  #send(bytes: Uint8Array<ArrayBuffer>): boolean {
    // A larger frame would end the connection, and being sent again it would end every next one.
    if (!this.#socket || bytes.length > MAX_FRAME_IN) return false;
    this.#socket.send(bytes);
    return true;
  }

  #receive(data: unknown): void {
    const { events } = this.#options;
    this.#pulse.heard();
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
    if (message.type === 'done' && message.now !== undefined) access.timed(message.now);
  }

  #welcomed(welcome: Welcome): void {
    const { build, status, events } = this.#options;
    this.#callOffTimer();
    this.#failures = 0;
    if (welcome.timings.reconnectMs.length > 0) this.#steps = welcome.timings.reconnectMs;
    const isSame = welcome.build === build;
    this.#wasSame ||= isSame;
    status.set({ state: isSame ? 'online' : this.#wasSame ? 'outdated' : 'ahead', attempt: 0 });
    // Another build with the same version is understood, so work goes on until the page reloads (H10).
    if (welcome.version !== PAGE_VERSION || this.#ready) return;
    this.#ready = true;
    this.#pulse.start(welcome.timings.pulseMs ?? PULSE_MS);
    events.online(welcome);
  }

  #abandon(): void {
    this.#close();
    this.#lost();
  }

  #close(): void {
    this.#callOffTimer();
    this.#generation++;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#tellLost();
  }

  #tellLost(): void {
    if (!this.#ready) return;
    this.#ready = false;
    this.#pulse.stop();
    this.#options.events.lost();
  }

  #lost(known?: 'stranger'): void {
    const { access, clock, status } = this.#options;
    this.#callOffTimer();
    this.#generation++;
    const wasUp = this.#ready;
    this.#socket = undefined;
    this.#tellLost();
    access.lost();
    const wait = this.#steps[Math.min(this.#failures, this.#steps.length - 1)] ?? 0;
    this.#failures++;
    const waiting = { attempt: this.#failures, retryAt: clock.now() + wait };
    const { state } = status.get();
    status.set({ state: known ?? (LASTING.has(state) ? state : 'offline'), ...waiting });
    this.#callOffTimer = clock.after(wait, () => this.connect());
    if (!wasUp && known === undefined) this.#askWhy();
  }

  /** One question at a time: its answer holds for the attempts that failed meanwhile, however quickly they did. */
  #askWhy(): void {
    const { access, status, events } = this.#options;
    if (this.#isAsking) return;
    this.#isAsking = true;
    access.standing().then(
      (standing) => {
        this.#isAsking = false;
        const before = status.get();
        if (this.#ready || before.state === 'stranger') return;
        const isKnown = standing === 'signed-out' || standing === 'stopped';
        status.set({ ...before, state: isKnown ? standing : 'offline' });
      },
      (error: unknown) => {
        this.#isAsking = false;
        events.fault(`sign-in: ${String(error)}`);
      },
    );
  }
}
