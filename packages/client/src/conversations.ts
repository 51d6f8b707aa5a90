/**
 * The sessions this page holds, each on a channel of the current link. Owns reference counts, channel
 * numbers and who gets which message; knows nothing of what the messages say.
 */
import type { HostMessage, HostRequestInput } from '@tugdeck/protocol/wire/host-link';
import type { PageCache } from './cache.ts';
import { ClientError, codedError } from './client-error.ts';
import type { Clock } from './clock.ts';
import { ChannelController, type ConversationChannel } from './conversation-channel.ts';
import type { DeckRequests } from './deck-requests.ts';
import type { FrameQueue } from './store.ts';
import type { StoredCommands } from './stored-commands.ts';

interface HeldChannel {
  readonly channel: ChannelController;
  holders: number;
  /** Its number on this link. Never used twice, so late messages of a closed one find nobody. */
  number: number | undefined;
  cancelClose: () => void;
}

export interface ConversationsOptions {
  readonly requests: DeckRequests;
  readonly isReady: () => boolean;
  /** A number never used before on this page. */
  readonly nextChannel: () => number;
  readonly send: (channel: number, request: HostRequestInput) => boolean;
  readonly queue: FrameQueue;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly fault: (why: string) => void;
  readonly cache: PageCache | undefined;
  readonly storedCommands: StoredCommands;
}

/** A view that is taken down and built again at once finds its session as it was. */
const LINGER_MS = 1_000;

export class Conversations {
  readonly #options: ConversationsOptions;
  readonly #held = new Map<string, HeldChannel>();
  readonly #routes = new Map<number, HeldChannel>();

  constructor(options: ConversationsOptions) {
    this.#options = options;
  }

  hold(session: string): ConversationChannel {
    const held = this.#held.get(session) ?? this.#create(session);
    held.holders++;
    held.cancelClose();
    return held.channel;
  }

  /** Delivers what an earlier page could not, whether or not its cards are open. */
  deliverStored(): void {
    for (const session of this.#options.storedCommands.sessions()) this.hold(session).release();
  }

  online(): void {
    for (const held of this.#held.values()) this.#open(held);
  }

  lost(): void {
    for (const held of this.#held.values()) this.#detach(held);
  }

  receive(number: number, messages: readonly HostMessage[], broken: number): void {
    this.#routes.get(number)?.channel.receive(messages, broken);
    if (messages.some((message) => message.type === 'error' && isClosed(message)))
      this.fail(number, codedError('CHANNEL_NOT_OPEN', 'No session is open on this channel.'));
  }

  /** The server says something of a channel, outside of its conversation. */
  fail(number: number, error: ClientError): void {
    const held = this.#routes.get(number);
    if (!held) return;
    if (!isClosed(error)) held.channel.report(error);
    else {
      this.#detach(held);
      this.#open(held);
    }
  }

  /** The deck names these sessions: one that was missing may be there now. */
  listed(sessions: readonly string[]): void {
    for (const session of sessions) {
      const held = this.#held.get(session);
      if (held?.channel.isMissing && held.number === undefined) this.#open(held);
    }
  }

  dispose(): void {
    for (const held of this.#held.values()) {
      held.cancelClose();
      held.channel.dispose();
    }
    this.#held.clear();
    this.#routes.clear();
  }

  #create(session: string): HeldChannel {
    const { queue, clock, newId, cache, storedCommands: kept, fault } = this.#options;
    const channel = new ChannelController({
      session,
      queue,
      now: clock.now,
      newId,
      release: () => this.#release(held),
      isRestoring: cache !== undefined,
      onChange: () => cache?.saveWindow(session, () => channel.confirmed),
      onWaiting: (waiting) => kept.save(session, waiting),
    });
    channel.restoreCommands(kept.load(session), (error) => fault(`kept command: ${String(error)}`));
    cache?.window(session).then((state) => channel.restore(state), fault);
    const held: HeldChannel = { channel, holders: 0, number: undefined, cancelClose: () => undefined };
    this.#held.set(session, held);
    this.#open(held);
    return held;
  }

  #open(held: HeldChannel): void {
    const { requests, isReady, nextChannel, send } = this.#options;
    if (!isReady() || held.number !== undefined) return;
    const number = nextChannel();
    held.number = number;
    this.#routes.set(number, held);
    requests
      .send({ type: 'channel.open', channel: number, session: held.channel.session }, { persistent: false })
      .then(
        () => {
          if (held.number === number) held.channel.attach((request) => send(number, request));
        },
        (error: unknown) => {
          if (held.number !== number) return;
          this.#detach(held);
          held.channel.report(error as ClientError);
          // Nobody looks at it and nothing will ever take what waits for it.
          if (held.holders === 0 && held.channel.isMissing) held.channel.failCommands(error as ClientError);
        },
      );
  }

  #detach(held: HeldChannel): void {
    if (held.number !== undefined) this.#routes.delete(held.number);
    held.number = undefined;
    held.channel.detach();
  }

  #release(held: HeldChannel): void {
    if (held.holders === 0) return;
    held.holders--;
    if (held.holders === 0) this.#closeSoon(held);
  }

  #closeSoon(held: HeldChannel): void {
    held.cancelClose();
    held.cancelClose = this.#options.clock.after(LINGER_MS, () => this.#close(held));
  }

  #close(held: HeldChannel): void {
    if (held.holders > 0) return;
    if (held.channel.isBusy) {
      // What the user sent is not given up because its card was closed.
      this.#closeSoon(held);
      return;
    }
    const { number, channel } = held;
    this.#held.delete(channel.session);
    if (number !== undefined) {
      this.#routes.delete(number);
      this.#options.requests
        .send({ type: 'channel.close', channel: number }, { persistent: false })
        .catch((error: unknown) => {
          const isGone = error instanceof ClientError && error.code === 'CONNECTION_LOST';
          if (!isGone) this.#options.fault(`channel.close: ${String(error)}`);
        });
    }
    channel.dispose();
  }
}

function isClosed({ code }: { readonly code: ClientError['code'] }): boolean {
  return code === 'CHANNEL_NOT_OPEN';
}
