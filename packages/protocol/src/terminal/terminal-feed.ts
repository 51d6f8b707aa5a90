/** Data of the terminal area (W1, areas/terminals): its pushes, tmux sessions, and pieces of input. */
import { z } from 'zod';
import { sizeSchema, TERMINAL_LIMITS, terminalSchema } from './terminal.ts';

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
