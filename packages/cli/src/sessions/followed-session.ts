/**
 * One session followed from the command line (`talk`, `send`): keeps a link to its host, reconnecting if needed, and
 * projects every host message onto the stdio protocol. Unacknowledged commands are sent again with the same id.
 */
import { readBlob } from '@tugdeck/journal/blobs';
import { RESTART_BUDGET, withTimings } from '@tugdeck/local/timings';
import { connectHost, type HostConnection } from '@tugdeck/machine/hosts/host-connection';
import type { Command } from '@tugdeck/protocol/conversation/commands';
import type { LongText } from '@tugdeck/protocol/conversation/long-text';
import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import type { OutboundMessage } from '@tugdeck/protocol/stdio/messages';
import {
  createProjection,
  firstRequest,
  isIdle,
  type Projection,
  project,
} from '@tugdeck/protocol/stdio/projection';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { HostMessage, Receipt } from '@tugdeck/protocol/wire/host-link';
import type { Context } from '../commands/context.ts';
import { openSession, type SessionTarget } from './open-session.ts';

export interface FollowedEvents {
  messages(messages: readonly OutboundMessage[]): void;
  /** After every message, once the state is updated. */
  changed?(): void;
  receipt?(receipt: Receipt): void;
  /** The host has ended and is not started again. */
  failed(error: unknown): void;
}

export class FollowedSession {
  readonly #context: Context;
  readonly #events: FollowedEvents;
  readonly #unacknowledged = new Map<string, Command>();
  #target: SessionTarget;
  #link: Promise<HostConnection> | undefined;
  #reconnects = 0;
  #closed = false;
  projection: Projection;
  /** We started the host, and no server manages it. */
  isUnmanaged = false;
  /** Set while a prompt waits for a slot (D40). */
  slot: Summary['slot'];

  constructor(context: Context, target: SessionTarget, texts: Projection['texts'], events: FollowedEvents) {
    this.#context = context;
    this.#target = target;
    this.#events = events;
    const { session } = target;
    const resolve = longTexts(context, session);
    this.projection = createProjection({ session, texts, resolve }, target.directory !== undefined);
  }

  /** Nothing runs, and every command is acknowledged. */
  get isIdle(): boolean {
    return this.#unacknowledged.size === 0 && isIdle(this.projection);
  }

  /** Starts the host and its agent if needed. */
  async open(): Promise<HostConnection> {
    this.#link ??= this.#connect();
    return this.#link;
  }

  async command(command: Command): Promise<void> {
    this.#unacknowledged.set(command.id, command);
    const isLinked = this.#link !== undefined;
    const link = await this.open();
    // A new link has already sent it with the others.
    if (isLinked) link.send({ type: 'command', command });
  }

  async pause(): Promise<void> {
    (await this.#link)?.pause();
  }

  async resume(): Promise<void> {
    (await this.#link)?.resume();
  }

  /** Disconnects from the host, which keeps running. */
  async close(): Promise<void> {
    this.#closed = true;
    try {
      (await this.#link)?.close();
    } catch (error) {
      this.#context.note(`tugdeck: ${(error as Error).message}`);
    }
  }

  /** A host may die between lookup and connect. Then try once more. */
  async #connect(): Promise<HostConnection> {
    try {
      return await this.#openLink();
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'HOST_UNAVAILABLE') throw error;
      return this.#openLink();
    }
  }

  async #openLink(): Promise<HostConnection> {
    const { configuration } = this.#context.settings;
    const { address, isUnmanaged, isFull } = await openSession(this.#context, this.#target);
    this.#target = { session: this.#target.session };
    this.isUnmanaged ||= isUnmanaged;
    const link = await connectHost(
      address,
      {
        received: (batch) => {
          for (const message of batch) this.#received(link, message);
        },
        unreadable: (problem) => this.#context.note(`tugdeck: invalid message from the host: ${problem}`),
        closed: () => this.#linkClosed(),
      },
      withTimings(configuration.timings).hostStartMs,
    );
    link.send(firstRequest(this.projection));
    link.send({ type: 'watch', slots: 'show' });
    if (!isFull) link.send({ type: 'wake' });
    for (const command of this.#unacknowledged.values()) link.send({ type: 'command', command });
    return link;
  }

  #received(link: HostConnection, message: HostMessage): void {
    const projected = project(this.projection, message);
    this.projection = projected.projection;
    if (message.type === 'changes') this.#reconnects = 0;
    for (const request of projected.requests) link.send(request);
    if (projected.messages.length > 0) this.#events.messages(projected.messages);
    if (message.type === 'receipt') {
      this.#unacknowledged.delete(message.command);
      this.#events.receipt?.(message);
    }
    if (message.type === 'summary') this.slot = message.summary.slot;
    if (message.type === 'error' && message.command !== undefined) {
      this.#unacknowledged.delete(message.command);
    }
    this.#events.changed?.();
  }

  /** An idle host may exit. One with unfinished work is reopened a few times. */
  #linkClosed(): void {
    this.#link = undefined;
    if (this.#closed || this.isIdle) return;
    this.#reconnects += 1;
    const again =
      this.#reconnects > RESTART_BUDGET
        ? Promise.reject(new Error('The session host crashed several times in a row.'))
        : this.open();
    again.catch((error: unknown) => this.#events.failed(error));
  }
}

export function longTexts({ settings }: Context, session: string): (text: LongText) => string {
  const directory = settings.data.session(session);
  return (text) => {
    if (typeof text === 'string') return text;
    return readBlob(directory, text.blob)?.toString('utf8') ?? `${text.head}…${text.tail}`;
  };
}
