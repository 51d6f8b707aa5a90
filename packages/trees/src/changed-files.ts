/**
 * Parses the list of changed files from `--raw --numstat -z`. Names are bytes between NULs, so no name can confuse
 * the parser. Pure.
 */
import type { ChangedFile, ChangeState } from '@tugdeck/protocol/git/git-messages';

export const LIST_FLAGS = ['--raw', '--numstat', '-z', '-r', '--find-renames=50%', '-l1000', '--no-ext-diff'];

export interface ListedFile extends ChangedFile {
  readonly before: string;
  readonly after: string;
}

const STATES: Readonly<Record<string, ChangeState>> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'type',
};

export function parseChangedFiles(output: string): ListedFile[] {
  const parts = output.split('\0');
  const files: ListedFile[] = [];
  const byPath = new Map<string, number>();
  let at = 0;
  for (let part = parts[at]; part !== undefined && part !== ''; part = parts[at]) {
    if (part.startsWith(':')) {
      const [, , before = '', after = '', letter = ''] = part.slice(1).split(' ');
      const state = STATES[letter.charAt(0)] ?? 'modified';
      const isPair = state === 'renamed' || state === 'copied';
      const first = parts[at + 1] ?? '';
      const path = isPair ? (parts[at + 2] ?? '') : first;
      byPath.set(path, files.length);
      files.push({ path, ...(isPair ? { oldPath: first } : {}), state, before, after, added: 0, removed: 0 });
      at += isPair ? 3 : 2;
      continue;
    }
    const [added = '', removed = '', name = ''] = part.split('\t');
    const path = name === '' ? (parts[at + 2] ?? '') : part.slice(added.length + removed.length + 2);
    const index = byPath.get(path);
    const file = index === undefined ? undefined : files[index];
    if (file && index !== undefined) {
      const counts =
        added === '-' ? { binary: true } : { added: Number(added) || 0, removed: Number(removed) || 0 };
      files[index] = { ...file, ...counts };
    }
    at += name === '' ? 3 : 1;
  }
  return files;
}
