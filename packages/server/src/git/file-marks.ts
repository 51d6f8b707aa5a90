/** One mark per file of the git status, by project path, for trees and lists. Pure. */
import type { GitFile, GitStatus } from '@tugdeck/protocol/git/git-messages';

export type FileMark = 'untracked' | 'added' | 'modified' | 'deleted' | 'renamed' | 'conflict';
export type FileMarks = ReadonlyMap<string, FileMark>;

const NONE: FileMarks = new Map();

export function fileMarks(status: GitStatus): FileMarks {
  if (status.kind !== 'repository') return NONE;
  const prefix = status.prefix === '' ? '' : `${status.prefix}/`;
  const marks = new Map<string, FileMark>();
  for (const file of status.files) {
    if (file.path.startsWith(prefix)) marks.set(file.path.slice(prefix.length), markOf(file));
  }
  return marks;
}

function markOf({ index, work, conflict }: GitFile): FileMark {
  if (conflict !== undefined) return 'conflict';
  if (work === '?') return 'untracked';
  if (work === 'D' || (index === 'D' && work === '.')) return 'deleted';
  if (index === 'A') return 'added';
  if (index === 'R') return 'renamed';
  return 'modified';
}
