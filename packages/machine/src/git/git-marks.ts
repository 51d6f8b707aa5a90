/** One mark per file of the git status, by project path, for trees and lists. Pure. */
import type { GitFile, GitStatus } from '@tugdeck/protocol/git/git-messages';

export type GitMark = 'untracked' | 'added' | 'modified' | 'deleted' | 'renamed' | 'conflict';
export type GitMarks = ReadonlyMap<string, GitMark>;

const NONE: GitMarks = new Map();

export function gitMarks(status: GitStatus): GitMarks {
  if (status.kind !== 'repository') return NONE;
  const prefix = status.prefix === '' ? '' : `${status.prefix}/`;
  const marks = new Map<string, GitMark>();
  for (const file of status.files) {
    if (file.path.startsWith(prefix)) marks.set(file.path.slice(prefix.length), markOf(file));
  }
  return marks;
}

function markOf({ index, work, conflict }: GitFile): GitMark {
  if (conflict !== undefined) return 'conflict';
  if (work === '?') return 'untracked';
  if (work === 'D' || (index === 'D' && work === '.')) return 'deleted';
  if (index === 'A') return 'added';
  if (index === 'R') return 'renamed';
  return 'modified';
}
