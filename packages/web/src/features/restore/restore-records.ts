/** Restores as the page shows them: lines of the conversation, and groups of files in a preview. Pure. */
import type { RestorePreview, RestoreRecord } from '@tugdeck/protocol/conversation/restore';
import { isUndone, recordOf } from '@tugdeck/protocol/conversation/restore-state';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { plural } from '../../kit/format.ts';
import type { Card } from '../conversation/card-context.tsx';

/** The key of a restore's hidden messages in the card's folds. */
export function asideFold(restore: string): string {
  return `aside ${restore}`;
}

/** Shows the hidden messages around an entry. */
export function showHidden({ channel, folds }: Pick<Card, 'channel' | 'folds'>, entry: string): void {
  const seq = channel.find(entry)?.seq ?? -1;
  for (const { restore, from, to } of channel.view.get().conversation.asides) {
    if (from <= seq && seq < to) folds.set(asideFold(restore), true);
  }
}

/** Restores that are still in effect, and undos of others: each has a line in the conversation. */
export function shownRestores(conversation: Conversation): RestoreRecord[] {
  return conversation.restores.filter(
    ({ id, state, seq }) => seq !== undefined && state !== 'open' && !isUndone(conversation, id),
  );
}

/** Whether it undoes a restore; an undo of an undo is a restore again. */
export function isUndo(conversation: Conversation, record: RestoreRecord): boolean {
  if (record.undoes === undefined) return false;
  const undone = recordOf(conversation, record.undoes);
  return undone === undefined || !isUndo(conversation, undone);
}

/** "Restored 12 files · 2 files left unchanged" */
export function restoreTitle(conversation: Conversation, record: RestoreRecord): string {
  if (record.state === 'abandoned') return 'Restore left unfinished';
  const undo = isUndo(conversation, record);
  const { written = 0, removed = 0, left = 0 } = record.counts ?? {};
  const files = written + removed;
  const parts: string[] = [];
  if (record.parts.files && files > 0) {
    parts.push(
      undo ? `Restore undone, ${plural(files, 'file')} put back` : `Restored ${plural(files, 'file')}`,
    );
  } else parts.push(undo ? 'Restore undone' : 'Restored to an earlier message');
  if ((record.counts?.branch ?? 0) > 0) parts.push(undo ? 'branch moved forward' : 'branch moved back');
  if (left > 0) parts.push(`${plural(left, 'file')} left unchanged`);
  return parts.join(' · ');
}

type PreviewFile = RestorePreview['files'][number];
type State = PreviewFile['state'];

export interface FileGroup {
  readonly id: string;
  readonly label: string;
  readonly files: readonly PreviewFile[];
  readonly count: number;
}

const GROUPS: readonly { id: string; label: string; states: readonly State[] }[] = [
  { id: 'conflict', label: 'Conflicts with later edits', states: ['conflict'] },
  { id: 'restored', label: 'Restored', states: ['restored'] },
  { id: 'recreated', label: 'Created again', states: ['recreated'] },
  { id: 'removed', label: 'Removed', states: ['removed'] },
  { id: 'merged', label: 'Merged with later edits', states: ['merged'] },
  { id: 'kept', label: 'Kept', states: ['guarded', 'kept'] },
];

/** Groups that have files. Files beyond the list are only counted. */
export function fileGroups({ files, counts }: RestorePreview): FileGroup[] {
  return GROUPS.flatMap(({ id, label, states }) => {
    const count = states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
    return count === 0
      ? []
      : [{ id, label, count, files: files.filter(({ state }) => states.includes(state)) }];
  });
}

/** Whether a restore of files can change anything. */
export function hasFiles(preview: RestorePreview | undefined): boolean {
  return preview?.plan !== undefined && (fileGroups(preview).length > 0 || preview.branch?.tip !== undefined);
}

/** Why changes of some turns stay, by reason. `isTurn`: the restore is of one turn. */
export function gapLines({ gaps }: Pick<RestorePreview, 'gaps'>, isTurn: boolean): string[] {
  const counted = (why: 'missing' | 'shared') => gaps.filter((gap) => gap.why === why).length;
  const [missing, shared] = [counted('missing'), counted('shared')];
  const turns = (count: number) => (isTurn && count === 1 ? 'this turn' : plural(count, 'turn'));
  return [
    ...(shared > 0 ? [`Another session worked in this folder during ${turns(shared)}.`] : []),
    ...(missing > 0
      ? [`The ${missing === 1 ? 'checkpoint' : 'checkpoints'} of ${turns(missing)} can’t be used.`]
      : []),
  ].map((reason) => `${reason} Changes made at that time stay.`);
}

const REASONS: Readonly<Record<string, string>> = {
  submodule: 'submodule',
  name: 'name not allowed',
  occupied: 'its name is taken',
  ignored: 'was ignored at the checkpoint',
  older: 'older than this message',
  'left-out': 'too large for a checkpoint',
};

/** Other sessions of the same project that are in a turn. */
export function workingBeside(sessions: readonly SessionRow[], session: string): SessionRow[] {
  const project = sessions.find(({ id }) => id === session)?.project;
  return sessions.filter(
    ({ id, project: own, summary }) =>
      id !== session && own === project && summary !== undefined && summary.turn !== 'idle',
  );
}

const BRANCH_REASONS: Readonly<Record<string, string>> = {
  detached: ' because no branch was checked out',
  switched: ' because another branch is checked out',
  rewritten: ' because its history was rewritten since',
  elsewhere: ' because another worktree has it checked out',
  unfinished: ' because a merge, rebase or similar is unfinished',
  staged: ' because a staged change is in the way',
};

/** Why a branch can't be moved back. */
export function stayingReason(stays: string | undefined): string {
  return BRANCH_REASONS[stays ?? ''] ?? '';
}

export function reasonText(why: string | undefined): string | undefined {
  return why === undefined ? undefined : (REASONS[why] ?? why);
}
