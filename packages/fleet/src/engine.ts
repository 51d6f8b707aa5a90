/**
 * The connection to the fleet's NATS server: messages, requests and the stream's API. It connects again by itself;
 * nothing is kept for later while it is down, because links and copies begin again from what they know (N30).
 */

import {
  connect,
  headers,
  jwtAuthenticator,
  type Msg,
  type NatsConnection,
  type TlsOptions,
} from '@nats-io/transport-node';
import type { Log } from '@tugdeck/local/log';
import { z } from 'zod';

export interface EngineAccess {
  /** One address, or several separated by commas. */
  readonly server: string;
  /** PEM; undefined for a server with a certificate of a public authority. */
  readonly authority?: string | undefined;
  readonly token: string;
  readonly seed: string;
  readonly inbox: string;
}

export interface EngineOptions extends EngineAccess {
  readonly name: string;
  readonly log: Log;
}

export interface EngineMessage {
  readonly subject: string;
  readonly data: Buffer;
  reply(data: Buffer): void;
}

export interface EngineReply {
  readonly data: Buffer;
  /** Of a reply without contents, such as 404. */
  readonly status: number;
  header(name: string): string | undefined;
}

export interface ServerInfo {
  readonly version: string;
  readonly isSecure: boolean;
}

type Receive = (message: EngineMessage) => void;

const CONNECT_MS = 5_000;
const RETRY_MS: readonly number[] = [250, 500, 1_000, 2_000];
const PING_MS = 5_000;
const REQUEST_MS = 5_000;

export class Engine {
  readonly #options: EngineOptions;
  readonly #subscriptions = new Map<string, Receive>();
  readonly #listeners = new Set<(isConnected: boolean) => void>();
  /** Reject the requests that were not answered yet. */
  readonly #pending = new Set<() => void>();
  /** End the subscriptions of the present connection. */
  readonly #ends = new Map<string, () => void>();
  #connection: NatsConnection | undefined;
  #attempts = 0;
  /** Which of the servers is next. */
  #next = 0;
  #timer: NodeJS.Timeout | undefined;
  #fault: string | undefined;
  #isClosed = false;
  #wake: () => void = () => undefined;
  #cycle: Promise<void>;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#cycle = this.#run();
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Why it is not connected. */
  get fault(): string | undefined {
    return this.isConnected ? undefined : this.#fault;
  }

  get server(): ServerInfo | undefined {
    const info = this.#connection?.info;
    return info && { version: info.version, isSecure: info.tls_required === true };
  }

