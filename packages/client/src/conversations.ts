/**
 * The conversations open in this page, each on a channel of the current link. Owns reference counts, channel
 * numbers and routing; does not interpret messages.
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
  /** Its channel number on this link. Never reused, so late messages of a closed channel are dropped. */
  number: number | undefined;
  /** The deck listed it since its channel was requested: a reply that it is missing is out of date. */
  isListed: boolean;
  cancelClose: () => void;
}

export interface ConversationsOptions {
  readonly requests: DeckRequests;
  readonly isReady: () => boolean;
  /** A channel number not used before by this page. */
  readonly nextChannel: () => number;
  readonly send: (channel: number, request: HostRequestInput) => boolean;
  readonly queue: FrameQueue;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly fault: (why: string) => void;
  readonly cache: PageCache | undefined;
  readonly storedCommands: StoredCommands;
}

/** A view that is unmounted and mounted again at once finds its session unchanged. */
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

  /** Delivers the commands an earlier page could not, whether or not their cards are open. */
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

  /** Handles a server error about a channel. */
  fail(number: number, error: ClientError): void {
    const held = this.#routes.get(number);
    if (!held) return;
    if (!isClosed(error)) held.channel.report(error);
    else {
      this.#detach(held);
      this.#open(held);
    }
  }

  /** Reopens missing sessions that are now in the deck. */
  listed(sessions: readonly string[]): void {
    for (const session of sessions) {
      const held = this.#held.get(session);
      if (!held) continue;
      if (held.channel.isMissing && held.number === undefined) this.#open(held);
      else held.isListed = true;
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
    const held: HeldChannel = {
      channel,
      holders: 0,
      number: undefined,
      isListed: false,
      cancelClose: () => undefined,
    };
    this.#held.set(session, held);
    this.#open(held);
    return held;
  }

  #open(held: HeldChannel): void {
    const { requests, isReady, nextChannel, send } = this.#options;
    if (!isReady() || held.number !== undefined) return;
    const number = nextChannel();
    held.number = number;
    held.isListed = false;
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
          if (held.channel.isMissing && held.isListed) {
            this.#open(held);
            return;
          }
          // No view holds it, and its pending commands can never be delivered.
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
      // Closing the card must not drop what the user sent.
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
