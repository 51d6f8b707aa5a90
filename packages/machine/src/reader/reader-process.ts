/**
 * The reader as a child process: starts it, restarts it when it dies, ends it with the server. Remembers open views
 * and requests, so that a new reader continues them. Reads no files itself.
 */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { HISTORY_VARIABLES } from '@tugdeck/agents/history-variables';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { createLineReader } from '@tugdeck/local/lines';
import type { Log, LogLevel } from '@tugdeck/local/log';
import {
  type ExternalSession,
  type OwnSession,
  type ReaderMessage,
  type ReaderRequestInput,
  type ReaderState,
  readerMessageSchema,
} from '@tugdeck/local/reader-link';
import { parseJson } from '@tugdeck/protocol/parse-json';
import type { Search, SearchAnswer } from '@tugdeck/protocol/search/search';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { HostRequest } from '@tugdeck/protocol/wire/host-link';
import { LIMITS } from '../limits.ts';
import { take } from '../take.ts';

export interface ReaderOptions {
  readonly program: string | undefined;
  readonly data: DataDirectory;
  readonly environment: Readonly<Record<string, string>>;
  readonly logLevel: LogLevel;
  readonly log: Log;
  /** Our sessions, for the index; called whenever a reader starts. */
  readonly own: () => Iterator<OwnSession>;
}

export interface ReaderListener {
  sessions(sessions: readonly ExternalSession[], gone: readonly string[]): void;
  /** Another program completed a turn in the agent's file of this session. */
  externalTurn(session: string): void;
}

/** One page's view of an external session. */
export interface ExternalView {
  send(request: HostRequest): void;
  close(): void;
}

interface Viewer {
  readonly session: string;
  readonly send: (lines: readonly string[]) => void;
  follows: boolean;
}

interface PendingRequest {
  readonly request: ReaderRequestInput;
  readonly resolve: (message: ReaderMessage) => void;
  readonly reject: (error: CodedError) => void;
}

/** The reader needs no other variables. */
const INHERITED_VARIABLES = ['HOME', ...HISTORY_VARIABLES, 'PATH', 'TMPDIR', 'SystemRoot', 'USERPROFILE'];
const HEAP_MB = 192;
const RESTART_MS = [200, 1_000, 5_000, 30_000];
/** After running this long, the restart delay starts over. */
const STABLE_MS = 60_000;
const OWN_BATCH = 50;

