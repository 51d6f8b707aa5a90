/**
 * One page's channel to one session. Relays between the page and the session's host, or answers from the journal
 * while no host runs. Survives a host's death: commands that no host acknowledged are sent again under the same id
 * (M4).
 */
import type { SessionDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import { errorLine } from '@tugdeck/protocol/wire/error-line';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import type { HostMessage, HostRequest } from '@tugdeck/protocol/wire/host-link';
import {
  connectHost,
  type HostAddress,
  type HostConnection,
  type RelayedLine,
} from '../hosts/host-connection.ts';
import { LIMITS } from '../limits.ts';
import type { PageChannel, PageRequest } from '../port.ts';
import { answerFromJournal, type ReadRequest, receiptsFromJournal } from './journal-answers.ts';

/** The part of the host pool that a channel uses. */
export interface ChannelHosts {
  find(session: string): Promise<HostAddress | undefined>;
  ensure(session: string): Promise<HostAddress>;
  respawn(session: string): Promise<HostAddress>;
  probe(session: string): Promise<void>;
  readonly slots: { hasRoom(session: string): boolean };
}

export interface ChannelOptions {
  readonly session: string;
  readonly directory: SessionDirectory;
  readonly hosts: ChannelHosts;
  readonly connectMs: number;
  readonly log: Log;
  /** Sends JSON messages to the page; one call becomes one frame if it fits. */
  readonly send: (messages: readonly string[]) => void;
}

/** Answered by the host, under an id. */
type AnsweredRequest = Extract<HostRequest, { type: 'command' | 'preview' | 'query' }>;
type FollowRequest = Extract<HostRequest, { type: 'follow' }>;
type EntriesRequest = Extract<HostRequest, { type: 'entries' }>;

/** A channel that follows the session's host. */
export interface HostedChannel extends Omit<PageChannel, 'opened'> {
  readonly session: string;
  hostChanged(fault?: CodedError): void;
}

/** The source of the page's messages. */
type Source =
  /** `owes`: the link to the host broke, so a new host or the journal must send what the page still expects. */
  | { readonly from: 'journal'; readonly owes: boolean }
  | { readonly from: 'host'; readonly link: HostConnection }
  | { readonly from: 'closed' };

export class SessionChannel implements HostedChannel {
  readonly #options: ChannelOptions;
  readonly #outstanding = new Map<string, AnsweredRequest>();
  /** Requested pages of entries that the host has not sent yet, in order. */
  #pendingPages: EntriesRequest[] = [];
  #source: Source = { from: 'journal', owes: false };
  /** Set while the page follows: the last version that it was sent. */
  #followed: { v: number | undefined } | undefined;
  /** Why the last host's unfinished work was not resumed. */
  #fault: CodedError | undefined;
  #isPaused = false;
  /** Requests and host changes run one after another. */
  #queue: Promise<void> = Promise.resolve();
  #refusals: Promise<void> = Promise.resolve();
  #queued = 0;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  get session(): string {
    return this.#options.session;
  }

  request(request: PageRequest): void {
    const command = answeredId(request);
    if (this.#queued >= LIMITS.waitingRequests) {
      // Refusals keep their order too, but do not wait behind queued requests.
      this.#refusals = this.#refusals.then(() => this.#fail(new CodedError('TOO_MANY'), command));
      return;
    }
    this.#queued++;
    this.#enqueue(async () => {
      this.#queued--;
      try {
        await this.#handle(request);
      } catch (error) {
        await this.#fail(error, command);
      }
    });
  }

  /** Called by the pool when a host started, or when one ended and was not replaced. */
  hostChanged(fault?: CodedError): void {
    this.#fault = fault ?? this.#fault;
    this.#enqueue(async () => {
      await this.#recover();
      this.#reportFault();
    });
  }

  pause(): void {
    this.#isPaused = true;
    this.#link?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#link?.resume();
  }

  close(): void {
    this.#link?.close();
    this.#source = { from: 'closed' };
    this.#outstanding.clear();
  }

  get #link(): HostConnection | undefined {
    return this.#source.from === 'host' ? this.#source.link : undefined;
  }

  get #isClosed(): boolean {
    return this.#source.from === 'closed';
  }

  #enqueue(step: () => Promise<void>): void {
    this.#queue = this.#queue.then(async () => {
      if (this.#isClosed) return;
      try {
        await step();
      } catch (error) {
        this.#options.log.warn('channel', { session: this.session, ...reportOf(error) });
      }
    });
  }

  async #handle(request: PageRequest): Promise<void> {
    switch (request.type) {
      case 'follow':
        this.#followed = { v: request.v };
        if (!this.#link) await this.#attachIfLive();
        if (this.#link) this.#link.send(request);
        else await this.#answer(request);
        return;
      case 'entries':
      case 'text':
        if (!this.#link) return this.#answer(request);
        if (request.type === 'entries') this.#pendingPages.push(request);
        return this.#link.send(request);
      case 'wake':
        if (!this.#options.hosts.slots.hasRoom(this.session)) return;
        (await this.#ensureHost()).send(request);
        return;
      case 'preview':
      case 'query':
      case 'command':
        if (this.#outstanding.size >= LIMITS.outstandingCommands) throw new CodedError('TOO_MANY');
        this.#outstanding.set(answeredId(request) ?? '', request);
        if (this.#link) this.#link.send(request);
        else await this.#ensureHost();
        return;
    }
  }

  async #answer(request: ReadRequest): Promise<void> {
    const { lines, v } = await answerFromJournal(this.#options.directory, request);
    if (v !== undefined) this.#sentVersion(v);
    this.#send(lines);
  }

  async #ensureHost(): Promise<HostConnection> {
    if (!this.#link) await this.#attachWithRetry(await this.#options.hosts.ensure(this.session));
    if (!this.#link) throw new CodedError('HOST_UNAVAILABLE');
    return this.#link;
  }

  /** Continues the page's feed after a host change, from the new host or from the journal. */
  async #recover(): Promise<void> {
    if (this.#source.from !== 'journal') return;
    const { owes } = this.#source;
    if (!this.#followed && !owes) return;
    const { hosts } = this.#options;
    try {
      const found = await hosts.find(this.session);
      const address = found ?? (this.#outstanding.size > 0 ? await hosts.respawn(this.session) : undefined);
      if (address) return await this.#attachWithRetry(address);
    } catch (error) {
      await this.#failOutstanding(error);
    }
    if (!owes || this.#isClosed) return;
    this.#source = { from: 'journal', owes: false };
    if (this.#followed) await this.#answer(this.#followRequest(this.#followed));
    for (const request of this.#pendingPages.splice(0)) await this.#answer(request);
  }

  /** A page that watches abandoned work would otherwise wait forever. */
  #reportFault(): void {
    // The pool may learn of a death before our link closes.
    if (this.#link || !this.#fault) return;
    if (this.#followed) this.#send([errorLine(this.#fault)]);
    this.#fault = undefined;
  }

  /** Attaches without sending `follow`: the page's own request has the version to start from. */
  async #attachIfLive(): Promise<void> {
    const address = await this.#options.hosts.find(this.session);
    if (!address) return;
    try {
      await this.#attach(address, false);
    } catch (error) {
      // The host ended before we could connect. The journal has everything.
      this.#options.log.info('host not reached', { session: this.session, ...reportOf(error) });
    }
  }

  /** A host may die between lookup and connect. Then probe it and try once more. */
  async #attachWithRetry(address: HostAddress): Promise<void> {
    try {
      await this.#attach(address);
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'HOST_UNAVAILABLE') throw error;
      const { hosts } = this.#options;
      await hosts.probe(this.session);
      await this.#attach(await hosts.respawn(this.session));
    }
  }

  async #attach(address: HostAddress, follows = true): Promise<void> {
    if (this.#source.from !== 'journal') return;
    const { session, log, connectMs } = this.#options;
    const link: HostConnection = await connectHost(
      address,
      {
        relayed: (batch) => this.#relay(batch),
        unreadable: (problem) => log.warn('invalid message from host', { session, problem }),
        closed: () => this.#linkClosed(link),
      },
      connectMs,
    );
    if (this.#isClosed) return link.close();
    this.#source = { from: 'host', link };
    if (this.#isPaused) link.pause();
    this.#fault = undefined;
    if (follows && this.#followed) link.send(this.#followRequest(this.#followed));
    for (const request of [...this.#pendingPages, ...this.#outstanding.values()]) link.send(request);
  }

  #followRequest({ v }: { readonly v: number | undefined }): FollowRequest {
    return { type: 'follow', ...(v === undefined ? {} : { v }) };
  }

  #sentVersion(v: number | undefined): void {
    if (this.#followed && v !== undefined) this.#followed.v = v;
  }

  #linkClosed(link: HostConnection): void {
    if (this.#link !== link) return;
    this.#source = { from: 'journal', owes: true };
    void this.#options.hosts.probe(this.session).then(
      () => this.hostChanged(),
      (error: unknown) => this.#failOutstanding(error),
    );
  }

  #relay(batch: readonly RelayedLine[]): void {
    const lines: string[] = [];
    for (const relayed of batch) {
      if (relayed.message === undefined) this.#sentVersion(relayed.v);
      else if (!this.#passes(relayed.message)) continue;
      lines.push(relayed.line);
    }
    if (lines.length > 0) this.#options.send(lines);
  }

  /** Records what the page has received. `false` if the message is for us. */
  #passes(message: HostMessage): boolean {
    switch (message.type) {
      case 'behind':
        if (this.#followed) this.#link?.send(this.#followRequest(this.#followed));
        return false;
      case 'snapshot':
        this.#sentVersion(message.snapshot.v);
        return true;
      case 'changes':
        this.#sentVersion(message.changes.at(-1)?.v);
        return true;
      case 'entries':
        this.#pendingPages.shift();
        return true;
      case 'receipt':
        this.#outstanding.delete(message.command);
        return true;
      case 'preview':
      case 'answer':
        this.#outstanding.delete(message.id);
        return true;
      case 'error':
        if (message.command) this.#outstanding.delete(message.command);
        return true;
      default:
        return true;
    }
  }

  async #fail(error: unknown, command: string | undefined): Promise<void> {
    if (command !== undefined) this.#outstanding.delete(command);
    if (!(error instanceof CodedError)) this.#options.log.error('channel', { session: this.session, error });
    if (command === undefined) this.#send([errorLine(error)]);
    else this.#send(await this.#outcomes(error, [command]));
  }

  async #failOutstanding(error: unknown): Promise<void> {
    const commands = [...this.#outstanding.keys()];
    this.#outstanding.clear();
    if (commands.length > 0) this.#send(await this.#outcomes(error, commands));
  }

  /** Receipts for commands that an earlier host journaled, errors for the others. */
  async #outcomes(error: unknown, commands: readonly string[]): Promise<string[]> {
    const { directory, log } = this.#options;
    const receipts = await receiptsFromJournal(directory, commands).catch((unread: unknown) => {
      log.warn('journal not read', { session: this.session, error: unread });
      return new Map<string, string>();
    });
    return commands.map((command) => receipts.get(command) ?? errorLine(error, command));
  }

  #send(lines: readonly string[]): void {
    if (!this.#isClosed) this.#options.send(lines);
  }
}

/** The id that the host's answer names. */
function answeredId(request: PageRequest): string | undefined {
  if (request.type === 'preview') return request.id;
  return 'command' in request ? request.command.id : undefined;
}
