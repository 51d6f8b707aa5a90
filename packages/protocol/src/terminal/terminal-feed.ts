/**
 * The feed of terminals between page and server: what may be asked, what is replied and pushed. Output and input are
 * raw bytes beside it; every `screen` begins the output anew, and all bytes after it belong to it.
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

/** With `terminal` the feed is one terminal's, else it is the list of a project's. */
export const terminalAboutSchema = z.object({ project: id, terminal: id.optional() });
export type TerminalAbout = z.infer<typeof terminalAboutSchema>;

export const terminalAskSchema = z.discriminatedUnion('type', [
  /** The project's terminals, and from then on a push whenever they change. */
  z.object({ type: z.literal('list') }),
  /** `terminal` is chosen by the page, so that asking twice makes one. */
  z.object({
    type: z.literal('create'),
    terminal: z.uuid(),
    name: nameSchema.optional(),
    runs: terminalRunsSchema,
    size: sizeSchema,
  }),
  z.object({ type: z.literal('rename'), terminal: id, name: z.union([nameSchema, z.null()]) }),
  /** Hangs up on what runs and forgets the terminal. */
  z.object({ type: z.literal('close'), terminal: id }),
  z.object({ type: z.literal('restart'), terminal: id }),
  z.object({ type: z.literal('tmux') }),
  /** Of the feed's own terminal. The screen follows as a push and bytes; with `history`, all lines above it too. */
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
  /** False where tmux is not installed. */
  available: z.boolean(),
  sessions: z.array(
    z.object({ name: z.string(), windows: z.number().int().nonnegative(), attached: z.boolean() }),
  ),
});
export type TmuxSessions = z.infer<typeof tmuxSessionsSchema>;

export const terminalPushSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('terminals'), terminals: z.array(terminalSchema) }),
  z.object({ type: z.literal('terminal'), terminal: terminalSchema }),
  /** The next so many bytes are the screen from nothing, for a terminal of this size. */
  z.object({
    type: z.literal('screen'),
    size: sizeSchema,
    history: z.boolean(),
    bytes: z.number().int().nonnegative(),
  }),
  z.object({ type: z.literal('size'), size: sizeSchema }),
  /** Input was dropped: the program reads none. */
  z.object({ type: z.literal('input-full') }),
  /** The terminal is gone, or its host; asking again tells which. */
  z.object({ type: z.literal('gone') }),
]);
export type TerminalPush = z.infer<typeof terminalPushSchema>;

/** The page says what it has drawn whenever that is so much. */
export const ACK_EVERY = 16 * 1024;
/** Input in pieces that are taken. */
export function* inputPieces(data: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < data.length; at += TERMINAL_LIMITS.input) {
    yield data.subarray(at, at + TERMINAL_LIMITS.input);
  }
}