  /** Resolves with whether it is connected, once each server was tried, at the latest after `limit` milliseconds. */
  whenConnected(limit: number): Promise<boolean> {
    if (this.isConnected) return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (isConnected: boolean) => {
        clearTimeout(timer);
        end();
        resolve(isConnected);
      };
      const timer = setTimeout(() => settle(false), limit);
      const end = this.onChange((isConnected) => {
        if (isConnected || this.#next >= serversOf(this.#options.server).length) settle(isConnected);
      });
    });
  }

  /** Called after each connection, each failed attempt and each loss. Returns a function that ends it. */
  onChange(listener: (isConnected: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Also after each new connection. Returns a function that ends it. */
  subscribe(subject: string, receive: Receive): () => void {
    this.#subscriptions.set(subject, receive);
    if (this.#connection) this.#ends.set(subject, subscribeOn(this.#connection, subject, receive));
    return () => {
      this.#subscriptions.delete(subject);
      this.#ends.get(subject)?.();
      this.#ends.delete(subject);
    };
  }

  /** Lost while it is not connected. */
  publish(subject: string, data: Buffer): void {
    this.#connection?.publish(subject, data);
  }

  async request(
    subject: string,
    data: Buffer | string,
    { values = {}, timeout = REQUEST_MS }: RequestOptions = {},
  ): Promise<EngineReply> {
    const connection = this.#connection;
    if (!connection) throw new EngineError('not connected');
    const named = headers();
    for (const [name, value] of Object.entries(values)) named.set(name, value);
    const options = { timeout, ...(Object.keys(values).length > 0 ? { headers: named } : {}) };
    const reply = await new Promise<Msg>((resolve, reject) => {
      const fail = (error: unknown) =>
        reject(new EngineError(error instanceof Error ? error.message : String(error)));
      // Without a connection it would wait for its time limit.
      const lost = () => fail('disconnected');
      this.#pending.add(lost);
      connection
        .request(subject, data, options)
        .then(resolve, fail)
        .finally(() => this.#pending.delete(lost));
    });
    const { headers: given } = reply;
    return {
      data: Buffer.from(reply.data),
      status: given?.code ?? 0,
      header: (name) => given?.get(name) || undefined,
    };
  }

  /** The stream's API: JSON in, JSON out. */
  async call(name: string, body: unknown = ''): Promise<unknown> {
    const text = body === '' ? '' : JSON.stringify(body);
    const answer: unknown = JSON.parse((await this.request(`$JS.API.${name}`, text)).data.toString());
    const { data } = apiErrorSchema.safeParse(answer);
    if (data) throw new EngineError(data.error.description, data.error.err_code);
    return answer;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#wake();
    await this.#connection?.close().catch(() => undefined);
    await this.#cycle;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      await this.#connectOnce();
      if (this.#isClosed) return;
      const delay = RETRY_MS[Math.min(this.#attempts++, RETRY_MS.length - 1)] ?? 0;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#timer = setTimeout(resolve, delay);
        this.#timer.unref();
      });
    }
  }

  /** Resolves when the connection is over. */
  async #connectOnce(): Promise<void> {
    const { server, authority, token, seed, inbox, name, log } = this.#options;
    const servers = serversOf(server);
    const chosen = servers[this.#next++ % servers.length] ?? '';
    let connection: NatsConnection;
    try {
      connection = await connect({
        ...{ servers: chosen, name, inboxPrefix: inbox, timeout: CONNECT_MS, reconnect: false },
        ...{ pingInterval: PING_MS, maxPingOut: 2, noAsyncTraces: true },
        authenticator: jwtAuthenticator(token, Buffer.from(seed)),
        // Never without TLS, whatever the server says, if the address says so.
        ...(isSecure(chosen) ? { tls: tlsOptions(chosen, authority) } : {}),
      });
    } catch (error) {
      this.#fault = error instanceof Error ? error.message : String(error);
      if (this.#attempts === 0) log.info('fleet server not reached', { fault: this.#fault });
      this.#emit(false);
      return;
    }
    if (this.#isClosed) {
      await connection.close();
      return;
    }
    this.#attempts = 0;
    this.#connection = connection;
    for (const [subject, receive] of this.#subscriptions)
      this.#ends.set(subject, subscribeOn(connection, subject, receive));
    log.info('fleet server connected', { version: connection.info?.version });
    this.#emit(true);
    const fault = await connection.closed();
    this.#connection = undefined;
    for (const lost of [...this.#pending]) lost();
    this.#fault = fault ? fault.message : 'disconnected';
    log.info('fleet server lost', { fault: this.#fault });
    this.#emit(false);
  }

  #emit(isConnected: boolean): void {
    for (const listener of [...this.#listeners]) listener(isConnected);
  }
}

export function serversOf(server: string): string[] {
  return server.split(',');
}

const isSecure = (server: string) => server.startsWith('tls://');

/** `host` is the name to check: without it, Node checks an IP address against "localhost". */
function tlsOptions(server: string, authority: string | undefined): TlsOptions {
  const host = new URL(server).hostname.replace(/^\[|\]$/g, '');
  return { host, ...(authority === undefined ? {} : { ca: authority }) } as TlsOptions;
}

interface RequestOptions {
  /** Headers. */
  readonly values?: Readonly<Record<string, string>>;
  readonly timeout?: number;
}

const apiErrorSchema = z.object({
  error: z.object({ err_code: z.number(), description: z.string() }),
});

/** A request that the server refused, or did not answer. */
export class EngineError extends Error {
  /** Of the stream's API. */
  readonly code: number | undefined;

  constructor(message: string, code?: number) {
    super(message);
    this.code = code;
  }
}

function subscribeOn(connection: NatsConnection, subject: string, receive: Receive): () => void {
  const subscription = connection.subscribe(subject, {
    callback(error, message) {
      if (error) return;
      receive({
        subject: message.subject,
        data: Buffer.from(message.data),
        reply: (data) => void message.respond(data),
      });
    },
  });
  return () => {
    if (!connection.isClosed()) subscription.unsubscribe();
  };
}
