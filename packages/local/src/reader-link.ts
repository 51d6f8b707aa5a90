/**
 * What the server and its reader say to each other, as JSON lines on the reader's stdin and stdout. The reader ends
 * when its stdin does. Answers for pages travel as ready lines, so that the server passes them on unread.
 */
import { hitSchema, searchAnswerSchema, searchSchema } from '@tugdeck/protocol/search/search';
import { errorCodeSchema } from '@tugdeck/protocol/wire/error-codes';
import { hostRequestSchema } from '@tugdeck/protocol/wire/host-link';
import { z } from 'zod';

const id = z.string().min(1).max(100);
const view = z.number().int().positive();

/** A session of ours, for the index. */
export const ownSessionSchema = z.object({
  id,
  agent: z.string(),
  directory: z.string(),
  title: z.string(),
  activeAt: z.number(),
  /** The agents' own that it went on with. */
  agentSessions: z.array(z.string()),
  /** A turn runs: what it says is searched before it is in the index. */
  running: z.boolean().optional(),
});
export type OwnSession = z.infer<typeof ownSessionSchema>;

/** To the reader. */
export const readerRequestSchema = z.discriminatedUnion('type', [
  /** The first line: where things lie. Of the environment only what names the agents' folders. */
  z.object({
    type: z.literal('start'),
    dataDirectory: z.string(),
    environment: z.record(z.string(), z.string()),
    logLevel: z.enum(['debug', 'info', 'warn', 'error']).optional(),
  }),
  /** Sessions of ours that came or changed; their journals are read for the index. */
  z.object({ type: z.literal('own'), sessions: z.array(ownSessionSchema) }),
  /** Looks at a foreign session from now on; what is told of it names the view. */
  z.object({ type: z.literal('view.open'), view, session: id }),
  z.object({ type: z.literal('view.ask'), view, request: hostRequestSchema }),
  z.object({ type: z.literal('view.close'), view }),
  z.object({ type: z.literal('search'), id, search: searchSchema }),
  /** Is another program in this session right now? Looked up anew. */
  z.object({ type: z.literal('held'), id, session: id }),
]);
export type ReaderRequest = z.infer<typeof readerRequestSchema>;
export type ReaderRequestInput = z.input<typeof readerRequestSchema>;

/** A session that only its agent's file has (A40). */
export const foreignSessionSchema = z.object({
  /** Ours for it: made of the two that follow, always the same. */
  id,
  agent: z.string().max(50),
  session: z.string().min(1).max(200),
  directory: z.string(),
  title: z.string(),
  createdAt: z.number(),
  activeAt: z.number(),
  /** Another program works in it. */
  elsewhere: z.boolean(),
});
export type ForeignSession = z.infer<typeof foreignSessionSchema>;

/** How far the reader is, for people and for tests that wait. */
export const readerStateSchema = z.object({
  files: z.number().int().nonnegative(),
  /** Files whose text is not wholly in the index yet. */
  unread: z.number().int().nonnegative(),
  /** The folders were listed once since the start. */
  listed: z.boolean(),
  /** Files read since the start: after a restart only what changed. */
  read: z.number().int().nonnegative(),
  memory: z.number(),
});
export type ReaderState = z.infer<typeof readerStateSchema>;

/** From the reader. */
export const readerMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sessions'), sessions: z.array(foreignSessionSchema), gone: z.array(id) }),
  /** Another program completed a turn in the agent's file of a session of ours. */
  z.object({ type: z.literal('external-turn'), session: id }),
  z.object({ type: z.literal('told'), view, lines: z.array(z.string()) }),
  z.object({ type: z.literal('found'), id, answer: searchAnswerSchema.extend({ hits: z.array(hitSchema) }) }),
  z.object({ type: z.literal('held'), id, elsewhere: z.boolean() }),
  z.object({ type: z.literal('failed'), id, code: errorCodeSchema, message: z.string() }),
  z.object({ type: z.literal('state'), state: readerStateSchema }),
]);
export type ReaderMessage = z.infer<typeof readerMessageSchema>;
