/**
 * One session as views see it: confirmed state, pending commands and live text combined into a `ChannelView`,
 * published once per frame. Owns the pending commands; the replica owns the confirmed state, the connection the
 * socket. The client attaches it to a channel of the current link.
 */
import { type Command, MAX_PROMPT } from '@tugdeck/protocol/conversation/commands';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import type { RestorePreview } from '@tugdeck/protocol/conversation/restore';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import type { HostMessage, HostRequestInput, Query, Receipt } from '@tugdeck/protocol/wire/host-link';
import { type ClientError, codedError, disposedError, tooLargeError } from './client-error.ts';
import { EntryOrder } from './entry-order.ts';
import { EntryReadables } from './entry-readables.ts';
import { type HostAnswer, HostAnswers } from './host-answers.ts';
import { Outbox, type PendingCommand } from './outbox.ts';
import { predict } from './prediction.ts';
import { SessionReplica } from './session-replica.ts';
import { createCell, type FrameQueue, Listeners, type Readable } from './store.ts';

export interface ChannelView {
  readonly phase: 'loading' | 'ready' | 'missing';
  /** Confirmed plus predicted. */
  readonly conversation: Conversation;
  /**
   * Ids of the visible entries of the loaded window, in order, predicted ones last, with those of subagents. The
   * same array while nothing was added or removed.
   */
  readonly order: readonly string[];
  readonly hasOlder: boolean;
  /** Commands that the host has not acknowledged. */
  readonly pending: readonly Command[];
}

type WithoutId<C> = C extends unknown ? Omit<C, 'id'> & { readonly id?: string } : never;
/** A command; gets an id unless it has one. */
export type CommandInput = WithoutId<Command>;

export interface ConversationChannel {
  readonly session: string;
  /** Notifies at most once per animation frame. */
  readonly view: Readable<ChannelView>;
  /** The last error that is not the reply to a command; cleared when the session continues. */
  readonly fault: Readable<ClientError | undefined>;
  /** Notifies only when that entry changed, at most once per frame. */
  entry(id: string): Readable<Entry | undefined>;
  /** The loaded entry as of the last notification, in constant time. */
  find(id: string): Entry | undefined;
  /** Resolves with the receipt, rejects with a ClientError. Resent with the same id after a reconnect. */
  send(command: CommandInput): Promise<Receipt>;
  /** Asks the host what a restore to a message, or the undo of a restore, would do (T11). Changes nothing. */
  preview(of: PreviewInput): Promise<RestorePreview>;
  /**
   * Reads something from the agent by one of its controls; nothing is added to the conversation. May be repeated after
   * a reconnect. Rejects with INVALID_MESSAGE if an earlier server or host does not know queries.
   */
  query(what: Query, input: Readonly<Record<string, unknown>>): Promise<HostAnswer<'answer'>>;
  loadOlder(): Promise<void>;
  /** Keeps older entries in memory until the returned function is called. */
  retainOlder(): () => void;
  /** Drops entries far above the end; `loadOlder` brings them back. For views that follow the end. */
  trimOlder(): void;
  /** Starts the agent in advance, because the composer has focus. */
  wake(): void;
  release(): void;
}

export type PreviewInput = Omit<Extract<HostRequestInput, { type: 'preview' }>, 'type' | 'id'>;

/** Sends to the host over the current link; `false` when the request is too large. */
export type ChannelPort = (request: HostRequestInput) => boolean;

export interface ChannelOptions {
  readonly session: string;
  readonly queue: FrameQueue;
  readonly now: () => number;
  readonly newId: () => string;
  readonly release: () => void;
  /** Whether `restore` will be called. */
  readonly isRestoring?: boolean;
  /** Called when the confirmed state changed. */
  readonly onChange?: () => void;
  /** Called when the set of unacknowledged commands changed. */
  readonly onWaiting?: (waiting: readonly PendingCommand[]) => void;
}

/** Errors of starting or reaching an agent; the conversation stays readable. */
const HOST_ERRORS: ReadonlySet<ClientError['code']> = new Set([
  'AGENT_UNAVAILABLE',
  'AGENT_PROTOCOL_ERROR',
  'HOST_UNAVAILABLE',
  'HOST_VERSION',
]);

/** Where requests go. `wantsWake`: the agent is to be started as soon as there is a link. */
type Link =
  | { readonly at: 'up'; readonly port: ChannelPort }
  | { readonly at: 'down'; readonly wantsWake: boolean };

