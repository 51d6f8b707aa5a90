/**
 * Simulated server, network, clock and pages for tests. Frames wait in queues until the test delivers them, so a
 * connection can be cut between any two of them.
 */
import {
  type Deck,
  type DeckMessage,
  type DeckRequest,
  deckRequestSchema,
} from '@tugdeck/protocol/wire/deck';
import { decodeFrame, encodeFrame, FEED } from '@tugdeck/protocol/wire/frames';
import { type HostMessage, hostRequestSchema } from '@tugdeck/protocol/wire/host-link';
import { PAGE_VERSION } from '@tugdeck/protocol/wire/version';
import type { SignInStatus, SocketAccess } from '../src/access.ts';
import { type Client, type ClientOptions, createClient } from '../src/client.ts';
import type { Clock } from '../src/clock.ts';
import type { WebSocketLike } from '../src/connection.ts';
import { HostLink, SimulatedHost } from './simulated-host.ts';

export const BUILD = 'build-1';
export const SESSION = '11111111-1111-4111-8111-111111111111';

const SERVER_PROOF = 'I am the server';
const PAGE_PROOF = 'I am the page';

type Listener = (event: { readonly data?: unknown }) => void;

export class FakeSocket implements WebSocketLike {
  binaryType = 'blob';
  isOpen = false;
  isClosed = false;
  readonly toServer: (Uint8Array | string)[] = [];
  readonly toPage: Uint8Array[] = [];
  readonly links = new Map<number, { host: SimulatedHost; link: HostLink }>();
  readonly #listeners = new Map<string, Listener[]>();

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  send(data: Uint8Array | string): void {
    if (this.isOpen) this.toServer.push(data.slice());
  }

  close(): void {
    this.cut();
  }

  emit(type: string, data?: unknown): void {
    for (const listener of this.#listeners.get(type) ?? []) listener({ data });
  }

  /** Drops all frames in both directions. */
  cut(): void {
    if (this.isClosed) return;
    this.isOpen = false;
    this.isClosed = true;
    this.toServer.length = 0;
    this.toPage.length = 0;
    for (const { host, link } of this.links.values()) host.links.delete(link);
    this.links.clear();
    this.emit('close');
  }
}

export class FakeClock implements Clock {
  #now = 1_000_000;
  #timers: { at: number; run: () => void }[] = [];

  now = (): number => this.#now;

  after = (ms: number, run: () => void): (() => void) => {
    const timer = { at: this.#now + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  /** Advances the time without running timers. */
  sleep(ms: number): void {
    this.#now += ms;
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    this.#now = end;
  }
}

export class FakeStorage {
  readonly items = new Map<string, string>();
  get length(): number {
    return this.items.size;
  }
  key = (index: number): string | null => [...this.items.keys()][index] ?? null;
  getItem = (key: string): string | null => this.items.get(key) ?? null;
  setItem = (key: string, value: string): void => {
    this.items.set(key, value);
  };
  removeItem = (key: string): void => {
    this.items.delete(key);
  };
}

const NO_DECK: Deck = { projects: [], sessions: [], agents: [], defaultAgent: 'demo' };

export class World {
  readonly clock = new FakeClock();
  readonly hosts = new Map<string, SimulatedHost>();
  readonly sockets: FakeSocket[] = [];
  readonly requests: DeckRequest[] = [];
  readonly clients: Client[] = [];
  drafts: Record<string, string> = {};
  build = BUILD;
  signInStatus: SignInStatus = 'signed-in';
  /** The times that the server reported. */
  readonly serverTimes: number[] = [];
  /** The server's first message on a socket. */
  proof: unknown = SERVER_PROOF;
  /** Whether sockets can be opened. */
  isUp = true;
  /** Overrides the reply to a deck request; `null` for none. */
  answer: (request: DeckRequest) => DeckMessage | null | undefined = () => undefined;
  #frames: (() => void)[] = [];
  frameCount = 0;

  host(session = SESSION, seed = 1): SimulatedHost {
    const host = this.hosts.get(session) ?? new SimulatedHost(seed);
    this.hosts.set(session, host);
    return host;
  }

  page(options: Partial<ClientOptions> = {}): Client {
    const client = createClient({
      url: 'ws://127.0.0.1:7700/ws',
      build: BUILD,
      clock: this.clock,
      createSocket: () => this.#socket(),
      frame: (run) => this.#frames.push(run),
      storage: new FakeStorage(),
      access: this.#access(),
      ...options,
    });
    this.clients.push(client);
    return client;
  }

  #access(): SocketAccess {
    return {
      startHandshake: () => ({
        query: 'by=name',
        answer: async (first) => (first === SERVER_PROOF ? PAGE_PROOF : undefined),
      }),
      hasCredentials: async () => true,
      serverProven: () => undefined,
      setServerTime: (now) => this.serverTimes.push(now),
      disconnected: () => undefined,
      checkSignIn: async () => this.signInStatus,
    };
  }

  #socket(): FakeSocket {
    const socket = new FakeSocket();
    this.sockets.push(socket);
    return socket;
  }

