/**
 * Full-text search over all conversations (S5): request and result. The reader answers, the server relays; the page
 * uses the `search` feed.
 */
import { z } from 'zod';

/** What matched: `title` is the session's title. */
export const SEARCH_KINDS = ['title', 'prompt', 'answer', 'tool'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export const MAX_QUERY = 200;
export const MAX_HITS = 100;

export const searchSchema = z.object({
  query: z.string().max(MAX_QUERY),
  /** Only sessions of this directory or below it. */
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

/** Text around a match; `found` are ranges in it, in UTF-16 units. */
export const snippetSchema = z.object({
  text: z.string().max(1000),
  found: z.array(z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()])).max(50),
});
export type Snippet = z.infer<typeof snippetSchema>;

export const hitSchema = z.object({
  session: z.string().max(100),
  /** The entry to open; undefined for a title. */
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
  /** More matches exist than were requested. */
  more: z.boolean(),
  /** Files that are not fully indexed; their contents may be missing. */
  unread: z.number().int().nonnegative(),
});
export type SearchAnswer = z.infer<typeof searchAnswerSchema>;