/**
 * `restoring`: renders nothing until the cache is read, because pending prompts would appear alone and then move.
 * `missing`: the server does not know the session.
 */
type Presence = 'restoring' | 'known' | 'missing';

const DOWN: Link = { at: 'down', wantsWake: false };

export class ChannelController implements ConversationChannel {
  readonly session: string;
  readonly view: Readable<ChannelView>;
  readonly fault: Readable<ClientError | undefined>;
  readonly #options: ChannelOptions;
  readonly #fault;
  readonly #outbox = new Outbox();
  readonly #answers = new HostAnswers((request) => this.#request(request));
  readonly #entryOrder = new EntryOrder();
  readonly #entries = new EntryReadables((id) => this.#entryOrder.entry(id));
  readonly #listeners = new Listeners();
  readonly #readers = new Set<symbol>();
  readonly #replica: SessionReplica;
  readonly #flush = () => this.#render();
  #link: Link = DOWN;
  #presence: Presence;
  #publishedWaiting: readonly Command[] = [];
  #view: ChannelView = { phase: 'loading', conversation: EMPTY, order: [], hasOlder: false, pending: [] };

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.session = options.session;
    this.#presence = options.isRestoring ? 'restoring' : 'known';
    this.#replica = new SessionReplica({
      request: (request) => this.#request(request),
      now: options.now,
    });
    this.#fault = createCell<ClientError | undefined>(undefined, options.queue);
    this.fault = this.#fault;
    this.view = {
      get: () => this.#view,
      subscribe: (listener) => this.#listeners.add(listener),
    };
  }

  /** Whether disposing this would lose a command. */
  get isBusy(): boolean {
    return this.#outbox.waiting.length > 0;
  }

  get isMissing(): boolean {
    return this.#presence === 'missing';
  }

  /** The confirmed state; undefined while nothing is known. */
  get confirmed(): Conversation | undefined {
    return this.#replica.loaded && !this.isMissing ? this.#replica.state : undefined;
  }

  /** Shows the cached state until the host answers, which then sends only what is new. */
  restore(state: Conversation | undefined): void {
    if (this.#presence === 'restoring') this.#presence = 'known';
    if (state) this.#replica.restore(state);
    // Renders at once: the page may be waiting for this to show its first frame.
    this.#render();
  }

  /** Adds the commands that an earlier page could not deliver. */
  restoreCommands(kept: readonly PendingCommand[], fail: (error: unknown) => void): void {
    for (const { command, at } of kept) this.#outbox.add(command, at).catch(fail);
    this.#publishedWaiting = this.#outbox.waiting;
    this.#changed();
  }

  entry(id: string): Readable<Entry | undefined> {
    return this.#entries.entry(id);
  }

  find(id: string): Entry | undefined {
    return this.#entryOrder.entry(id);
  }

  send(input: CommandInput): Promise<Receipt> {
    // Server and host validate commands; here the compiler does. Only a user can make one too long.
    if ('text' in input && input.text.length > MAX_PROMPT) return Promise.reject(tooLargeError());
    const command = { ...input, id: input.id ?? this.#options.newId() } as Command;
    const isNew = !this.#outbox.pending.some((pending) => pending.command.id === command.id);
    const answer = this.#outbox.add(command, this.#options.now());
    if (isNew) this.#sendCommand(command);
    this.#changed();
    return answer;
  }

  async preview(of: PreviewInput): Promise<RestorePreview> {
    const id = this.#options.newId();
    return (await this.#answers.request<'preview'>(id, { type: 'preview', id, ...of })).preview;
  }

  query(what: Query, input: Readonly<Record<string, unknown>>): Promise<HostAnswer<'answer'>> {
    const id = this.#options.newId();
    return this.#answers.request(id, { type: 'query', command: { id, what, input } });
  }

  loadOlder(): Promise<void> {
    return this.#replica.loadOlder();
  }

  retainOlder(): () => void {
    const reader = Symbol('reader');
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  trimOlder(): void {
    if (this.#readers.size > 0) return;
    this.#replica.trimOlder();
    this.#changed();
  }

  wake(): void {
    if (this.#link.at === 'up') this.#link.port({ type: 'wake' });
    else this.#link = { at: 'down', wantsWake: true };
  }

  release(): void {
    this.#options.release();
  }

  /** The link is up and the server has opened this session on it. */
  attach(port: ChannelPort): void {
    const isWanted = this.#link.at === 'down' && this.#link.wantsWake;
    this.#link = { at: 'up', port };
    if (this.isMissing) this.#presence = 'known';
    this.#fault.set(undefined);
    this.#replica.connected();
    if (isWanted) port({ type: 'wake' });
    this.#sendWaiting();
    this.#answers.resend();
    this.#changed();
  }

  detach(): void {
    if (this.#link.at === 'up') this.#link = DOWN;
    this.#replica.disconnected();
  }

  /** Reports an error that is not the reply to a command. */
  report(error: ClientError): void {
    if (error.code === 'SESSION_NOT_FOUND') this.#presence = 'missing';
    if (!HOST_ERRORS.has(error.code)) this.#replica.fail(error);
    this.#fault.set(error);
    this.#changed();
  }

  failCommands(error: ClientError): void {
    this.#outbox.failAll(error);
    this.#answers.failAll(error);
    this.#changed();
  }

  dispose(): void {
    this.detach();
    this.#outbox.failAll(disposedError());
    this.#answers.failAll(disposedError());
    this.#replica.fail(disposedError());
  }

  receive(messages: readonly HostMessage[], broken: number): void {
    for (const message of messages) this.#receiveOne(message);
    if (broken > 0) {
      this.#replica.repair();
      this.#sendWaiting();
    }
    this.#outbox.confirmUpTo(this.#replica.state.v);
    this.#changed();
    this.#options.onChange?.();
  }

  #receiveOne(message: HostMessage): void {
    switch (message.type) {
      case 'changes':
      case 'live':
      case 'entries':
        this.#replica.receive(message);
        // The host could write again, so the disk is no longer full.
        if (message.type === 'changes' && message.changes.length > 0) this.#clear('DATA_UNWRITABLE');
        return;
      case 'snapshot':
        this.#replica.receive(message);
        // A snapshot is complete: every acknowledged command is included.
        this.#outbox.confirmUpTo(Number.POSITIVE_INFINITY);
        return;
      case 'behind':
        this.#replica.receive(message);
        // Receipts may have been dropped; resending is harmless.
        this.#sendWaiting();
        return;
      case 'receipt':
        this.#outbox.settle(message);
        this.#fault.set(undefined);
        return;
      case 'error': {
        const error = codedError(message.code, message.message, message.hint);
        if (message.command === undefined) this.report(error);
        else if (!this.#answers.fail(message.command, error)) this.#outbox.fail(message.command, error);
        return;
      }
      case 'preview':
      case 'answer':
        this.#answers.settle(message);
        return;
      case 'protocol_ack':
      case 'summary':
        return;
    }
  }

  #clear(code: ClientError['code']): void {
    if (this.#fault.get()?.code === code) this.#fault.set(undefined);
  }

  #sendWaiting(): void {
    for (const command of this.#outbox.waiting) this.#sendCommand(command);
  }

  #sendCommand(command: Command): void {
    if (this.#request({ type: 'command', command }) === false) this.#outbox.fail(command.id, tooLargeError());
  }

  /** `false` if it is too large; undefined without a link. */
  #request(request: HostRequestInput): boolean | undefined {
    return this.#link.at === 'up' ? this.#link.port(request) : undefined;
  }

  #changed(): void {
    const { waiting, pending } = this.#outbox;
    if (waiting !== this.#publishedWaiting) {
      this.#publishedWaiting = waiting;
      this.#options.onWaiting?.(pending.filter(({ command }) => waiting.includes(command)));
    }
    this.#options.queue.schedule(this.#flush);
  }

  #render(): void {
    const { state, loaded, hasOlder } = this.#replica;
    if (this.#presence === 'restoring' && !loaded) return;
    const before = this.#view;
    const conversation = predict(state, this.#outbox.pending, before.conversation);
    const changed = this.#entryOrder.update(conversation);
    const phase = this.isMissing ? 'missing' : loaded ? 'ready' : 'loading';
    const view = {
      phase,
      conversation,
      order: this.#entryOrder.order,
      hasOlder,
      pending: this.#outbox.waiting,
    } as const;
    this.#entries.notify(changed);
    if (isSameView(before, view)) return;
    this.#view = view;
    this.#listeners.notify();
  }
}

function isSameView(a: ChannelView, b: ChannelView): boolean {
  return (
    a.phase === b.phase &&
    a.conversation === b.conversation &&
    a.order === b.order &&
    a.hasOlder === b.hasOlder &&
    a.pending === b.pending
  );
}
