/**
 * What an agent's end means for the conversation (H6, M5): nothing stays open, the turn ends, a notice says
 * how it went. Pure. The host folds the changes; the replay of a recording uses the same.
 */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { settleOpen } from '@tugdeck/protocol/conversation/settle';
import { type Conversation, openEntries } from '@tugdeck/protocol/conversation/state';
import type { AgentExit } from './port.ts';

export interface AfterExitOptions {
  /** We asked for the end: what was open counts as cancelled, and nothing has to be explained. */
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
    // An accepted one was never written: it is sent by the next agent (M5).
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

/** The end of an agent as a sentence, with its last words. */
export function crashWords(exit: AgentExit): { readonly text: string; readonly detail?: string } {
  const how = howItEnded(exit);
  const lines = exit.stderr.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
  const text =
    exit.failure === undefined ? `The agent stopped (${how}).` : `The agent ${how.replace(/\.?$/, '.')}`;
  return { text, ...(lines === '' ? {} : { detail: lines }) };
}

function notice(state: Conversation, exit: AgentExit): ChangeBody {
  // A sequence number is never given twice, so this is unique in the session.
  const id = `exit-${state.nextSeq}`;
  return {
    kind: 'entry.opened',
    entry: { id, kind: 'notice', status: 'complete', notice: 'crash', level: 'error', ...crashWords(exit) },
  };
}
