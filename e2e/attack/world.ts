/**
 * The product under attack: the built command with the demo agent, one signed-in visitor, and an attacker's means:
 * raw requests, raw sockets, files on the same machine.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { savePassword } from '@tugdeck/gateway/transport/password';
import { dataDirectory, makePrivate } from '@tugdeck/local/data-directory';
import { type DeckMessage, deckMessageSchema } from '@tugdeck/protocol/wire/deck';
import { type FeedMessage, feedByte, feedMessageSchema } from '@tugdeck/protocol/wire/feeds';
import { decodeFrame, encodeFrame, FEED } from '@tugdeck/protocol/wire/frames';
import { PAGE_VERSION } from '@tugdeck/protocol/wire/version';
import { Visit } from '@tugdeck/testkit/visit';
import { WebSocket } from 'ws';
import { type Deck, openDeck } from '../deck.ts';

/** The second origin, behind a proxy that ends TLS (N50). The attacks reach the port as its proxy does. */
const SECOND = 'https://deck.tugdeck.test';
const PASSWORD = 'correct horse battery';

/** The sandbox file with the answers that the hostile agent received. */
export const HOSTILE_LOG = 'hostile.log';
const HOSTILE_AGENT = fileURLToPath(new URL('hostile-agent.mjs', import.meta.url));

export interface HttpResponse {
  /** 0 where the connection was cut off instead. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export class World {
  readonly deck: Deck;
  /** The signed-in visitor. */
  readonly visit: Visit;
  /** The origin under attack. */
  readonly origin: string;
  #second: Promise<World> | undefined;

  constructor(deck: Deck, visit: Visit, origin = deck.origin) {
    this.deck = deck;
    this.visit = visit;
    this.origin = origin;
  }

  static async open(files: Readonly<Record<string, string>> = {}): Promise<World> {
    const deck = await openDeck({
      withoutAgent: true,
      // A common mistake: an empty PATH entry, so the current directory is searched first.
      pathFirst: '',
      files,
      prepare: async ({ data }) => {
        makePrivate(data);
        await savePassword(dataDirectory(data).password, PASSWORD);
        return async () => undefined;
      },
      config: ({ root }) => ({
        origin: SECOND,
        agents: { hostile: { command: process.execPath, args: [HOSTILE_AGENT, join(root, HOSTILE_LOG)] } },
      }),
    });
    return new World(deck, await Visit.enter((await deck.run('url')).stdout.trim()));
  }

  /** The same product by its second origin, with a visitor who is signed in there. */
  atSecondOrigin(): Promise<World> {
    this.#second ??= this.#enterSecond();
    return this.#second;
  }

  async #enterSecond(): Promise<World> {
    const send: typeof fetch = async (input, init = {}) => {
      const { pathname, search } = new URL(String(input));
      const { status, body } = await this.fetch(pathname + search, {
        method: init.method ?? 'GET',
        headers: { host: new URL(SECOND).host, origin: SECOND, ...(init.headers as Record<string, string>) },
        ...(typeof init.body === 'string' ? { body: init.body } : {}),
      });
      return new Response(body, { status });
    };
    return new World(this.deck, await Visit.enter(await this.#pairingLink(), { send }), SECOND);
  }

  async #pairingLink(): Promise<string> {
    const { stdout } = await this.deck.run('url', '--qr', '--device', 'Phone');
    return stdout.split('\n', 1)[0] ?? '';
  }

  get host(): string {
    return new URL(this.origin).host;
  }

  /** The path of a fresh sign-in link. */
  async freshPath(): Promise<string> {
    const link =
      this.origin === SECOND ? await this.#pairingLink() : (await this.deck.run('url')).stdout.trim();
    return new URL(link).pathname;
  }

