/** Groups the files of a status for the card. Pure. */
import type { GitFile, RepositoryStatus, Side } from '@tugdeck/protocol/git/git-messages';
import { isOnSide } from './git-store.ts';

export type GroupName = 'conflicts' | 'staged' | 'changes' | 'untracked';

export interface ChangeGroup {
  readonly name: GroupName;
  readonly title: string;
  readonly side: Side;
  readonly files: readonly GitFile[];
}

export function changeGroups({ files }: RepositoryStatus): ChangeGroup[] {
  const isUntracked = (file: GitFile) => file.work === '?';
  const groups: ChangeGroup[] = [
    {
      name: 'conflicts',
      title: 'Conflicts',
      side: 'unstaged',
      files: files.filter(({ conflict }) => conflict !== undefined),
    },
    {
      name: 'staged',
      title: 'Staged',
      side: 'staged',
      files: files.filter((file) => isOnSide(file, 'staged')),
    },
    {
      name: 'changes',
      title: 'Changes',
      side: 'unstaged',
      files: files.filter((file) => !file.conflict && isOnSide(file, 'unstaged') && !isUntracked(file)),
    },
    { name: 'untracked', title: 'Untracked', side: 'unstaged', files: files.filter(isUntracked) },
  ];
  return groups.filter((group) => group.files.length > 0);
}

const STATES: Readonly<Record<string, string>> = {
  M: 'Modified',
  T: 'Type changed',
  A: 'Added',
  D: 'Deleted',
  R: 'Renamed',
  C: 'Copied',
  '?': 'Untracked',
  '!': 'Conflict',
};

export function letterOf(file: GitFile, side: Side): string {
  if (file.conflict !== undefined) return '!';
  return side === 'staged' ? file.index : file.work;
}

export function changeStateText(letter: string): string {
  return STATES[letter] ?? 'Changed';
}

const CONFLICTS: Readonly<Record<string, string>> = {
  DD: 'deleted on both sides',
  AU: 'added by us',
  UD: 'deleted by them',
  UA: 'added by them',
  DU: 'deleted by us',
  AA: 'added on both sides',
  UU: 'changed on both sides',
};

export function conflictText(conflict: string): string {
  return CONFLICTS[conflict] ?? 'in conflict';
}

export function splitPath(path: string): { readonly folder: string; readonly name: string } {
  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path;
  const at = trimmed.lastIndexOf('/') + 1;
  return { folder: path.slice(0, at), name: path.slice(at) };
}
