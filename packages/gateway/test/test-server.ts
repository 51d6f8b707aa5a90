/** A real server on loopback with its own data directory, a simulated browser, and cleanup. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openLedger } from '@tugdeck/local/ledger';
import { withTimings } from '@tugdeck/local/timings';
import type { Configuration } from '@tugdeck/machine/configuration';
import { endHosts } from '@tugdeck/machine/hosts/end-hosts';
import { type DeckMessage, deckMessageSchema } from '@tugdeck/protocol/wire/deck';
import { type FeedMessage, feedByte, feedMessageSchema } from '@tugdeck/protocol/wire/feeds';
import { decodeFrame, encodeFrame, FEED, type Feed } from '@tugdeck/protocol/wire/frames';
import type { HostMessage } from '@tugdeck/protocol/wire/host-link';
import { Visit } from '@tugdeck/testkit/visit';
import type WebSocket from 'ws';
import { findServer, requestServer } from '../src/control/control-client.ts';
import type { ControlAnswer, ControlRequest } from '../src/control/messages.ts';
import { type RunningServer, type ServerOptions, startServer } from '../src/main.ts';

const FAKE_HOST = fileURLToPath(new URL('../../machine/test/fake-host.mjs', import.meta.url));
export const TIMINGS = { farewellMs: 200, terminateMs: 200 };

export interface TestPlace {
  readonly root: string;
  readonly project: string;
  readonly web: string;
  start(options?: Partial<ServerOptions> & { config?: Configuration }): Promise<RunningServer>;
  /** Ends every server and host of this place and removes it. */
  clear(): Promise<void>;
}

