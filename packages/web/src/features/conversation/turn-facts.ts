/** Facts of turns, above all the figures of a finished one (D19). Pure. */
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom, entryAt } from '@tugdeck/protocol/conversation/entry-store';
import type { Turn } from '@tugdeck/protocol/conversation/session-info';
import { type Conversation, isShown } from '@tugdeck/protocol/conversation/state';
import { changesBetween, type TurnChanges } from '@tugdeck/protocol/conversation/turn-changes';

export interface TurnFacts extends TurnChanges {
  /** It used tools; a turn that only answered has no footer. */
  readonly hasTools: boolean;
  /** A command may have changed files that no tool reported. */
  readonly hasCommands: boolean;
  /** Number of tools that were denied and never ran. */
  readonly denied: number;
  readonly durationMs: number;
}

/** Undefined while the turn runs, and until all of it is loaded. */
export function turnFacts(conversation: Conversation, turn: Turn): TurnFacts | undefined {
  const { turns, from, nextSeq, entries } = conversation;
  if (turn.endedAt === undefined || turn.firstSeq < from) return undefined;
  const to = turns[turns.indexOf(turn) + 1]?.firstSeq ?? nextSeq;
  const kinds = new Set<string>();
  let denied = 0;
  for (const entry of entriesFrom(entries, turn.firstSeq)) {
    if (entry.seq >= to) break;
    if (entry.kind !== 'tool') continue;
    if (entry.state === 'denied') denied += 1;
    else kinds.add(entry.toolKind);
  }
  return {
    ...changesBetween(conversation, turn.firstSeq, to),
    hasTools: kinds.size + denied > 0,
    hasCommands: kinds.has('shell'),
    denied,
    durationMs: Math.max(0, turn.endedAt - turn.startedAt),
  };
}

/** Whether rows of the turn follow: an entry without a turn, such as a notice, can lie between them. */
export function continuesAfter({ entries }: Conversation, turn: string, seq: number): boolean {
  for (const entry of entriesFrom(entries, seq + 1)) {
    if (entry.turn === turn && entry.parent === undefined && ROWS.has(entry.kind)) return true;
  }
  return false;
}

/** Kinds that always have a row. */
const ROWS: ReadonlySet<Entry['kind']> = new Set<Entry['kind']>(['text', 'thinking', 'tool', 'user']);

/** The turn that ends with a row: the next row is of another turn, or of none. */
export function turnEndingAt(last: Entry | undefined, next: Entry | undefined): string | undefined {
  return last?.turn === next?.turn ? undefined : last?.turn;
}

/**
 * Whether the agent discarded the answer that it was streaming, for example because nothing came from the model for minutes, and has
 * begun nothing since. The text was withdrawn (M13), and not every agent reports that it asks again.
 */
export function asksAgain({ turn, entries, nextSeq }: Conversation): boolean {
  if (turn?.phase !== 'running') return false;
  const last = entryAt(entries, nextSeq - 1);
  const isAnswer = last?.kind === 'text' || last?.kind === 'thinking';
  return isAnswer && last.turn === turn.id && last.parent === undefined && !isShown(last);
}
