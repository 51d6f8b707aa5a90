/**
 * Feeds of the cards beside a conversation (S1): each opened one has a channel of the page's socket. The page asks,
 * the server replies and pushes; what is asked and told is each area's own (`files/`, `git/`, `terminal/` …), this is
 * only the envelope. Terminal bytes ride their own feeds without one.
 */
import { z } from 'zod';
import { errorCodeSchema } from './error-codes.ts';
import { FEED, type Feed } from './frames.ts';

export const feedNameSchema = z.enum(['terminal', 'files', 'git', 'stats', 'review', 'search', 'settings']);
export type FeedName = z.infer<typeof feedNameSchema>;

/** The byte that carries a feed's JSON, in both directions. */
export const FEED_BYTES: Readonly<Record<FeedName, Feed>> = {
  terminal: FEED.terminalControl,
  files: FEED.files,
  git: FEED.git,
  stats: FEED.stats,
  review: FEED.review,
  search: FEED.search,
  settings: FEED.settings,
};

const id = z.string().min(1).max(100);
const object = z.record(z.string(), z.unknown());

/** What a feed shows: a project, a session, a terminal. */
export const feedAboutSchema = object;

export const feedAskSchema = z.object({ id, ask: object });
export type FeedAsk = z.infer<typeof feedAskSchema>;

export const feedFaultSchema = z.object({
  code: errorCodeSchema,
  message: z.string(),
  hint: z.string().optional(),
});
export type FeedFault = z.infer<typeof feedFaultSchema>;

export const feedMessageSchema = z.union([
  z.object({ re: id, error: feedFaultSchema }),
  z.object({ re: id, value: z.unknown() }),
  z.object({ push: z.unknown() }),
]);
export type FeedMessage = z.infer<typeof feedMessageSchema>;
