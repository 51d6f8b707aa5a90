/**
 * One page on its socket: reads frames, manages channels, and answers every invalid message with a coded error
 * without closing (S2). While the page is too slow, its channels are paused (S3).
 */
import type { Log } from '@tugdeck/local/log';
import type { Timings } from '@tugdeck/local/timings';
import {
  type Channel,
  type DeckPush,
  isPageRequest,
  type Machine,
  type PageChannel,
  type PageRequest,
} from '@tugdeck/machine/port';
import {
  type DeckMessage,
  type DeckRequest,
  type Deck as DeckState,
  deckRequestSchema,
} from '@tugdeck/protocol/wire/deck';
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';
import { errorLine } from '@tugdeck/protocol/wire/error-line';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { FEED_BYTES } from '@tugdeck/protocol/wire/feeds';
import { FEED, type Frame, MAX_FRAME_OUT } from '@tugdeck/protocol/wire/frames';
import { hostRequestSchema } from '@tugdeck/protocol/wire/host-link';
import { problemOf } from '@tugdeck/protocol/wire/problem';
import { PAGE_VERSION } from '@tugdeck/protocol/wire/version';
import type { WebSocket } from 'ws';
import type { Deck } from '../deck/deck.ts';
import { PageFeeds } from '../feeds/page-feeds.ts';
import type { Limits } from '../limits.ts';
import { mayRequest, maySend } from './limited-device.ts';
import { openPageSocket, type PageSocket } from './page-socket.ts';
import { parseMessage } from './parse-message.ts';

export interface PageOptions {
  readonly deck: Deck;
  readonly build: string;
  readonly timings: Timings;
  readonly limits: Limits;
  readonly log: Log;
  readonly machine: Pick<Machine, 'openChannel' | 'openArea'>;
  /** The sign-in of this connection. */
  readonly signIn: string;
  /** It may only read and answer (N55). */
  readonly isLimited: boolean;
  /** Whether push messages can be sent to devices. */
  readonly canPush: boolean;
  /** The page sent something. */
  readonly used: () => void;
  readonly now: () => number;
  /** The project to show first; returned once. */
  readonly takeInitialProject: () => string | undefined;
  readonly closed: () => void;
}

/** Feeds that pages may write to, besides the deck and conversations. */
const FEEDS: ReadonlySet<number> = new Set([FEED.terminalIn, ...FEED_BYTES]);

export class PageConnection {
  readonly #options: PageOptions;
  readonly #socket: PageSocket;
  readonly #channels = new Map<number, { readonly session: string; readonly channel: PageChannel }>();
  readonly #feeds: PageFeeds;
  #deck: Channel | undefined;
  #sight: { readonly sessions: readonly string[]; readonly all?: boolean | undefined } = { sessions: [] };