export class ReaderProcess {
  readonly #options: ReaderOptions;
  readonly #listeners = new Set<ReaderListener>();
  readonly #viewers = new Map<number, Viewer>();
  readonly #pending = new Map<string, PendingRequest>();
  #child: ChildProcessWithoutNullStreams | undefined;
  #timer: NodeJS.Timeout | undefined;
  #deaths = 0;
  #lastNumber = 0;
  #closed = false;
  #state: ReaderState | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  subscribe(listener: ReaderListener): void {
    this.#listeners.add(listener);
  }

  /** The latest state it reported. */
  get state(): ReaderState | undefined {
    return this.#state;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    const { program, data, environment, log, logLevel } = this.#options;
    if (program === undefined || this.#closed || this.#child) return;
    const passed = INHERITED_VARIABLES.flatMap((name) =>
      environment[name] === undefined ? [] : [[name, environment[name]]],
    );
    const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, program], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: Object.fromEntries(passed),
      cwd: '/',
    });
    this.#child = child;
    const since = Date.now();
    const lines = createLineReader(LIMITS.hostLine, {
      line: (text) => this.#receive(text),
      overlong: (bytes) => log.warn('message from the reader is too long', { bytes }),
    });
    child.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
    child.stderr.on('data', (chunk: Buffer) =>
      log.warn('reader', { said: chunk.toString('utf8').slice(0, 2000) }),
    );
    // Reported when the process closes.
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => log.error('the reader could not start', { error }));
    child.on('close', (code, signal) => this.#ended(child, Date.now() - since, signal ?? `exit ${code}`));
    this.#send({
      type: 'start',
      dataDirectory: data.root,
      environment: Object.fromEntries(passed),
      logLevel,
    });
    this.#sendOwn(this.#options.own());
    for (const [view, { session, follows }] of this.#viewers) {
      this.#send({ type: 'view.open', view, session });
      if (follows) this.#send({ type: 'view.ask', view, request: { type: 'follow' } });
    }
    for (const { request } of this.#pending.values()) this.#send(request);
  }

  /** Sends our new or changed sessions. */
  own(sessions: OwnSession[]): void {
    if (sessions.length > 0) this.#send({ type: 'own', sessions });
  }

  openView(session: string, send: (lines: readonly string[]) => void): ExternalView {
    const view = ++this.#lastNumber;
    const viewer: Viewer = { session, send, follows: false };
    this.#viewers.set(view, viewer);
    this.#send({ type: 'view.open', view, session });
    return {
      send: (request) => {
        if (request.type === 'follow') viewer.follows = true;
        this.#send({ type: 'view.ask', view, request });
      },
      close: () => {
        this.#viewers.delete(view);
        this.#send({ type: 'view.close', view });
      },
    };
  }

  async search(search: Search): Promise<SearchAnswer> {
    const answer = await this.#request((id) => ({ type: 'search', id, search }));
    if (answer.type !== 'found') throw new CodedError('READER_UNAVAILABLE');
    return answer.answer;
  }

  /** Whether another program is using the session. */
  async isInUse(session: string): Promise<boolean> {
    const answer = await this.#request((id) => ({ type: 'held', id, session }));
    return answer.type === 'held' && answer.elsewhere;
  }

  /** Deletes the index and rebuilds it (S6). */
  async rebuild(): Promise<void> {
    await this.#end();
    const { search } = this.#options.data;
    for (const file of [search, `${search}-wal`, `${search}-shm`]) rmSync(file, { force: true });
    this.#deaths = 0;
    this.start();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { reject } of this.#pending.values()) reject(new CodedError('READER_UNAVAILABLE'));
    this.#pending.clear();
    await this.#end();
  }

  /** Sends a batch at a time, so that pages are served in between. */
  #sendOwn(all: Iterator<OwnSession>): void {
    const part = take(all, OWN_BATCH);
    this.own(part);
    if (part.length < OWN_BATCH) return;
    const child = this.#child;
    setImmediate(() => {
      if (this.#child === child) this.#sendOwn(all);
    });
  }

  /** Closing stdin ends the reader; it has nothing to lose if it is killed. */
  #end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), 1_000);
      child.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      child.stdin.end();
    });
  }

  #ended(child: ChildProcessWithoutNullStreams, lived: number, how: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    if (this.#closed) return;
    this.#deaths = lived > STABLE_MS ? 1 : this.#deaths + 1;
    const wait = RESTART_MS[Math.min(this.#deaths, RESTART_MS.length) - 1] ?? 0;
    this.#options.log.warn('the reader exited, restarting', { how, wait });
    this.#timer = setTimeout(() => this.start(), wait);
    this.#timer.unref();
  }

  #request(request: (id: string) => ReaderRequestInput): Promise<ReaderMessage> {
    if (this.#options.program === undefined || this.#closed) {
      return Promise.reject(new CodedError('READER_UNAVAILABLE'));
    }
    if (this.#pending.size >= LIMITS.waitingRequests) return Promise.reject(new CodedError('TOO_MANY'));
    const id = randomUUID();
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { request: request(id), resolve, reject });
      this.#send(request(id));
    });
  }

  #receive(text: string): void {
    let value: unknown;
    try {
      value = parseJson(text);
    } catch {
      value = undefined;
    }
    const parsed = readerMessageSchema.safeParse(value);
    if (!parsed.success) {
      this.#options.log.warn('invalid message from the reader', {
        problem: parsed.error.issues[0]?.message,
      });
      return;
    }
    const message = parsed.data;
    switch (message.type) {
      case 'sessions':
        for (const one of this.#listeners) one.sessions(message.sessions, message.gone);
        return;
      case 'external-turn':
        for (const one of this.#listeners) one.externalTurn(message.session);
        return;
      case 'told':
        this.#viewers.get(message.view)?.send(message.lines);
        return;
      case 'state':
        this.#state = message.state;
        return;
      case 'failed':
        this.#pending.get(message.id)?.reject(new CodedError(message.code, message.message));
        this.#pending.delete(message.id);
        return;
      case 'found':
      case 'held':
        this.#pending.get(message.id)?.resolve(message);
        this.#pending.delete(message.id);
    }
  }

  #send(request: ReaderRequestInput): void {
    this.#child?.stdin.write(`${JSON.stringify(request)}\n`);
  }
}
