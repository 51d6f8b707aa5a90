/**
 * The protocol between the server and its reader: JSON lines on the reader's stdin and stdout. The reader exits when
 * its stdin closes. Answers for pages are preformatted lines that the server relays unparsed.
 */
import { hitSchema, searchAnswerSchema, searchSchema } from '@tugdeck/protocol/search/search';
import { errorCodeSchema } from '@tugdeck/protocol/wire/error-codes';
import { hostRequestSchema } from '@tugdeck/protocol/wire/host-link';
import { z } from 'zod';

const id = z.string().min(1).max(100);
const view = z.number().int().positive();

/** A Tugdeck session, for the index. */
export const ownSessionSchema = z.object({
  id,
  agent: z.string(),
  directory: z.string(),
  title: z.string(),
  activeAt: z.number(),
  /** The agent's own sessions that it resumed. */
  agentSessions: z.array(z.string()),
  /** A turn runs: what it says is searched before it is in the index. */
  running: z.boolean().optional(),
});
export type OwnSession = z.infer<typeof ownSessionSchema>;

/** Requests to the reader. */
export const readerRequestSchema = z.discriminatedUnion('type', [
  /** The first line: directories. Of the environment, only variables that locate the agents' folders. */
  z.object({
    type: z.literal('start'),
    dataDirectory: z.string(),
    environment: z.record(z.string(), z.string()),
    logLevel: z.enum(['debug', 'info', 'warn', 'error']).optional(),
  }),
  /** New or changed Tugdeck sessions; their journals are indexed. */
  z.object({ type: z.literal('own'), sessions: z.array(ownSessionSchema) }),
  /** Follows an external session; messages about it name the view. */
  z.object({ type: z.literal('view.open'), view, session: id }),
  z.object({ type: z.literal('view.ask'), view, request: hostRequestSchema }),
  z.object({ type: z.literal('view.close'), view }),
  z.object({ type: z.literal('search'), id, search: searchSchema }),
  /** Checks whether another program is using this session right now. */
  z.object({ type: z.literal('held'), id, session: id }),
]);
export type ReaderRequest = z.infer<typeof readerRequestSchema>;
export type ReaderRequestInput = z.input<typeof readerRequestSchema>;

/** A session that exists only in its agent's files (A40). */
export const externalSessionSchema = z.object({
  /** Our id for it, derived from the next two fields. */
  id,
  agent: z.string().max(50),
  session: z.string().min(1).max(200),
  directory: z.string(),
  title: z.string(),
  createdAt: z.number(),
  activeAt: z.number(),
  /** Another program is using it. */
  elsewhere: z.boolean(),
});
export type ExternalSession = z.infer<typeof externalSessionSchema>;

/** The reader's progress, for users and for tests that wait. */
export const readerStateSchema = z.object({
  files: z.number().int().nonnegative(),
  /** Files that are not fully indexed yet. */
  unread: z.number().int().nonnegative(),
  /** The folders have been listed once since the start. */
  listed: z.boolean(),
  /** Files read since the start: after a restart, only changed ones. */
  read: z.number().int().nonnegative(),
  memory: z.number(),
});
export type ReaderState = z.infer<typeof readerStateSchema>;

/** Messages from the reader. */
export const readerMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sessions'), sessions: z.array(externalSessionSchema), gone: z.array(id) }),
  /** Another program completed a turn of one of our sessions. */
  z.object({ type: z.literal('external-turn'), session: id }),
  z.object({ type: z.literal('told'), view, lines: z.array(z.string()) }),
  z.object({ type: z.literal('found'), id, answer: searchAnswerSchema.extend({ hits: z.array(hitSchema) }) }),
  z.object({ type: z.literal('held'), id, elsewhere: z.boolean() }),
  z.object({ type: z.literal('failed'), id, code: errorCodeSchema, message: z.string() }),
  z.object({ type: z.literal('state'), state: readerStateSchema }),
]);
export type ReaderMessage = z.infer<typeof readerMessageSchema>;