  constructor(socket: WebSocket, options: PageOptions) {
    this.#options = options;
    this.#socket = openPageSocket(socket, options.limits, {
      frame: (frame) => this.#receive(frame),
      unreadable: (code, channel) => this.#refuse(code, channel),
      congested: () => {
        for (const channel of this.#deckAndChannels()) channel.pause();
        this.#feeds.pause();
      },
      drained: () => {
        for (const channel of this.#deckAndChannels()) channel.resume();
        this.#feeds.resume();
      },
      closed: () => this.#close(),
    });
    this.#feeds = new PageFeeds({
      openArea: (name, about, out) => options.machine.openArea(name, about, out),
      limits: options.limits,
      log: options.log,
      send: (feed, channel, payload) => this.#socket.send(feed, channel, payload),
      lost: (channel) => this.#refuse('CHANNEL_NOT_OPEN', channel),
      isCongested: () => this.#socket.congested,
      signIn: options.signIn,
    });
  }

  /** Whether the page is in front and shows the session. */
  hasInSight(session: string): boolean {
    return this.#sight.all === true || this.#sight.sessions.includes(session);
  }

  #receive(frame: Frame): void {
    const { feed, channel, payload } = frame;
    if (feed === FEED.deck && channel === 0) this.#receiveDeck(payload);
    else if (feed === FEED.conversationIn) this.#receiveConversation(channel, payload);
    else if (this.#feeds.receive(frame)) return;
    else if (FEEDS.has(feed)) this.#refuse('CHANNEL_NOT_OPEN', channel);
    else this.#refuse('INVALID_MESSAGE', channel, `Unknown feed: 0x${feed.toString(16)}.`);
  }

  #receiveDeck(payload: Uint8Array): void {
    this.#options.used();
    const value = parseMessage(payload, this.#options.limits.nesting);
    const parsed = deckRequestSchema.safeParse(value);
    if (!parsed.success) {
      const re = idOf(value);
      const message = problemOf(parsed.error);
      this.#send({ type: 'error', code: 'INVALID_MESSAGE', message, ...(re === undefined ? {} : { re }) });
      return;
    }
    this.#perform(parsed.data).then(
      () => this.#send({ type: 'done', re: parsed.data.id, ...this.#timeFor(parsed.data) }),
      (error: unknown) => {
        if (!(error instanceof CodedError)) this.#options.log.error('deck request', { error });
        this.#send({ type: 'error', re: parsed.data.id, ...reportOf(error) });
      },
    );
  }

  /** Sends our clock with a ping, because request proofs contain the time. */
  #timeFor({ type }: DeckRequest): { readonly now?: number } {
    return type === 'ping' ? { now: this.#options.now() } : {};
  }

  async #perform(request: DeckRequest): Promise<void> {
    if (this.#options.isLimited && !mayRequest(request)) throw new CodedError('DEVICE_LIMITED');
    switch (request.type) {
      case 'hello':
        return this.#openDeck();
      case 'ping':
        return;
      case 'page.sight':
        this.#sight = request;
        return;
      case 'channel.open':
        return this.#openChannel(request.channel, request.session);
      case 'feed.open':
        return this.#openFeed(request);
      case 'channel.close':
        if (this.#feeds.close(request.channel)) return;
        if (!this.#channels.has(request.channel)) throw new CodedError('CHANNEL_NOT_OPEN');
        this.#channels.get(request.channel)?.channel.close();
        this.#channels.delete(request.channel);
        return;
      default:
        return this.#options.deck.perform(request);
    }
  }

  #openDeck(): Promise<void> {
    this.#deck?.close();
    this.#deck = this.#options.deck.open(
      (push) => this.#pushDeck(push),
      (keys) => this.#send({ type: 'keys', ...keys }),
    );
    if (this.#socket.congested) this.#deck.pause();
    return this.#deck.opened;
  }

  #pushDeck(push: DeckPush): void {
    if (push.type === 'whole') this.#sendWelcome(push.deck);
    else this.#send(push);
  }

  #sendWelcome(whole: DeckState): void {
    const { deck, build, timings, isLimited, canPush } = this.#options;
    const layout = deck.layout();
    this.#send({
      type: 'welcome',
      version: PAGE_VERSION,
      build,
      deck: whole,
      drafts: isLimited ? {} : deck.drafts(),
      ...(layout === undefined ? {} : { layout }),
      choices: deck.choices(),
      keys: deck.keys(),
      timings: { reconnectMs: timings.reconnectMs, pulseMs: timings.pulseMs },
      ...(isLimited ? { limited: true } : {}),
      ...(canPush ? { push: true } : {}),
    });
    const project = this.#options.takeInitialProject();
    if (project !== undefined) this.#send({ type: 'show', project });
  }

  async #openChannel(number: number, session: string): Promise<void> {
    const known = this.#channels.get(number);
    if (known?.session === session) return known.channel.opened;
    if (known) throw new CodedError('INVALID_MESSAGE', 'This channel is already used for another session.');
    if (this.#feeds.has(number)) throw new CodedError('INVALID_MESSAGE', 'This channel is already in use.');
    this.#checkChannelLimit();
    const channel = this.#options.machine.openChannel(session, (messages) =>
      this.#sendToChannel(number, messages),
    );
    const opened = { session, channel };
    this.#channels.set(number, opened);
    if (this.#socket.congested) channel.pause();
    void channel.lost?.then(() => {
      if (this.#channels.get(number) !== opened) return;
      this.#channels.delete(number);
      // The page opens it again, from its version.
      this.#refuse('CHANNEL_NOT_OPEN', number);
    });
    try {
      await channel.opened;
    } catch (error) {
      if (this.#channels.get(number) === opened) this.#channels.delete(number);
      throw error;
    }
  }

  async #openFeed({ channel, feed, about }: Extract<DeckRequest, { type: 'feed.open' }>): Promise<void> {
    if (this.#channels.has(channel))
      throw new CodedError('INVALID_MESSAGE', 'This channel is already used for a session.');
    if (!this.#feeds.has(channel)) this.#checkChannelLimit();
    await this.#feeds.open(channel, feed, about);
  }

  #checkChannelLimit(): void {
    if (this.#channels.size + this.#feeds.size >= this.#options.limits.channels)
      throw new CodedError('TOO_MANY');
  }

  #receiveConversation(number: number, payload: Uint8Array): void {
    const channel = this.#channels.get(number)?.channel;
    if (!channel) {
      this.#refuse('CHANNEL_NOT_OPEN', number);
      return;
    }
    const value = parseMessage(payload, this.#options.limits.nesting);
    const parsed = hostRequestSchema.safeParse(value);
    if (parsed.success && isPageRequest(parsed.data)) {
      if (!this.#options.isLimited || maySend(parsed.data)) channel.request(parsed.data);
      else
        this.#sendToChannel(number, [errorLine(new CodedError('DEVICE_LIMITED'), answeredId(parsed.data))]);
      return;
    }
    const problem = parsed.success
      ? `type: ${parsed.data.type} is not allowed for pages`
      : problemOf(parsed.error);
    const command = idOf((value as { command?: unknown } | undefined)?.command);
    this.#sendToChannel(number, [errorLine(new CodedError('INVALID_MESSAGE', problem), command)]);
  }

  /** Sends messages as JSON arrays, split into frames by size. */
  #sendToChannel(number: number, messages: readonly string[]): void {
    let together: string[] = [];
    let length = 0;
    const flush = () => {
      if (together.length === 0) return;
      this.#socket.send(FEED.conversationOut, number, `[${together.join(',')}]`);
      together = [];
      length = 0;
    };
    for (const message of messages) {
      // A UTF-16 unit takes at most three bytes.
      const size = message.length * 3 + 1;
      if (length + size > MAX_FRAME_OUT) flush();
      together.push(message);
      length += size;
    }
    flush();
  }

  #refuse(code: ErrorCode, channel: number, message?: string): void {
    this.#send({
      type: 'error',
      ...reportOf(new CodedError(code, message)),
      ...(channel === 0 ? {} : { channel }),
    });
  }

  #send(message: DeckMessage): void {
    this.#socket.send(FEED.deck, 0, JSON.stringify(message));
  }

  #deckAndChannels(): Channel[] {
    return [
      ...(this.#deck ? [this.#deck] : []),
      ...[...this.#channels.values()].map(({ channel }) => channel),
    ];
  }

  #close(): void {
    for (const channel of this.#deckAndChannels()) channel.close();
    this.#channels.clear();
    this.#feeds.closeAll();
    this.#options.closed();
  }
}

/** The id under which the page waits for an answer. */
function answeredId(request: PageRequest): string | undefined {
  return 'command' in request ? request.command.id : 'id' in request ? request.id : undefined;
}

function idOf(value: unknown): string | undefined {
  const id = (value as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' && id.length > 0 && id.length <= 100 ? id : undefined;
}
