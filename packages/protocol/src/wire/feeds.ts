/**
 * Envelope of the feeds beside a conversation (S1). Each open feed has a channel on the page's socket. The page sends
 * requests; the server replies and pushes. The contents are defined by each area (`areas/`).
 * Terminal bytes have separate feeds without an envelope.
 */
import { z } from 'zod';
import { errorCodeSchema } from './error-codes.ts';
import { FEED, type Feed } from './frames.ts';

/** The name of an area. */
export const feedNameSchema = z.string().min(1).max(50);

/** Areas that have their own feed byte. */
const OWN_BYTES = new Map<string, Feed>([
  ['terminal', FEED.terminalControl],
  ['files', FEED.files],
  ['git', FEED.git],
  ['stats', FEED.stats],
  ['review', FEED.review],
  ['search', FEED.search],
  ['settings', FEED.settings],
]);

/** The bytes of all feeds with this envelope. */
export const FEED_BYTES: ReadonlySet<number> = new Set([...OWN_BYTES.values(), FEED.area]);

/** The byte of an area's feed, in both directions. */
export function feedByte(area: string): Feed {
  return OWN_BYTES.get(area) ?? FEED.area;
}

const id = z.string().min(1).max(100);
const object = z.record(z.string(), z.unknown());

/** The subject of a feed: a project, a session, a terminal. */
export const feedAboutSchema = object;

export const feedAskSchema = z.object({ id, ask: object });
export type FeedAsk = z.infer<typeof feedAskSchema>;

export const feedFaultSchema = z.object({
  code: errorCodeSchema,
  message: z.string(),
  hint: z.string().optional(),
});

export const feedMessageSchema = z.union([
  z.object({ re: id, error: feedFaultSchema }),
  z.object({ re: id, value: z.unknown() }),
  z.object({ push: z.unknown() }),
]);
export type FeedMessage = z.infer<typeof feedMessageSchema>;
