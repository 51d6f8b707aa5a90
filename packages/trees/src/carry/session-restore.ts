/** Plans a restore of one session from its turns, its earlier restores, and what other sessions did at that time. */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { hasTree } from '../compare-trees.ts';
import type { Shadow } from '../shadow.ts';
import type { TurnBound, TurnSpan } from '../turn-bounds.ts';
import { type CarryPlan, planRestore, reachedTree } from './carry.ts';
import type { Operation } from './operation.ts';
import { type OwnSpans, ownSpans, type TreePair } from './own-spans.ts';
import type { Save } from './saves.ts';

export interface SessionRestoreInput {
  readonly shadow: Shadow;
  /** Oldest first. */
  readonly turns: readonly TurnSpan[];
  readonly others: readonly TurnSpan[];
  readonly operations: readonly Operation[];
  /** Saves of the user in the editor while the turns were running, oldest first. */
  readonly saves: readonly Save[];
  /** The tree of the current files. */
  readonly now: string;
  /** The message to restore to: its turn, and its id if it joined a running turn. */
  readonly target: { readonly turn: string; readonly prompt: string };
}

export interface SessionRestore {
  readonly plan: CarryPlan;
  readonly checkpoint: TurnBound;
  readonly gaps: OwnSpans['gaps'];
}

/** Undefined if the checkpoint was not recorded or is no longer kept. */
export async function planSessionRestore(input: SessionRestoreInput): Promise<SessionRestore | undefined> {
  const { shadow, turns, others, operations, now, target } = input;
  const saves = input.saves.filter(({ place }) => place === shadow.place);
  const first = turns.findIndex(({ turn }) => turn === target.turn);
  const checkpoint = checkpointAt(turns, target);
  const tree = checkpoint?.tree;
  if (!checkpoint || tree === undefined || !(await hasTree(shadow, tree))) return undefined;
  const steps: { at: number; pairs: readonly TreePair[] }[] = [];
  const gaps: OwnSpans['gaps'][number][] = [];
  turns.slice(first).forEach((span, at) => {
    const start = at === 0 ? checkpoint : span.start;
    const end = span.end ?? nextBound(turns[first + at + 1], operations, start?.at ?? checkpoint.at);
    const own = ownSpans([{ turn: span.turn, start, ...(end ? { end } : {}) }], others, now, saves);
    steps.push({ at: start?.at ?? end?.at ?? checkpoint.at, pairs: own.pairs });
    gaps.push(...own.gaps);
  });
  for (const operation of operations) {
    const { at, now: start } = operation;
    // Earlier restores are changes of this session too.
    if (at >= checkpoint.at)
      steps.push({ at, pairs: [{ start, end: await reachedTree(shadow, operation) }] });
  }
  steps.sort((a, b) => a.at - b.at);
  try {
    const pairs = steps.flatMap((step) => step.pairs).filter(({ start, end }) => start !== end);
    const plan = await planRestore({ shadow, now, checkpoint: { ...checkpoint, tree }, pairs });
    return { plan, checkpoint, gaps };
  } catch (error) {
    // A tree in between is gone.
    if (error instanceof CodedError && (error.code === 'GIT_FAILED' || error.code === 'GIT_CHANGED'))
      return undefined;
    throw error;
  }
}

/** A turn that a crash cut off ends where the next one, or a restore, starts. */
function nextBound(
  next: TurnSpan | undefined,
  operations: readonly Operation[],
  after: number,
): TurnBound | undefined {
  const restore = operations.find(({ at }) => at >= after);
  if (!restore || (next?.start && next.start.at < restore.at)) return next?.start;
  return { turn: '', bound: 'start', at: restore.at, tree: restore.now };
}

/** The checkpoint of a message: its turn's start, or its own if it joined a running turn. */
export function checkpointAt(
  turns: readonly TurnSpan[],
  { turn, prompt }: SessionRestoreInput['target'],
): TurnBound | undefined {
  const span = turns.find((one) => one.turn === turn);
  return span?.joined?.find((bound) => bound.prompt === prompt) ?? span?.start;
}
