/**
 * Interface of a feed. Each area defines its own asks and pushes; `page-feeds.ts` handles envelopes, channels,
 * schemas and limits.
 */
import type { FeedName } from '@tugdeck/protocol/wire/feeds';
import type { z } from 'zod';

/** Sends to one page over one open feed. */
export interface FeedOut {
  push(message: unknown): void;
  /** Raw bytes; terminals only. */
  bytes(data: Uint8Array): void;
  /** The page reads more slowly than we send: updates that can be merged should wait. */
  readonly congested: boolean;
  /** The sign-in of the page's connection. */
  readonly signIn: string;
}

export interface FeedSession<Ask> {
  /** Returns the value of the reply. A `CodedError` becomes a refusal; any other error is reported as a bug. */
  ask(ask: Ask): unknown;
  /** Raw bytes from the page; terminals only. */
  bytes?(data: Uint8Array): void;
  /** The page's socket is full (S3); `resume` is called once it has drained. */
  pause?(): void;
  resume?(): void;
  close(): void;
}

export interface FeedKind<About, Ask> {
  readonly name: FeedName;
  readonly about: z.ZodType<About>;
  readonly ask: z.ZodType<Ask>;
  /** Throws a `CodedError` if the subject does not exist. */
  open(about: About, out: FeedOut): FeedSession<Ask>;
}

/** A feed kind with its types erased, for the list of all kinds. */
export interface AnyFeedKind {
  readonly name: FeedName;
  open(about: unknown, out: FeedOut): AnyFeedSession;
}

export interface AnyFeedSession extends Omit<FeedSession<unknown>, 'ask'> {
  /** Rejects with a `ZodError` for an ask that does not match the schema. */
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
