/** Blame (W3). Git gets the text on stdin: given a path, it could follow a folder that became a link. */

import { readNoFollow } from '@tugdeck/local/files/no-follow-file';
import type { Blame } from '@tugdeck/protocol/git/git-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Repository } from './repository.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** Commit id of lines that are not committed. */
const UNCOMMITTED = /^0+$/;
const MAX_LINES = 20_000;
const MAX_WIDTH = 2_000;

export async function blame(repository: Repository, path: string): Promise<Blame> {
  const current = await readNoFollow({ root: repository.place.root, path }, MAX_BYTES);
  if (current?.kind === 'other') throw new CodedError('NOT_A_FILE');
  if (current && !current.content) throw new CodedError('FILE_TOO_LARGE');
  // A file deleted from the worktree is blamed as committed.
  const source = current ? ['--contents', '-'] : ['HEAD'];
  const args = ['blame', '--porcelain', '--no-textconv', ...source, '--', path];
  return parseBlame(path, await repository.readText(args, { input: current?.content }));
}

export function parseBlame(path: string, text: string): Blame {
  const commits: Blame['commits'] = [];
  const lines: Blame['lines'] = [];
  const numbers = new Map<string, number>();
  let current = -1;
  let isCut = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('\t')) {
      if (lines.length >= MAX_LINES) isCut = true;
      else lines.push({ commit: current, text: line.slice(1, MAX_WIDTH) });
      continue;
    }
    const id = /^([0-9a-f]{40,64}) \d+ \d+/.exec(line)?.[1];
    if (id !== undefined) {
      current = numbers.get(id) ?? commits.length;
      if (current === commits.length) {
        numbers.set(id, current);
        commits.push({ commit: id, author: '', at: 0, subject: '' });
      }
      continue;
    }
    const commit = commits[current];
    if (!commit) continue;
    if (line.startsWith('author '))
      commit.author = UNCOMMITTED.test(commit.commit) ? 'Not committed yet' : line.slice(7);
    else if (line.startsWith('author-time ')) commit.at = Number(line.slice(12)) * 1000;
    else if (line.startsWith('summary ')) commit.subject = line.slice(8);
  }
  return { path, commits, lines, cut: isCut };
}