  fetch(
    path: string,
    {
      method = 'GET',
      headers = {},
      body,
    }: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<HttpResponse> {
    const all = { host: this.host, ...headers };
    return new Promise((resolve, reject) => {
      let isAnswered = false;
      const sent = request(
        { host: '127.0.0.1', port: this.deck.port, path, method, headers: all },
        (response) => {
          isAnswered = true;
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          const finish = () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
          response.on('end', finish);
          response.on('error', finish);
        },
      );
      sent.on('error', (error) => {
        if (!wasCutOff(error)) reject(error);
        // After the response headers, wait for the end of the response; before them, an error means that none will come.
        else if (!isAnswered) resolve({ status: 0, headers: {}, body: '' });
      });
      sent.end(body);
    });
  }

  /** Sends a request as the signed-in visitor. */
  async own(
    path: string,
    more: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<HttpResponse> {
    const proof = await this.visit.proof(path, more.method);
    return this.fetch(path, { ...more, headers: { ...proof, ...more.headers } });
  }

  /** The server's response to exactly these bytes, until it closes the connection. */
  raw(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.deck.port, '127.0.0.1', () => socket.end(bytes));
      let text = '';
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
      socket.on('error', (error) => {
        // Refused before all of it was read: the rest causes a reset, which can arrive at any moment.
        if (!wasCutOff(error)) reject(error);
      });
    });
  }

  /** The status an upgrade is refused with, or 101. */
  upgrade(headers: Record<string, string>, path = `/ws?${this.visit.opening().query}`): Promise<number> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${this.deck.port}${path}`, {
        headers: { host: this.host, ...headers },
      });
      socket.on('open', () => {
        socket.terminate();
        resolve(101);
      });
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
      socket.on('error', reject);
    });
  }

  async visitor(): Promise<Visitor> {
    const at = this.deck.origin;
    return new Visitor(await this.visit.socket({ headers: { host: this.host } }, at));
  }

  close(): Promise<void> {
    return this.deck.close();
  }
}

function wasCutOff(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE';
}

type Received = { readonly deck: DeckMessage } | { readonly channel: number; readonly feed: FeedMessage };

/** The page's side of the protocol, in plain code. */
export class Visitor {
  readonly socket: WebSocket;
  readonly #received: Received[] = [];
  readonly #waiters = new Set<() => void>();

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.setMaxListeners(0);
    socket.on('message', (data: Buffer) => this.#take(data));
    socket.on('error', () => undefined);
  }

  send(feed: number, channel: number, value: unknown): void {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    this.socket.send(encodeFrame(feed as typeof FEED.deck, channel, new TextEncoder().encode(text)));
  }

  request(body: Record<string, unknown>): Promise<DeckMessage> {
    const id = randomUUID();
    this.send(FEED.deck, 0, { id, ...body });
    return this.deckMessage((message) => 're' in message && message.re === id);
  }

  async welcome(): Promise<Extract<DeckMessage, { type: 'welcome' }>> {
    this.send(FEED.deck, 0, { type: 'hello', id: randomUUID(), version: PAGE_VERSION, build: 'attack' });
    const received = await this.deckMessage(({ type }) => type === 'welcome');
    if (received.type !== 'welcome') throw new Error('no welcome');
    return received;
  }

  async openFeed(channel: number, feed: string, about: object): Promise<void> {
    const received = await this.request({ type: 'feed.open', channel, feed, about });
    if (received.type !== 'done') throw new Error(`feed ${feed}: ${JSON.stringify(received)}`);
  }

  /** `ok`, or the code it was refused with. */
  async call(feed: string, channel: number, ask: object): Promise<string> {
    const received = await this.#answer(feed, channel, ask);
    return 'error' in received ? received.error.code : 'ok';
  }

  /** The value of the reply, or the code it was refused with. */
  async reply(feed: string, channel: number, ask: object): Promise<unknown> {
    const received = await this.#answer(feed, channel, ask);
    if ('error' in received) return received.error.code;
    return 'value' in received ? received.value : undefined;
  }

  async #answer(feed: string, channel: number, ask: object) {
    const id = randomUUID();
    this.send(feedByte(feed), channel, { id, ask });
    return this.#find((one) =>
      'feed' in one && one.channel === channel && 're' in one.feed && one.feed.re === id
        ? one.feed
        : undefined,
    );
  }

  deckMessage(fits: (message: DeckMessage) => boolean): Promise<DeckMessage> {
    return this.#find((received) => ('deck' in received && fits(received.deck) ? received.deck : undefined));
  }

  /** The code of the next error of the connection after `send`. */
  async errorAfter(send: () => void): Promise<string> {
    this.#received.length = 0;
    send();
    const received = await this.deckMessage(({ type }) => type === 'error');
    return received.type === 'error' ? received.code : '';
  }

  close(): void {
    this.socket.terminate();
  }

  #find<T>(pick: (received: Received) => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = () => {
        for (const received of this.#received) {
          const found = pick(received);
          if (found === undefined) continue;
          this.#waiters.delete(check);
          resolve(found);
          return;
        }
      };
      this.#waiters.add(check);
      this.socket.once('close', () => reject(new Error('the socket closed')));
      check();
    });
  }

  #take(data: Buffer): void {
    const frame = decodeFrame(data);
    if (!frame || frame.feed === FEED.terminalOut || frame.feed === FEED.conversationOut) return;
    const value: unknown = JSON.parse(new TextDecoder().decode(frame.payload));
    if (frame.feed === FEED.deck) this.#received.push({ deck: deckMessageSchema.parse(value) });
    else this.#received.push({ channel: frame.channel, feed: feedMessageSchema.parse(value) });
    for (const check of [...this.#waiters]) check();
  }
}
