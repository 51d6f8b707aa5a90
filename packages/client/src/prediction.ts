/**
 * Applies pending commands to the confirmed state with `decide` and `fold`. Pure. Predicted entries get a `seq`
 * after all confirmed ones.
 */
import type { Command, CommandKind } from '@tugdeck/protocol/conversation/commands';
import { decide, isRepeated } from '@tugdeck/protocol/conversation/decide';
import { entriesFrom, entryAt, withEntry } from '@tugdeck/protocol/conversation/entry-store';
import { fold } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, entryById } from '@tugdeck/protocol/conversation/state';
import { stableText } from '@tugdeck/protocol/ids';
import type { PendingCommand } from './outbox.ts';

/** Answers are not predicted: their buttons wait for the host (C6). */
const PREDICTED: ReadonlySet<CommandKind> = new Set([
  'prompt.send',
  'prompt.edit',
  'prompt.move',
  'prompt.withdraw',
  'session.configure',
] as const);

/**
 * `before` is the last rendered state: equal predicted entries keep their identity, so that nothing is notified
 * again.
 */
export function predict(
  confirmed: Conversation,
  pending: readonly PendingCommand[],
  before: Conversation,
): Conversation {
  let state = confirmed;
  for (const { command, at } of pending) {
    if (!PREDICTED.has(command.kind) || isInEffect(confirmed, command)) continue;
    for (const change of decide(state, command).changes ?? []) {
      state = fold(state, { ...change, v: state.v + 1, at, cause: command.id });
    }
  }
  if (state === confirmed) return confirmed;
  const { v, changedAt, nextSeq } = confirmed;
  return { ...state, v, changedAt, entries: keepIdentity(state, nextSeq, before) };
}

/** Snapshots have no receipts, so a prompt whose receipt was lost is recognized by its entry. */
function isInEffect(confirmed: Conversation, command: Command): boolean {
  if (isRepeated(confirmed, command)) return true;
  if (command.kind !== 'prompt.send') return false;
  return (
    entryById(confirmed, command.id) !== undefined || confirmed.queue.some(({ id }) => id === command.id)
  );
}

function keepIdentity(state: Conversation, from: number, before: Conversation): Conversation['entries'] {
  let entries = state.entries;
  for (const entry of entriesFrom(state.entries, from)) {
    const drawn = entryAt(before.entries, entry.seq);
    if (drawn && drawn !== entry && stableText(drawn) === stableText(entry)) {
      entries = withEntry(entries, drawn);
    }
  }
  return entries;
}
