/**
 * Changes after an agent's exit (H6, M5): closes everything, ends the turn, adds a notice. Pure; shared by the host
 * and replay.
 */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { settleOpen } from '@tugdeck/protocol/conversation/settle';
import { type Conversation, openEntries } from '@tugdeck/protocol/conversation/state';
import type { AgentExit } from './port.ts';

export interface AfterExitOptions {
  /** We requested the exit: open entries count as canceled, and no notice is needed. */
  readonly expected?: boolean | undefined;
}

const SHOWN_LINES = 12;

export function afterExit(
  state: Conversation,
  exit: AgentExit,
  { expected = false }: AfterExitOptions = {},
): ChangeBody[] {
  const how = howItEnded(exit);
  const changes: ChangeBody[] = settleOpen(state, expected ? 'cancel' : 'crash');
  for (const entry of openEntries(state)) {
    // An accepted prompt was never written; the next agent receives it (M5).
    if (entry.kind === 'user' && entry.delivery === 'sending') {
      changes.push({ kind: 'prompt.progressed', prompt: entry.id, delivery: 'doubted', why: how });
    }
  }
  if (!expected) changes.push(notice(state, exit));
  if (state.turn) {
    changes.push({
      kind: 'turn.ended',
      turn: state.turn.id,
      endedBy: expected ? 'cancelled' : 'error',
      ...(expected ? {} : { why: how }),
    });
  }
  return changes;
}

/** "exit code 1", "killed by SIGKILL", or why it could not be started. */
export function howItEnded(exit: AgentExit): string {
  if (exit.failure !== undefined) return `could not be started: ${exit.failure}`;
  return exit.signal === null ? `exit code ${exit.code}` : `killed by ${exit.signal}`;
}

/** Describes how the agent ended, with the end of its stderr as detail. */
export function crashWords(exit: AgentExit): { readonly text: string; readonly detail?: string } {
  const how = howItEnded(exit);
  const lines = exit.stderr.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
  const text =
    exit.failure === undefined ? `The agent stopped (${how}).` : `The agent ${how.replace(/\.?$/, '.')}`;
  return { text, ...(lines === '' ? {} : { detail: lines }) };
}

function notice(state: Conversation, exit: AgentExit): ChangeBody {
  // Sequence numbers are never reused, so the id is unique in the session.
  const id = `exit-${state.nextSeq}`;
  return {
    kind: 'entry.opened',
    entry: { id, kind: 'notice', status: 'complete', notice: 'crash', level: 'error', ...crashWords(exit) },
  };
}
