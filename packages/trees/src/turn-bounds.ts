/** The lines of a session's `trees.jsonl`: the tree of the project at the start and end of each turn. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

export const turnBoundSchema = z.object({
  turn: z.string().min(1).max(200),
  /** `joined`: a prompt was sent into the running turn. */
  bound: z.enum(['start', 'joined', 'end']),
  /** The prompt that joined. */
  prompt: z.string().min(1).max(200).optional(),
  at: z.number(),
  /** The recorded folder (`Shadow.place`); absent in records of earlier versions. */
  place: z.string().max(100).optional(),
  tree: z
    .string()
    .regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)
    .optional(),
  /** Number of files skipped because of their size. */
  left: z.number().int().optional(),
  leftOut: z.array(z.object({ path: z.string(), size: z.number(), mtime: z.number() })).optional(),
  /** There were too many to list. */
  leftMany: z.boolean().optional(),
  /** Branch and commit, in a git repository. */
  head: z.object({ commit: z.string(), branch: z.string().optional() }).optional(),
  /** The agent received the prompt before this was recorded, so it may contain the agent's first changes (T3). */
  late: z.boolean().optional(),
  /** The reason if the tree is missing. */
  skipped: z.string().optional(),
});
export type TurnBound = z.infer<typeof turnBoundSchema>;

export interface TurnSpan {
  readonly turn: string;
  readonly start?: TurnBound | undefined;
  readonly end?: TurnBound | undefined;
  /** Prompts that were sent into the turn. */
  readonly joined?: readonly TurnBound[] | undefined;
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
    else if (bound.bound === 'joined') {
      spans.set(bound.turn, { ...known, joined: [...(known.joined ?? []), bound] });
    } else if (!known.start) spans.set(bound.turn, { ...known, start: bound });
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
