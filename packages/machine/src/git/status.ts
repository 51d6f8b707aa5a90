/** Parses `git status --porcelain=v2 -z` (W3). The parser is pure. */
import { access } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import {
  type GitFile,
  type GitOperation,
  type GitState,
  gitStateSchema,
  type RepositoryStatus,
} from '@tugdeck/protocol/git/git-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Repository } from './repository.ts';

const FLAGS = ['status', '--porcelain=v2', '-z', '--branch', '--show-stash', '--find-renames'];
/** Looking into a submodule would run git with its configuration. A moved commit is seen without that. */
const SUBMODULES = '--ignore-submodules=dirty';
const TIMEOUT_MS = 20_000;
const MAX_BYTES = 8 * 1024 * 1024;
export const MAX_FILES = 5_000;

export async function readStatus(repository: Repository): Promise<RepositoryStatus> {
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
  const operation = operationOf(repository.place.gitDirectory);
  let isFolded = false;
  let text: string;
  try {
    text = await repository.readText([...FLAGS, SUBMODULES, '--untracked-files=all'], limits);
  } catch (error) {
    const isTooMuch =
      error instanceof CodedError && (error.code === 'GIT_TIMEOUT' || error.code === 'PAYLOAD_TOO_LARGE');
    if (!isTooMuch) throw error;
    isFolded = true;
    text = await repository.readText([...FLAGS, SUBMODULES, '--untracked-files=normal'], {
      ...limits,
      timeoutMs: 2 * TIMEOUT_MS,
    });
  }
  const { root, project } = repository.place;
  const status = parseStatus(text);
  const currentOperation = await operation;
  return {
    ...status,
    prefix: relative(root, project).split(sep).join('/'),
    ...(currentOperation ? { operation: currentOperation } : {}),
    ...(isFolded ? { folded: true } : {}),
  };
}

export function parseStatus(text: string): RepositoryStatus {
  const parts = text.split('\0');
  const files: GitFile[] = [];
  const heads = new Map<string, string>();
  let more = 0;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? '';
    if (part === '') continue;
    if (part.startsWith('# ')) {
      const [, name = '', ...value] = part.split(' ');
      heads.set(name, value.join(' '));
      continue;
    }
    const file = parseFile(part, parts[at + 1]);
    if (part.startsWith('2 ')) at += 1;
    if (!file) continue;
    if (files.length < MAX_FILES) files.push(file);
    else more += 1;
  }
  const branch = heads.get('branch.head');
  const commit = heads.get('branch.oid');
  const upstream = heads.get('branch.upstream');
  const counts = /^\+(\d+) -(\d+)$/.exec(heads.get('branch.ab') ?? '');
  return {
    kind: 'repository',
    prefix: '',
    ...(branch === undefined || branch === '(detached)' ? {} : { branch }),
    ...(commit === undefined || commit === '(initial)' ? {} : { commit }),
    ...(upstream === undefined
      ? {}
      : {
          upstream: {
            name: upstream,
            ahead: Number(counts?.[1] ?? 0),
            behind: Number(counts?.[2] ?? 0),
            gone: counts === null,
          },
        }),
    stashes: Number(heads.get('stash') ?? 0),
    files,
    more,
  };
}

function parseFile(line: string, next: string | undefined): GitFile | undefined {
  const kind = line.charAt(0);
  if (kind === '?') return { path: line.slice(2), index: '.', work: '?' };
  const letters = line.slice(2, 4);
  const isSubmodule = line.charAt(5) === 'S' ? { submodule: true } : {};
  if (kind === 'u') {
    return { path: afterSpaces(line, 10), index: '.', work: '.', conflict: letters, ...isSubmodule };
  }
  const states = { index: stateOf(letters.charAt(0)), work: stateOf(letters.charAt(1)), ...isSubmodule };
  if (kind === '1') return { path: afterSpaces(line, 8), ...states };
  if (kind === '2') return { path: afterSpaces(line, 9), ...(next ? { oldPath: next } : {}), ...states };
  return undefined;
}

function stateOf(letter: string): GitState {
  return gitStateSchema.safeParse(letter).data ?? 'M';
}

/** The rest of the line after `spaces` spaces; file names may contain spaces. */
function afterSpaces(line: string, spaces: number): string {
  let at = 0;
  for (let count = 0; count < spaces; count++) at = line.indexOf(' ', at) + 1;
  return line.slice(at);
}

const OPERATIONS: readonly (readonly [string, GitOperation])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

async function operationOf(gitDirectory: string): Promise<GitOperation | undefined> {
  const there = await Promise.all(
    OPERATIONS.map(([name]) =>
      access(join(gitDirectory, name)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return OPERATIONS[there.indexOf(true)]?.[1];
}