  get openSockets(): FakeSocket[] {
    return this.sockets.filter(({ isClosed }) => !isClosed);
  }

  runFrame(): void {
    const frames = this.#frames;
    this.#frames = [];
    if (frames.length > 0) this.frameCount++;
    for (const run of frames) run();
  }

  /** One round: sockets open or fail, queued frames pass once in both directions. */
  async pump(): Promise<boolean> {
    let moved = false;
    for (const socket of this.openSockets) {
      if (!socket.isOpen) {
        moved = true;
        if (!this.isUp) {
          socket.cut();
          continue;
        }
        socket.isOpen = true;
        socket.emit('open');
        socket.emit('message', this.proof);
      }
      this.#deliverToServer(socket);
      for (const bytes of socket.toPage.splice(0)) {
        moved = true;
        if (!socket.isClosed) socket.emit('message', bytes.slice().buffer);
      }
    }
    // One turn of the event loop, so that every settled promise has continued.
    await new Promise((resolve) => setImmediate(resolve));
    return moved || this.openSockets.some(({ toServer, toPage }) => toServer.length + toPage.length > 0);
  }

  /** Delivers the pages' messages to the server; its replies stay queued. */
  deliverToServer(): void {
    for (const socket of this.openSockets) this.#deliverToServer(socket);
  }

  #deliverToServer(socket: FakeSocket): void {
    for (const bytes of socket.toServer.splice(0)) this.#receive(socket, bytes);
  }

  /** Runs until no frames are left and everything is rendered. */
  async settle(): Promise<void> {
    while (await this.pump());
    this.runFrame();
    if (await this.pump()) await this.settle();
  }

  cutAll(): void {
    for (const socket of this.openSockets) socket.cut();
  }

  push(socket: FakeSocket, message: DeckMessage): void {
    socket.toPage.push(encodeFrame(FEED.deck, 0, json(message)));
  }

  emit(socket: FakeSocket, channel: number, ...messages: unknown[]): void {
    if (!socket.isClosed) socket.toPage.push(encodeFrame(FEED.conversationOut, channel, json(messages)));
  }

  #receive(socket: FakeSocket, bytes: Uint8Array | string): void {
    if (bytes === PAGE_PROOF) return;
    if (typeof bytes === 'string') throw new Error('the page sent text that is not a proof');
    const frame = decodeFrame(bytes);
    if (!frame) throw new Error('the page sent no frame');
    const value: unknown = JSON.parse(new TextDecoder().decode(frame.payload));
    if (frame.feed === FEED.deck) this.#perform(socket, deckRequestSchema.parse(value));
    else {
      const target = socket.links.get(frame.channel);
      if (!target) throw new Error('the page wrote to a channel that is not open');
      target.host.request(target.link, hostRequestSchema.parse(value));
    }
  }

  #perform(socket: FakeSocket, request: DeckRequest): void {
    this.requests.push(request);
    const answer = this.answer(request);
    if (answer === null) return;
    if (answer) this.push(socket, answer);
    else if (request.type === 'hello') {
      this.push(socket, {
        type: 'welcome',
        version: PAGE_VERSION,
        build: this.build,
        deck: NO_DECK,
        drafts: this.drafts,
        timings: { reconnectMs: [500, 1000, 2000, 4000, 5000] },
      });
    } else if (request.type === 'channel.open') this.#open(socket, request);
    else {
      if (request.type === 'draft.save') this.drafts[request.session] = request.text;
      if (request.type === 'channel.close') {
        const open = socket.links.get(request.channel);
        if (open) open.host.links.delete(open.link);
        socket.links.delete(request.channel);
      }
      const now = request.type === 'ping' ? { now: this.clock.now() } : {};
      this.push(socket, { type: 'done', re: request.id, ...now });
    }
  }

  #open(socket: FakeSocket, request: Extract<DeckRequest, { type: 'channel.open' }>): void {
    const host = this.hosts.get(request.session);
    if (!host) {
      this.push(socket, {
        type: 'error',
        re: request.id,
        code: 'SESSION_NOT_FOUND',
        message: 'no such session',
      });
      return;
    }
    const link = new HostLink((message: HostMessage) => this.emit(socket, request.channel, message));
    host.links.add(link);
    socket.links.set(request.channel, { host, link });
    this.push(socket, { type: 'done', re: request.id });
  }
}

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
