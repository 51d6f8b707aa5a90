/**
 * The feeds one page has open, by channel. Matches requests to replies and enforces limits. An invalid message gets a
 * coded error on its own channel and affects nothing else (S2).
 */
import type { Log } from '@tugdeck/local/log';
import type { AreaChannel, Machine } from '@tugdeck/machine/port';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { feedAskSchema, feedByte } from '@tugdeck/protocol/wire/feeds';
import { FEED, type Feed, type Frame, MAX_FRAME_OUT } from '@tugdeck/protocol/wire/frames';
import { problemOf } from '@tugdeck/protocol/wire/problem';
import type { Limits } from '../limits.ts';
import { parseMessage } from '../transport/parse-message.ts';

export interface PageFeedsOptions {
  readonly openArea: Machine['openArea'];
  readonly limits: Limits;
  readonly log: Log;
  readonly send: (feed: Feed, channel: number, payload: Uint8Array) => void;
  /** The link to the area's machine broke: the page has to open the feed again. */
  readonly lost: (channel: number) => void;
  readonly isCongested: () => boolean;
  readonly signIn: string;
}

interface OpenFeed {
  readonly name: string;
  readonly about: string;
  readonly area: AreaChannel;
  pendingAsks: number;
}

const ENCODER = new TextEncoder();

export class PageFeeds {
  readonly #options: PageFeedsOptions;
  readonly #feeds = new Map<number, OpenFeed>();

  constructor(options: PageFeedsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#feeds.size;
  }

  has(channel: number): boolean {
    return this.#feeds.has(channel);
  }

  /** Opening the same feed on the same channel again does nothing. */
  async open(channel: number, name: string, about: unknown): Promise<void> {
    const known = this.#feeds.get(channel);
    const aboutText = JSON.stringify(about);
    if (known?.name === name && known.about === aboutText) return known.area.opened;
    if (known) throw new CodedError('INVALID_MESSAGE', 'This channel is already in use.');
    const { openArea, send, signIn, isCongested } = this.#options;
    const area = openArea(name, about, {
      push: (push) => this.#send(channel, name, { push }),
      bytes: (data) => send(FEED.terminalOut, channel, data),
      signIn,
    });
    const opened = { name, about: aboutText, area, pendingAsks: 0 };
    this.#feeds.set(channel, opened);
    if (isCongested()) area.pause();
    void area.lost?.then(() => {
      if (this.#feeds.get(channel) !== opened) return;
      this.#feeds.delete(channel);
      this.#options.lost(channel);
    });
    try {
      await area.opened;
    } catch (error) {
      if (this.#feeds.get(channel) === opened) this.#feeds.delete(channel);
      throw error;
    }
  }

  close(channel: number): boolean {
    const opened = this.#feeds.get(channel);
    if (!opened) return false;
    this.#feeds.delete(channel);
    opened.area.close();
    return true;
  }

  /** Returns whether the frame was for an open feed. */
  receive({ feed, channel, payload }: Frame): boolean {
    const opened = this.#feeds.get(channel);
    if (!opened) return false;
    if (feed === FEED.terminalIn && opened.name === 'terminal') opened.area.bytes(payload);
    else if (feed === feedByte(opened.name)) void this.#answer(channel, opened, payload);
    else return false;
    return true;
  }

  pause(): void {
    for (const { area } of this.#feeds.values()) area.pause();
  }

  resume(): void {
    for (const { area } of this.#feeds.values()) area.resume();
  }

  closeAll(): void {
    for (const channel of [...this.#feeds.keys()]) this.close(channel);
  }

  async #answer(channel: number, opened: OpenFeed, payload: Uint8Array): Promise<void> {
    const { limits, log } = this.#options;
    const value = parseMessage(payload, limits.nesting);
    const parsed = feedAskSchema.safeParse(value);
    if (!parsed.success) {
      const id = (value as { id?: unknown } | null | undefined)?.id;
      const re = typeof id === 'string' && id.length > 0 && id.length <= 100 ? id : '-';
      const error = reportOf(new CodedError('INVALID_MESSAGE', problemOf(parsed.error)));
      this.#send(channel, opened.name, { re, error });
      return;
    }
    const re = parsed.data.id;
    const reply = (message: object) => {
      if (this.#feeds.get(channel) === opened) this.#send(channel, opened.name, message);
    };
    if (opened.pendingAsks >= limits.asks) {
      reply({ re, error: reportOf(new CodedError('TOO_MANY')) });
      return;
    }
    opened.pendingAsks += 1;
    try {
      reply({ re, value: (await opened.area.call(parsed.data.ask)) ?? null });
    } catch (error) {
      if (!(error instanceof CodedError)) log.error('feed request', { feed: opened.name, error });
      reply({ re, error: reportOf(error) });
    } finally {
      opened.pendingAsks -= 1;
    }
  }

  #send(channel: number, name: string, message: object): void {
    const payload = ENCODER.encode(JSON.stringify(message));
    if (payload.length <= MAX_FRAME_OUT) {
      this.#options.send(feedByte(name), channel, payload);
      return;
    }
    const { re } = message as { re?: string };
    this.#options.log.error('feed message too large', { feed: name, bytes: payload.length });
    if (re !== undefined)
      this.#send(channel, name, { re, error: reportOf(new CodedError('PAYLOAD_TOO_LARGE')) });
  }
}
