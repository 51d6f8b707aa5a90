/**
 * What a new host finds in the journal of one that died: everything open is settled and marked, a prompt that
 * was being sent without a sign is doubted, never sent again by itself (M5, H6). Pure.
 */
import { afterExit } from '@tugdeck/drivers/kit/after-exit';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { settleOpen } from '@tugdeck/protocol/conversation/settle';
import { type Conversation, entryById, promptUnderway } from '@tugdeck/protocol/conversation/state';

export interface Recovery {
  readonly changes: ChangeBody[];
  /** There was work underway: the agent should come back by itself. */
  readonly interrupted: boolean;
}

/** Nobody saw how the agent ended: its host was gone before it. */
const NO_EXIT = { code: null, signal: null, stderr: '' };

export function recoveryChanges(state: Conversation): Recovery {
  const underway = promptUnderway(state);
  const sending = underway?.kind === 'user' && underway.delivery === 'sending';
  const broken = state.turn !== null || sending || settleOpen(state, 'crash').length > 0;
  const changes = broken ? afterExit(state, NO_EXIT).map((change) => asKept(state, inOwnWords(change))) : [];
  if (state.agent.state !== 'idle') changes.push({ kind: 'agent.changed', agent: { state: 'idle' } });
  return { changes, interrupted: broken || underway !== undefined || state.queue.length > 0 };
}

function inOwnWords(change: ChangeBody): ChangeBody {
  if (change.kind !== 'entry.opened' || change.entry.kind !== 'notice') return change;
  const text = 'The session was cut off and taken up again. What was complete is kept.';
  return { kind: 'entry.opened', entry: { ...change.entry, text } };
}

/** Pages saw what was streamed last and never reached the disk: also that there is nothing must be said. */
function asKept(state: Conversation, change: ChangeBody): ChangeBody {
  if (change.kind !== 'entry.closed' || entryById(state, change.entry)?.kind !== 'tool') return change;
  return { ...change, patch: { inputText: '', output: '', ...change.patch } };
}
