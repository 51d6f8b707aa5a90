/**
 * The terminal feed between page and server: requests, replies and pushes. Input and output are raw bytes beside it;
 * every `screen` restarts the output, and all bytes after it belong to it.
 */
import { z } from 'zod';
import {
  ackSchema,
  nameSchema,
  sizeSchema,
  TERMINAL_LIMITS,
  terminalColorsSchema,
  terminalRunsSchema,
  terminalSchema,
} from './terminal.ts';

const id = z.string().min(1).max(100);

/** With `terminal`: the feed of one terminal; otherwise the list of a project's terminals. */
export const terminalAboutSchema = z.object({ project: id, terminal: id.optional() });
export type TerminalAbout = z.infer<typeof terminalAboutSchema>;

export const terminalAskSchema = z.discriminatedUnion('type', [
  /** Lists the project's terminals; changes are pushed from then on. */
  z.object({ type: z.literal('list') }),
  /** The page chooses the id, so that a repeated request creates one terminal. */
  z.object({
    type: z.literal('create'),
    terminal: z.uuid(),
    name: nameSchema.optional(),
    runs: terminalRunsSchema,
    size: sizeSchema,
  }),
  z.object({ type: z.literal('rename'), terminal: id, name: z.union([nameSchema, z.null()]) }),
  /** Sends a hangup to the program and removes the terminal. */
  z.object({ type: z.literal('close'), terminal: id }),
  z.object({ type: z.literal('restart'), terminal: id }),
  z.object({ type: z.literal('tmux') }),
  /** For the feed of one terminal. The screen follows as a push and bytes; with `history`, including the scrollback. */
  z.object({
    type: z.literal('attach'),
    history: z.boolean().optional(),
    colors: terminalColorsSchema.optional(),
  }),
  z.object({ type: z.literal('resize'), size: sizeSchema }),
  ackSchema,
]);
export type TerminalAsk = z.infer<typeof terminalAskSchema>;

export const terminalListSchema = z.object({ terminals: z.array(terminalSchema) });
export const tmuxSessionsSchema = z.object({
  /** False if tmux is not installed. */
  available: z.boolean(),
  sessions: z.array(
    z.object({ name: z.string(), windows: z.number().int().nonnegative(), attached: z.boolean() }),
  ),
});
export type TmuxSessions = z.infer<typeof tmuxSessionsSchema>;

export const terminalPushSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('terminals'), terminals: z.array(terminalSchema) }),
  z.object({ type: z.literal('terminal'), terminal: terminalSchema }),
  /** The next `bytes` bytes draw the whole screen, for a terminal of this size. */
  z.object({
    type: z.literal('screen'),
    size: sizeSchema,
    history: z.boolean(),
    bytes: z.number().int().nonnegative(),
  }),
  z.object({ type: z.literal('size'), size: sizeSchema }),
  /** Input was dropped because the program does not read it. */
  z.object({ type: z.literal('input-full') }),
  /** The terminal or its host is gone; a new request shows which. */
  z.object({ type: z.literal('gone') }),
]);
export type TerminalPush = z.infer<typeof terminalPushSchema>;

/** The page acknowledges drawn output in steps of this size. */
export const ACK_EVERY = 16 * 1024;
/** Splits input into pieces of the allowed size. */
export function* inputPieces(data: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < data.length; at += TERMINAL_LIMITS.input) {
    yield data.subarray(at, at + TERMINAL_LIMITS.input);
  }
}
