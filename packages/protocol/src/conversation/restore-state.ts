/** Folds the changes of a restore, and reads them from the state. Pure. */
import type { Change } from './changes.ts';
import { MAX_RESTORES, type Memory, type RestoreRecord } from './restore.ts';
import type { Conversation } from './state.ts';

type RestoreChange = Extract<
  Change,
  { kind: 'restore.began' | 'restore.ended' | 'entries.aside' | 'entries.returned' | 'memory.changed' }
>;

export function foldRestore(state: Conversation, change: RestoreChange): Conversation {
  switch (change.kind) {
    case 'restore.began': {
      const { restore, target, parts, counts, undoes, at } = change;
      const record: RestoreRecord = {
        id: restore,
        at,
        target,
        parts,
        state: 'open',
        seq: state.nextSeq,
        ...(counts ? { counts } : {}),
        ...(undoes === undefined ? {} : { undoes }),
      };
      return { ...state, restores: [...state.restores, record].slice(-MAX_RESTORES) };
    }
    case 'restore.ended': {
      const { restore, outcome, counts } = change;
      const undone = outcome === 'abandoned' ? undefined : recordOf(state, restore)?.undoes;
      const restores = state.restores.map((record) => {
        if (record.id === restore) return { ...record, state: outcome, ...(counts ? { counts } : {}) };
        return record.id === undone ? { ...record, state: 'undone' as const } : record;
      });
      return { ...state, restores };
    }
    case 'entries.aside': {
      const { restore, from, to, agentSession } = change;
      const aside = { from, to, ...(agentSession === undefined ? {} : { agentSession }) };
      const restores = state.restores.map((record) =>
        record.id === restore ? { ...record, aside } : record,
      );
      return { ...state, restores, asides: [...state.asides, { restore, ...aside }] };
    }
    case 'entries.returned':
      return { ...state, asides: state.asides.filter(({ restore }) => restore !== change.restore) };
    case 'memory.changed':
      return { ...state, memory: change.memory.kind === 'resume' ? null : change.memory };
  }
}

/**
 * The pending memory after a report of the agent's session, or the start of a turn. A fork is used up when a turn runs in
 * it: before that, it may exist only in the agent's memory, and the next start forks again.
 */
export function memoryAfter(
  { memory, turn }: Pick<Conversation, 'memory' | 'turn'>,
  agentSession: string | undefined,
): Memory | null {
  if (!memory || !agentSession) return memory;
  if (memory.kind !== 'fork') return null;
  return memory.id === agentSession || !turn ? memory : null;
}

export function recordOf({ restores }: Conversation, restore: string): RestoreRecord | undefined {
  return restores.find((record) => record.id === restore);
}

export function openRestore({ restores }: Conversation): RestoreRecord | undefined {
  return restores.findLast(({ state }) => state === 'open');
}

/** Whether a later restore undid it, or is about to. */
export function isUndone({ restores }: Conversation, restore: string): boolean {
  return restores.some(({ undoes, state }) => undoes === restore && state !== 'abandoned');
}

/** Whether an entry is set aside. */
export function isAside({ asides }: Conversation, seq: number): boolean {
  return asides.some(({ from, to }) => from <= seq && seq < to);
}
