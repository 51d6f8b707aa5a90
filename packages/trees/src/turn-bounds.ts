/** The lines of a session's `trees.jsonl`: the tree of the project at the start and end of each turn. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

export const turnBoundSchema = z.object({
  turn: z.string().min(1).max(200),
  bound: z.enum(['start', 'end']),
  at: z.number(),
  tree: z
    .string()
    .regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)
    .optional(),
  /** Number of files skipped because of their size. */
  left: z.number().int().optional(),
  /** The reason if the tree is missing. */
  skipped: z.string().optional(),
});
export type TurnBound = z.infer<typeof turnBoundSchema>;

export interface TurnSpan {
  readonly turn: string;
  readonly start?: TurnBound | undefined;
  readonly end?: TurnBound | undefined;
}

/** In order of their start; truncated or invalid lines are skipped. */
export async function readTurnSpans(file: string): Promise<TurnSpan[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return turnSpans(text);
}

export function turnSpans(text: string): TurnSpan[] {
  const spans = new Map<string, TurnSpan>();
  for (const line of text.split('\n')) {
    const bound = line === '' ? undefined : parseBound(line);
    if (!bound) continue;
    const known = spans.get(bound.turn) ?? { turn: bound.turn };
    // The first start and the last end: a host that resumed a turn wrote both again.
    if (bound.bound === 'end') spans.set(bound.turn, { ...known, end: bound });
    else if (!known.start) spans.set(bound.turn, { ...known, start: bound });
  }
  return [...spans.values()];
}

function parseBound(line: string): TurnBound | undefined {
  try {
    return turnBoundSchema.safeParse(JSON.parse(line)).data;
  } catch {
    // Truncated by a crash.
    return undefined;
  }
}