export function testPlace(): TestPlace {
  const base = mkdtempSync(join(tmpdir(), 'tugdeck-server-'));
  const root = join(base, 'data');
  const project = join(base, 'project');
  const web = join(base, 'web');
  mkdirSync(project);
  mkdirSync(join(web, 'assets'), { recursive: true });
  writeFileSync(join(web, 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(join(web, 'assets', 'a-1.js'), 'export {};');
  const agent = join(base, 'agent');
  writeFileSync(agent, '#!/bin/sh\n', { mode: 0o755 });
  const servers: RunningServer[] = [];
  return {
    root,
    project,
    web,
    async start({ config, ...options } = {}) {
      const server = await startServer({
        dataRoot: root,
        programs: { host: FAKE_HOST, web, build: 'test-build' },
        configuration: {
          port: 0,
          agent: 'tester',
          agents: { tester: { command: agent, protocol: 'acp', label: 'Tester' } },
          timings: TIMINGS,
          ...config,
        },
        environment: { PATH: process.env.PATH, HOME: process.env.HOME, TUGDECK_RUNTIME_DIR: base },
        ...options,
      });
      servers.push(server);
      return server;
    },
    async clear() {
      for (const server of servers) await server.close();
      await endHosts(openLedger(dataDirectory(root).ledger), withTimings(TIMINGS));
      rmSync(base, { recursive: true, force: true });
    },
  };
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Node's fetch forbids the headers needed here. */
export function fetchUrl(
  url: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    request.on('error', reject);
    request.end();
  });
}

/** Signs in with a sign-in link. */
export function signIn(url: string): Promise<Visit> {
  return Visit.enter(url);
}

/** Signs in as a device that may only read and answer. */
export async function pairedDevice({ root }: Pick<TestPlace, 'root'>, name = 'Phone'): Promise<Visit> {
  const answer = await control(root, { type: 'url', device: { name, isLimited: true } });
  if (answer.type !== 'url') throw new Error('no link');
  return signIn(answer.url);
}

/** Sends a request to the server as a `tugdeck` command does. */
export function control(root: string, request: ControlRequest): Promise<ControlAnswer> {
  const found = findServer(dataDirectory(root).ledger);
  if (!found) throw new Error('no server is running');
  return requestServer(found, request);
}

/** Sends a request with a visit's proof. */
export async function fetchAs(
  visit: Visit,
  url: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<HttpResponse> {
  const { pathname, search } = new URL(url);
  const proof = await visit.proof(pathname + search, method);
  return fetchUrl(url, { method, headers: { ...proof, ...headers } });
}

type Received =
  | { readonly deck: DeckMessage }
  | { readonly channel: number; readonly message: HostMessage }
  | { readonly channel: number; readonly feed: FeedMessage }
  | { readonly channel: number; readonly bytes: Uint8Array };

export class TestPage {
  readonly socket: WebSocket;
  readonly received: Received[] = [];
  #waiters: (() => void)[] = [];

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.setMaxListeners(0);
    socket.on('message', (data: Buffer) => this.#receive(data));
  }

  static async open(_server: RunningServer, visit: Visit): Promise<TestPage> {
    return new TestPage(await visit.socket());
  }

  send(feed: Feed, channel: number, payload: unknown): void {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    this.socket.send(encodeFrame(feed, channel, new TextEncoder().encode(text)));
  }

  /** Resolves with the `done` or `error` that answers it. */
  request(request: Record<string, unknown>): Promise<DeckMessage> {
    const id = randomUUID();
    this.send(FEED.deck, 0, { id, ...request });
    return this.deckMessage((message) => 're' in message && message.re === id);
  }

  async welcome(): Promise<Extract<DeckMessage, { type: 'welcome' }>> {
    this.received.length = 0;
    this.send(FEED.deck, 0, { type: 'hello', id: randomUUID(), version: 1, build: 'test-build' });
    const message = await this.deckMessage(({ type }) => type === 'welcome');
    if (message.type !== 'welcome') throw new Error('no welcome');
    return message;
  }

  /** The first message, received or future, that matches. */
  async deckMessage(fits: (message: DeckMessage) => boolean): Promise<DeckMessage> {
    return this.#find((item) => ('deck' in item && fits(item.deck) ? item.deck : undefined));
  }

  async hostMessage(channel: number, fits: (message: HostMessage) => boolean): Promise<HostMessage> {
    return this.#find((item) =>
      'message' in item && item.channel === channel && fits(item.message) ? item.message : undefined,
    );
  }

  /** The value of a feed's reply; throws its error. */
  async call(name: string, channel: number, ask: object): Promise<unknown> {
    const id = randomUUID();
    this.send(feedByte(name), channel, { id, ask });
    const reply = await this.feedMessage(channel, (message) => 're' in message && message.re === id);
    if ('error' in reply) {
      const { code, message, hint } = reply.error;
      throw Object.assign(new Error(message), { code, hint });
    }
    return 'value' in reply ? reply.value : undefined;
  }

  async feedMessage(channel: number, fits: (message: FeedMessage) => boolean): Promise<FeedMessage> {
    return this.#find((item) =>
      'feed' in item && item.channel === channel && fits(item.feed) ? item.feed : undefined,
    );
  }

  async push(channel: number, fits: (push: unknown) => boolean = () => true): Promise<unknown> {
    const item = await this.feedMessage(channel, (message) => 'push' in message && fits(message.push));
    return 'push' in item ? item.push : undefined;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.socket.once('close', () => resolve());
      this.socket.close();
    });
  }

  #find<T>(pick: (item: Received) => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      let seen = 0;
      const waiter = () => {
        for (; seen < this.received.length; seen++) {
          const item = this.received[seen];
          const found = item && pick(item);
          if (found === undefined) continue;
          this.#waiters = this.#waiters.filter((other) => other !== waiter);
          resolve(found);
          return;
        }
      };
      this.#waiters.push(waiter);
      this.socket.once('close', () => reject(new Error('the socket closed')));
      waiter();
    });
  }

  #receive(data: Buffer): void {
    const frame = decodeFrame(data);
    if (!frame) throw new Error('not a frame');
    if (frame.feed === FEED.terminalOut) {
      this.received.push({ channel: frame.channel, bytes: frame.payload });
      for (const check of [...this.#waiters]) check();
      return;
    }
    const value: unknown = JSON.parse(new TextDecoder().decode(frame.payload));
    if (frame.feed === FEED.deck) this.received.push({ deck: deckMessageSchema.parse(value) });
    else if (frame.feed !== FEED.conversationOut)
      this.received.push({ channel: frame.channel, feed: feedMessageSchema.parse(value) });
    else
      for (const message of value as HostMessage[]) this.received.push({ channel: frame.channel, message });
    for (const check of [...this.#waiters]) check();
  }
}

/** A signed-in page with a trusted project and a session open on channel 1. */
export async function pageWithSession(
  place: TestPlace,
  server: RunningServer,
): Promise<{ page: TestPage; visit: Visit; session: string; project: string }> {
  const { url, project } = await server.add(place.project, {}, { trust: true });
  const visit = await signIn(url);
  const page = await TestPage.open(server, visit);
  await page.welcome();
  const session = randomUUID();
  await page.request({ type: 'session.create', session, project, agent: 'tester' });
  await page.request({ type: 'channel.open', channel: 1, session });
  return { page, visit, session, project };
}

export function prompt(text: string, id: string = randomUUID()) {
  return { type: 'command', command: { kind: 'prompt.send', id, text } };
}
