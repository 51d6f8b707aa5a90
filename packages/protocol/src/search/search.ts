/**
 * Search over all conversations (S5): what a page or a command asks, and what was found. The reader answers, the
 * server relays; on the page's socket it rides the feed `search`.
 */
import { z } from 'zod';

/** What was said, as people would name it. `title`: the session's own. */
export const SEARCH_KINDS = ['title', 'prompt', 'answer', 'tool'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export const MAX_QUERY = 200;
export const MAX_HITS = 100;

export const searchSchema = z.object({
  query: z.string().max(MAX_QUERY),
  /** Only sessions of this directory, or below it. */
  directory: z.string().max(4096).optional(),
  agent: z.string().max(50).optional(),
  kind: z.enum(SEARCH_KINDS).optional(),
  /** Milliseconds since the epoch, both inclusive. */
  after: z.number().optional(),
  before: z.number().optional(),
  limit: z.number().int().min(1).max(MAX_HITS).default(50),
});
export type Search = z.infer<typeof searchSchema>;
export type SearchInput = z.input<typeof searchSchema>;

/** A piece of the text around what was found; `found` are bounds in it, in UTF-16 units. */
export const snippetSchema = z.object({
  text: z.string().max(1000),
  found: z.array(z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()])).max(50),
});
export type Snippet = z.infer<typeof snippetSchema>;

export const hitSchema = z.object({
  session: z.string().max(100),
  /** Where to go; absent for a title. */
  entry: z.string().max(1000).optional(),
  kind: z.enum(SEARCH_KINDS),
  at: z.number(),
  agent: z.string(),
  directory: z.string(),
  title: z.string(),
  snippet: snippetSchema,
});
export type Hit = z.infer<typeof hitSchema>;

export const searchAnswerSchema = z.object({
  hits: z.array(hitSchema).max(MAX_HITS),
  /** There are more than were asked for. */
  more: z.boolean(),
  /** Files that are not wholly read yet: what is in them may be missing. */
  unread: z.number().int().nonnegative(),
});
export type SearchAnswer = z.infer<typeof searchAnswerSchema>;
