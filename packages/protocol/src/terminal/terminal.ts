/** Terminals as seen by server, terminal host and page, with all limits in one table (X2). */
import { z } from 'zod';

export const TERMINAL_LIMITS = {
  /** Terminals per host, including exited ones that are still shown. */
  terminals: 64,
  /** Pages per terminal. */
  attachments: 32,
  minCols: 2,
  maxCols: 1_000,
  minRows: 1,
  maxRows: 500,
  name: 100,
  title: 200,
  /** One piece of input; a longer paste is split. */
  input: 256 * 1024,
  /** Input that the program has not read yet; more is dropped and reported. */
  waitingInput: 4 * 1024 * 1024,
  /** Scrollback lines, in host and page. */
  scrollback: 10_000,
} as const;

const id = z.string().min(1).max(100);
const text = (max: number) => z.string().max(max);

export const colsSchema = z.number().int().min(TERMINAL_LIMITS.minCols).max(TERMINAL_LIMITS.maxCols);
export const rowsSchema = z.number().int().min(TERMINAL_LIMITS.minRows).max(TERMINAL_LIMITS.maxRows);
export const sizeSchema = z.object({ cols: colsSchema, rows: rowsSchema });
export type TerminalSize = z.infer<typeof sizeSchema>;

/** The program in a terminal: the user's shell, an agent's own interface (A41), or a tmux session. */
export const terminalRunsSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('shell') }),
  z.object({ type: z.literal('session'), session: id }),
  z.object({ type: z.literal('tmux'), name: z.string().min(1).max(200) }),
]);
export type TerminalRuns = z.infer<typeof terminalRunsSchema>;

export const terminalStateSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('running') }),
  z.object({ type: z.literal('exited'), code: z.number().int(), signal: z.number().int().optional() }),
]);

export const terminalSchema = z.object({
  id,
  project: id,
  runs: terminalRunsSchema,
  /** Given by the user; otherwise the program's title or the number is shown. */
  name: text(TERMINAL_LIMITS.name).optional(),
  /** Set by the program (OSC 0 and 2): untrusted text. */
  title: text(TERMINAL_LIMITS.title).optional(),
  /** Number of the terminal within its project. */
  number: z.number().int().min(1),
  cols: colsSchema,
  rows: rowsSchema,
  state: terminalStateSchema,
  startedAt: z.number(),
  pid: z.number().int().optional(),
});
export type TerminalInfo = z.infer<typeof terminalSchema>;

export const nameSchema = text(TERMINAL_LIMITS.name)
  .transform((name) => name.trim())
  .pipe(z.string().min(1));

/** The page's colors as `rrggbb`, so that programs can query them. */
const hex = z.string().regex(/^[0-9a-f]{6}$/);
export const terminalColorsSchema = z.object({ foreground: hex, background: hex, cursor: hex });
export type TerminalColors = z.infer<typeof terminalColorsSchema>;

export function terminalLabel({
  name,
  title,
  number,
}: Pick<TerminalInfo, 'name' | 'title' | 'number'>): string {
  return name ?? (title === '' ? undefined : title) ?? `Terminal ${number}`;
}

/** Bytes of output drawn by the page since the last acknowledgment. */
export const ackSchema = z.object({
  type: z.literal('ack'),
  bytes: z.number().int().min(1),
  /** How long the last of them waited in the page. */
  waitedMs: z.number().int().nonnegative().optional(),
});
