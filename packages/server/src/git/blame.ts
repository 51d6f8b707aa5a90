/** Who wrote which line (W3). */
import type { Blame } from '@tugdeck/protocol/git/git-messages';
import type { Repository } from './repository.ts';

const MAX_LINES = 20_000;
const MAX_WIDTH = 2_000;

export async function blame(repository: Repository, path: string): Promise<Blame> {
  const text = await repository.readText(['blame', '--porcelain', '--no-textconv', '--', path]);
  return parseBlame(path, text);
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
    if (line.startsWith('author ')) commit.author = line.slice(7);
    else if (line.startsWith('author-time ')) commit.at = Number(line.slice(12)) * 1000;
    else if (line.startsWith('summary ')) commit.subject = line.slice(8);
  }
  return { path, commits, lines, cut: isCut };
}
