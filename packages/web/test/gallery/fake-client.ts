/**
 * A client whose host is the real decide and fold in this page. Tests use it as `window.gallery`: they apply
 * changes, stream text, hold back receipts, and read what was sent.
 */
import type { Client, ConnectionStatus } from '@tugdeck/client/client';
import { ClientError, refusalError } from '@tugdeck/client/client-error';
import type { ChannelView, ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { Readable } from '@tugdeck/client/store';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Command } from '@tugdeck/protocol/conversation/commands';
import { decide } from '@tugdeck/protocol/conversation/decide';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import type { RestorePreview } from '@tugdeck/protocol/conversation/restore';
import { type Conversation, EMPTY, entryById } from '@tugdeck/protocol/conversation/state';
import { summarize } from '@tugdeck/protocol/conversation/summarize';
import type { Deck } from '@tugdeck/protocol/wire/deck';
import type { Receipt } from '@tugdeck/protocol/wire/host-link';
import { sampleDeck } from './sample-deck.ts';

class Cell<T> implements Readable<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();
  constructor(value: T) {
    this.#value = value;
  }
  get(): T {
    return this.#value;
  }
  set(value: T): void {
    this.#value = value;
    for (const tell of [...this.#listeners]) tell();
  }
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const PAGE = 100;
const START = Date.now() - 60_000;

export class FakeHost {
  readonly session: string;
  readonly sent: Command[] = [];
  readonly #onChange: () => void;
  readonly #entries = new Map<string, Cell<Entry | undefined>>();
  readonly #held: (() => void)[] = [];
  isHolding = false;
  /** Why the session can't be used now; commands are refused with it. */
  readonly fault = new Cell<ClientError | undefined>(undefined);
  /** Entries left when the page drops those far above its end. */
  keeps = Number.POSITIVE_INFINITY;
  readonly #readers = new Set<symbol>();
  woken = 0;
  /** The preview of each restore. */
  preview: RestorePreview | undefined;
  #state: Conversation = EMPTY;
  #order: readonly string[] = [];
  /** Number of loaded entries; older ones come on request. */
  #loaded = 200;
  #pending: readonly Command[] = [];
  readonly #view: Cell<ChannelView>;
  #channel: ConversationChannel | undefined;
  #known: { readonly state: Conversation; readonly byId: ReadonlyMap<string, Entry> } | undefined;

  constructor(session: string, onChange: () => void) {
    this.session = session;
    this.#onChange = onChange;
    this.#view = new Cell(this.#make());
  }

  get loaded(): number {
    return this.#loaded;
  }

  older(): void {
    this.#loaded += PAGE;
    this.#tell();
  }

  get state(): Conversation {
    return this.#state;
  }

  emit(...bodies: ChangeBody[]): void {
    for (const body of bodies) {
      this.#state = fold(this.#state, { ...body, v: this.#state.v + 1, at: Date.now() });
    }
    // New entries do not displace loaded ones.
    this.#loaded += bodies.filter(({ kind }) => kind === 'entry.opened').length;
    this.#tell();
  }

  sayMany(count: number): void {
    for (let index = 0; index < count; index++) {
      const text = `Entry ${index}. ${'It says a little about something. '.repeat(1 + (index % 7))}`;
      const entry = { kind: 'text', id: `e${index}`, status: 'complete', text } as const;
      this.#state = fold(this.#state, {
        kind: 'entry.opened',
        entry,
        v: this.#state.v + 1,
        at: START + index,
      });
    }
    this.#tell(false);
    // The deck is updated a little later, as with a real host: a card may be in the middle of a render.
    queueMicrotask(this.#onChange);
  }

  stream(entry: string, text: string, field: 'text' | 'output' = 'text'): void {
    const current = entryById(this.#state, entry) as { text?: string; output?: string } | undefined;
    this.#state = foldAppend(this.#state, { entry, field, at: (current?.[field] ?? '').length, text });
    // The deck is updated on turns and requests, not on every delta.
    this.#tell(false);
  }

  /** Releases everything that was held back. */
  release(): void {
    this.isHolding = false;
    for (const run of this.#held.splice(0)) run();
  }

  channel(): ConversationChannel {
    this.#channel ??= this.#makeChannel();
    return this.#channel;
  }

  #makeChannel(): ConversationChannel {
    return {
      session: this.session,
      view: this.#view,
      fault: this.fault,
      entry: (id) => this.#entry(id),
      find: (id) => this.#byId().get(id),
      send: (input) => this.#send({ ...input, id: input.id ?? crypto.randomUUID() } as Command),
      retainOlder: () => {
        const reader = Symbol('reader');
        this.#readers.add(reader);
        return () => this.#readers.delete(reader);
      },
      trimOlder: () => {
        if (this.#readers.size > 0 || this.#loaded <= this.keeps) return;
        this.#loaded = this.keeps;
        this.#tell();
      },
      loadOlder: async () => {
        await new Promise((done) => requestAnimationFrame(done));
        this.older();
      },
      preview: () => (this.preview ? Promise.resolve(this.preview) : Promise.reject(new Error('no host'))),
      // As an earlier host, so that the page sends a command, which tests answer.
      query: () => Promise.reject(new ClientError('INVALID_MESSAGE', 'an unknown message')),

      wake: () => {
        this.woken += 1;
      },
      release: () => undefined,
    };
  }

  #entry(id: string): Cell<Entry | undefined> {
    const known = this.#entries.get(id);
    if (known) return known;
    const cell = new Cell(entryById(this.#state, id));
    this.#entries.set(id, cell);
    return cell;
  }

  /** The entries by id, made once per state. */
  #byId(): ReadonlyMap<string, Entry> {
    if (this.#known?.state !== this.#state) {
      const entries = [...entriesFrom(this.#state.entries)];
      this.#known = { state: this.#state, byId: new Map(entries.map((entry) => [entry.id, entry])) };
    }
    return this.#known.byId;
  }

  #send(command: Command) {
    this.sent.push(command);
    this.#pending = [...this.#pending, command];
    return new Promise<Receipt>((resolve, reject) => {
      const run = () => {
        this.#pending = this.#pending.filter((other) => other !== command);
        const fault = this.fault.get();
        if (fault) {
          this.#tell();
          reject(fault);
          return;
        }
        const { changes, refusal } = decide(this.#state, command);
        if (changes) this.emit(...changes);
        else this.#tell();
        if (refusal) reject(refusalError(refusal));
        else resolve({ type: 'receipt', command: command.id, v: this.#state.v });
      };
      if (this.isHolding) {
        this.#held.push(run);
        this.#tell();
      } else run();
    });
  }

  #make(): ChannelView {
    const all = [...entriesFrom(this.#state.entries)].map(({ id }) => id);
    const order = all.slice(-this.#loaded);
    if (order.length !== this.#order.length || order.at(-1) !== this.#order.at(-1)) this.#order = order;
    return {
      phase: 'ready',
      conversation: this.#state,
      order: this.#order,
      hasOlder: all.length > order.length,
      pending: this.#pending,
    };
  }

  #tell(isNews = true): void {
    for (const [id, cell] of this.#entries) {
      const entry = entryById(this.#state, id);
      if (entry !== cell.get()) cell.set(entry);
    }
    this.#view.set(this.#make());
    if (isNews) this.#onChange();
  }
}

export interface FakeClient extends Client {
  readonly status: Cell<ConnectionStatus>;
  readonly deck: Cell<Deck | undefined>;
  readonly requests: unknown[];
  /** The error code for the next requests. */
  refuses: 'PROJECT_UNTRUSTED' | undefined;
  host(session: string): FakeHost;
}

const UNANSWERED = { state: undefined, isLost: false, fault: undefined, opened: 0 };

export function createFakeClient(): FakeClient {
  const deck = new Cell<Deck | undefined>(sampleDeck());
  const status = new Cell<ConnectionStatus>({ state: 'online', attempt: 0 });
  const hosts = new Map<string, FakeHost>();
  const drafts = new Map<string, string>();
  const requests: unknown[] = [];
  const host = (session: string): FakeHost => {
    const known = hosts.get(session);
    if (known) return known;
    const made = new FakeHost(session, () => {
      const now = deck.get();
      if (!now) return;
      const sessions = now.sessions.map((row) =>
        row.id === session ? { ...row, summary: summarize(made.state) } : row,
      );
      deck.set({ ...now, sessions });
    });
    hosts.set(session, made);
    // Created on first use: most pages never need it.
    if (session === 'long')
      made.sayMany(Number(new URLSearchParams(location.search).get('entries') ?? 10_000));
    return made;
  };
  const client: FakeClient = {
    deck,
    status,
    refuses: undefined,
    requests,
    requestedProject: new Cell(undefined),
    layout: new Cell({ text: undefined }),
    choices: new Cell(undefined),
    keys: new Cell({ keys: {} }),
    limited: new Cell<boolean | undefined>(undefined),
    canPush: new Cell(false),
    faults: new Cell({ count: 0 }),
    host,
    // Areas stay as they are before the server answers.
    openArea: (_area, about) => ({
      about,
      view: { get: () => UNANSWERED, subscribe: () => () => undefined },
      onEvent: () => () => undefined,
      onOpen: () => () => undefined,
      onBytes: () => () => undefined,
      sendBytes: () => false,
      call: () => Promise.reject(new Error('the gallery has no areas')),
      close: () => undefined,
    }),
    request: async (request) => {
      // Sent by the page itself, not by the user, so not recorded.
      if (request.type !== 'session.seen' && request.type !== 'layout.save') requests.push(request);
      if (client.refuses) throw new ClientError(client.refuses, 'The configuration changed.');
      if (request.type === 'project.add' && request.path === '/nowhere') {
        throw new Error('Can’t read this folder.');
      }
      const now = deck.get();
      if (request.type === 'session.create' && now) {
        const { session: id, project, agent } = request;
        const row = {
          id,
          project,
          agent,
          title: '',
          createdAt: Date.now(),
          activeAt: Date.now(),
          archived: false,
          live: true,
        };
        deck.set({ ...now, sessions: [...now.sessions, row] });
      }
    },
    conversation: (session) => host(session).channel(),
    draft: (session) => drafts.get(session) ?? sessionStorage.getItem(session) ?? '',
    saveDraft: (session, text) => {
      drafts.set(session, text);
      sessionStorage.setItem(session, text);
    },
    reconnect: () => status.set({ state: 'online', attempt: 0 }),
    checkConnection: () => undefined,
    dispose: () => undefined,
  };
  return client;
}
