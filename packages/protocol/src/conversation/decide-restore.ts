/** Decides commands that restore a checkpoint. The host plans and writes the files; the rest is decided here. */
import type { ChangeBody } from './changes.ts';
import type { CommandOf } from './commands.ts';
import type { UserEntry } from './entries.ts';
import type { Memory, RestoreRecord } from './restore.ts';
import { isAside, isUndone, openRestore, recordOf } from './restore-state.ts';
import { type Conversation, entryById, promptUnderway } from './state.ts';

export type RestoreRefusal =
  | 'RESTORE_TURN_RUNNING'
  | 'RESTORE_OPEN'
  | 'RESTORE_QUEUE'
  | 'RESTORE_NOTHING'
  | 'RESTORE_NO_TREE'
  | 'RESTORE_CHANGED';

type Decision = { readonly changes: readonly ChangeBody[] } | { readonly refusal: RestoreRefusal };

export function restoreTo(state: Conversation, command: CommandOf<'restore.to'>): Decision {
  const busy = refusalWhileBusy(state);
  if (busy) return { refusal: busy };
  if (openRestore(state)) return { refusal: 'RESTORE_OPEN' };
  const entry = entryById(state, command.entry);
  const { parts, plan } = command;
  if (entry?.kind !== 'user' || (!parts.files && !parts.conversation)) return { refusal: 'RESTORE_NOTHING' };
  // The agent continues from messages that are part of the conversation.
  if (isAside(state, entry.seq)) return { refusal: 'RESTORE_NOTHING' };
  if (parts.branch && !parts.files) return { refusal: 'RESTORE_NOTHING' };
  if (parts.files && entry.turn === undefined) return { refusal: 'RESTORE_NO_TREE' };
  if (parts.files && plan === undefined) return { refusal: 'RESTORE_CHANGED' };
  const began: ChangeBody = {
    kind: 'restore.began',
    restore: command.id,
    target: { entry: entry.id, ...(entry.turn === undefined ? {} : { turn: entry.turn }) },
    parts,
    ...(plan === undefined ? {} : { plan }),
  };
  if (parts.files) return { changes: [began] };
  return {
    changes: [
      began,
      ...conversationChanges(state, command.id, entry),
      { kind: 'restore.ended', restore: command.id, outcome: 'done' },
    ],
  };
}

export function restoreUndo(state: Conversation, { id, restore, plan }: CommandOf<'restore.undo'>): Decision {
  const busy = refusalWhileBusy(state);
  if (busy) return { refusal: busy };
  const record = recordOf(state, restore);
  const open = openRestore(state);
  if (open && open.id !== restore) return { refusal: 'RESTORE_OPEN' };
  if (!record || (record.state === 'undone' && record.undoes === undefined))
    return { refusal: 'RESTORE_NOTHING' };
  if (isUndone(state, restore)) return { refusal: 'RESTORE_NOTHING' };
  const { target, parts } = record;
  const began: ChangeBody = {
    kind: 'restore.began',
    restore: id,
    target,
    parts,
    undoes: restore,
    ...(plan === undefined ? {} : { plan }),
  };
  if (parts.files) return { changes: [began] };
  return {
    changes: [
      began,
      ...undoneConversation(state, id, record),
      { kind: 'restore.ended', restore: id, outcome: 'undone' },
    ],
  };
}

/** For `restore.finish` and `restore.leave`. */
export function restoreEnd(
  state: Conversation,
  command: CommandOf<'restore.finish'> | CommandOf<'restore.leave'>,
): Decision {
  if (openRestore(state)?.id !== command.restore) return { refusal: 'RESTORE_NOTHING' };
  const outcome = command.kind === 'restore.leave' ? 'abandoned' : 'done';
  return { changes: [{ kind: 'restore.ended', restore: command.restore, outcome }] };
}

function refusalWhileBusy(state: Conversation): RestoreRefusal | undefined {
  if (state.turn || promptUnderway(state)) return 'RESTORE_TURN_RUNNING';
  return state.queue.length > 0 ? 'RESTORE_QUEUE' : undefined;
}

/** Sets everything from the message on aside, and says where the agent continues. Nothing leaves the journal (T22). */
export function conversationChanges(state: Conversation, restore: string, entry: UserEntry): ChangeBody[] {
  const agentSession = sessionInUse(state);
  return [
    {
      kind: 'entries.aside',
      restore,
      from: entry.seq,
      to: state.nextSeq,
      ...(agentSession ? { agentSession } : {}),
    },
    { kind: 'memory.changed', memory: memoryBefore(state, entry) },
  ];
}

/** Known before anything is done (T25). */
export function memoryBefore(state: Conversation, entry: UserEntry): Memory {
  const id = sessionInUse(state);
  if (entry.seq === 0) return { kind: 'new' };
  // The agent can't fork before a message that it forgot by itself (T38).
  if (id && state.facts.canFork === 'anywhere' && !entry.forgotten) return { kind: 'fork', id, at: entry.id };
  return { kind: 'told', upTo: entry.seq };
}

/** The agent's session that knows the conversation: not a fork in which no turn ran yet. */
function sessionInUse({ facts, memory }: Conversation): string | undefined {
  return memory?.kind === 'fork' ? memory.id : facts.agentSession;
}

/** Brings entries back. Messages since the restore are set aside in turn, so that undo can be undone. */
export function undoneConversation(state: Conversation, id: string, record: RestoreRecord): ChangeBody[] {
  const agentSession = sessionInUse(state);
  const redone = record.undoes === undefined ? undefined : recordOf(state, record.undoes);
  const changes: ChangeBody[] = [];
  if (state.asides.some(({ restore }) => restore === record.id)) {
    changes.push({ kind: 'entries.returned', restore: record.id });
  }
  // A redo sets the same entries aside again.
  const again = redone?.aside ?? (record.aside && { from: record.aside.to, to: state.nextSeq, agentSession });
  if (again && again.from < again.to) {
    const { from, to, agentSession: by } = again;
    changes.push({ kind: 'entries.aside', restore: id, from, to, ...(by ? { agentSession: by } : {}) });
  }
  const known = record.aside?.agentSession;
  if (known) {
    changes.push(
      { kind: 'session.described', facts: { agentSession: known } },
      { kind: 'memory.changed', memory: { kind: 'resume', id: known } },
    );
  }
  return changes;
}
