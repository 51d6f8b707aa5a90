/**
 * What an area of the server offers as a feed. An area knows its own asks and pushes; envelopes, channels, schemas and
 * limits are the business of `page-feeds.ts`.
 */
import type { FeedName } from '@tugdeck/protocol/wire/feeds';
import type { z } from 'zod';

/** One page's end of one opened feed. */
export interface FeedOut {
  push(message: unknown): void;
  /** Raw bytes: terminals only. */
  bytes(data: Uint8Array): void;
  /** Whether the page takes things more slowly than they come: what can be told later as a whole should wait. */
  readonly congested: boolean;
  /** By which the page came in. */
  readonly signIn: string;
}

export interface FeedSession<Ask> {
  /** The value of the reply. A `CodedError` refuses; anything else thrown is a bug and told as one. */
  ask(ask: Ask): unknown;
  /** Raw bytes from the page: terminals only. */
  bytes?(data: Uint8Array): void;
  /** The page's socket is full (S3), and has drained again. */
  pause?(): void;
  resume?(): void;
  close(): void;
}

export interface FeedKind<About, Ask> {
  readonly name: FeedName;
  readonly about: z.ZodType<About>;
  readonly ask: z.ZodType<Ask>;
  /** Throws a `CodedError` where there is nothing to show. */
  open(about: About, out: FeedOut): FeedSession<Ask>;
}

/** A kind whose types only it knows: how the list of all kinds sees it. */
export interface AnyFeedKind {
  readonly name: FeedName;
  open(about: unknown, out: FeedOut): AnyFeedSession;
}

export interface AnyFeedSession extends Omit<FeedSession<unknown>, 'ask'> {
  /** Rejects with a `ZodError` for an ask that is none of its kind. */
  ask(ask: unknown): Promise<unknown>;
}

export function feedKind<About, Ask>(kind: FeedKind<About, Ask>): AnyFeedKind {
  return {
    name: kind.name,
    open(about, out) {
      const session = kind.open(kind.about.parse(about), out);
      return {
        ask: async (ask) => session.ask(kind.ask.parse(ask)),
        bytes: (data) => session.bytes?.(data),
        pause: () => session.pause?.(),
        resume: () => session.resume?.(),
        close: () => session.close(),
      };
    },
  };
}
