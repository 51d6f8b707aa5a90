/**
 * The feeds one page has open, by channel. Matches asks to replies and enforces limits. An invalid message gets a
 * coded error on its own channel and affects nothing else (S2).
 */
import type { Log } from '@tugdeck/local/log';
import type { ServedArea, ServedSession } from '@tugdeck/machine/port';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { feedAskSchema, feedByte } from '@tugdeck/protocol/wire/feeds';
import { FEED, type Feed, type Frame, MAX_FRAME_OUT } from '@tugdeck/protocol/wire/frames';
import { ZodError } from 'zod';
import type { Limits } from '../limits.ts';
import { parseMessage } from '../transport/parse-message.ts';
import { problemOf } from '../transport/problem.ts';

export interface PageFeedsOptions {
  readonly areas: readonly ServedArea[];
  readonly limits: Limits;
  readonly log: Log;
  readonly send: (feed: Feed, channel: number, payload: Uint8Array) => void;
  readonly isCongested: () => boolean;
  readonly signIn: string;
}

interface OpenFeed {
  readonly name: string;
  readonly about: string;
  readonly session: ServedSession;
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
  open(channel: number, name: string, about: unknown): void {
    const known = this.#feeds.get(channel);
    const aboutText = JSON.stringify(about);
    if (known?.name === name && known.about === aboutText) return;
    if (known) throw new CodedError('INVALID_MESSAGE', 'This channel is already in use.');
    const area = this.#options.areas.find((one) => one.name === name);
    if (!area) throw new CodedError('INVALID_MESSAGE', `Unknown feed: ${name}.`);
    const { isCongested, signIn } = this.#options;
    // A session may push before `open` returns, but must not push after it is closed.
    let isOpen = true;
    const session = withCodedErrors(() =>
      area.open(about, {
        push: (push) => isOpen && this.#send(channel, name, { push }),
        bytes: (data) => isOpen && this.#options.send(FEED.terminalOut, channel, data),
        signIn,
        get congested() {
          return isCongested();
        },
      }),
    );
    const close = () => {
      isOpen = false;
      session.close();
    };
    this.#feeds.set(channel, { name, about: aboutText, session: { ...session, close }, pendingAsks: 0 });
    if (isCongested()) session.pause?.();
  }

  close(channel: number): boolean {
    const opened = this.#feeds.get(channel);
    if (!opened) return false;
    this.#feeds.delete(channel);
    opened.session.close();
    return true;
  }

  /** Returns whether the frame was for an open feed. */
  receive({ feed, channel, payload }: Frame): boolean {
    const opened = this.#feeds.get(channel);
    if (!opened) return false;
    if (feed === FEED.terminalIn && opened.name === 'terminal') opened.session.bytes?.(payload);
    else if (feed === feedByte(opened.name)) void this.#answer(channel, opened, payload);
    else return false;
    return true;
  }

  pause(): void {
    for (const { session } of this.#feeds.values()) session.pause?.();
  }

  resume(): void {
    for (const { session } of this.#feeds.values()) session.resume?.();
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
      reply({ re, value: (await opened.session.call(parsed.data.ask)) ?? null });
    } catch (error) {
      const coded = asCoded(error);
      if (!(coded instanceof CodedError)) log.error('feed ask', { feed: opened.name, error });
      reply({ re, error: reportOf(coded) });
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

function asCoded(error: unknown): unknown {
  return error instanceof ZodError ? new CodedError('INVALID_MESSAGE', problemOf(error)) : error;
}

function withCodedErrors<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw asCoded(error);
  }
}
