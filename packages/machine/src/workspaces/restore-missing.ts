/**
 * Restores a workspace whose folder was deleted by hand (B36): git's entry still has its index and HEAD, the branch its
 * commits, and the shadow repository its files at the end of the last turn.
 */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { beginCarry, planRestore, runCarry, withWorktreeLock } from '@tugdeck/trees/carry/carry';
import { hasTree } from '@tugdeck/trees/compare-trees';
import { recordTree } from '@tugdeck/trees/record-tree';
import { openShadow } from '@tugdeck/trees/turn-trees';
import { commitOf, type Repository } from '../git/repository.ts';
import { leaveBegun } from './carry-work.ts';
import { CHECKOUT_ENVIRONMENT, type CreatePorts, createSteps, makeEmpty } from './create.ts';
import { directoryOf } from './environment.ts';
import type { Step } from './operation.ts';

export interface MissingPorts {
  readonly create: CreatePorts;
  /** The worktree, once its folder is there. */
  readonly worktree: (row: StoredWorkspace) => Promise<Repository>;
  /** The last recorded tree of its sessions in a folder (`Shadow.place`). */
  readonly lastTree: (workspace: string, place: string) => Promise<string | undefined>;
  /** The folders of shadow repositories and of carries. */
  readonly trees: string;
  readonly carries: string;
  readonly now: () => number;
}

const CHECKOUT_MS = 10 * 60_000;
const LOCK_MS = 5_000;
const MAX_POINTER = 8_192;

export function missingSteps(ports: MissingPorts): Step[] {
  const [lock, files] = ['lock', 'files'].map((name) =>
    createSteps(ports.create).find((step) => step.name === name),
  );
  if (!lock || !files) throw new Error('a step is missing');
  return [
    { name: 'link', run: (row) => link(ports, row) },
    { name: 'checkout', run: (row) => checkout(ports, row) },
    lock,
    files,
    { name: 'tree', run: (row) => bringLastFiles(ports, row) },
  ];
}

/** An empty worktree for git's entry, or a new entry if somebody pruned it. Never over something that exists. */
async function link({ create }: MissingPorts, row: StoredWorkspace): Promise<undefined> {
  const { repository } = create;
  const entry = entryOf(repository.place.commonDirectory, row.path);
  if (entry !== undefined) {
    const pointer = `gitdir: ${entry}\n`;
    if (readBoundedText(join(row.path, '.git'), { maxBytes: MAX_POINTER }) === pointer) return undefined;
    // Empty if a server was stopped here.
    await mkdir(dirname(row.path), { recursive: true, mode: 0o700 });
    if (!(await makeEmpty(row.path))) throw new CodedError('FILE_EXISTS', `${row.path} exists again.`);
    await writeFile(join(row.path, '.git'), pointer, { flag: 'wx' });
    return undefined;
  }
  const { branch = '' } = row;
  if ((await commitOf(repository, `refs/heads/${branch}`)) === undefined) {
    throw new CodedError('GIT_FAILED', `The branch ${branch} and git's entry of this workspace are gone.`);
  }
  await repository.write(['worktree', 'add', '--quiet', row.path, branch], {
    environment: CHECKOUT_ENVIRONMENT,
    timeoutMs: CHECKOUT_MS,
  });
  return undefined;
}

/** Git's entry of a worktree at `path`. */
export function entryOf(commonDirectory: string, path: string): string | undefined {
  const home = join(commonDirectory, 'worktrees');
  const names = existsSync(home) ? readdirSync(home) : [];
  return names
    .map((name) => join(home, name))
    .find((entry) => {
      try {
        const text = readBoundedText(join(entry, 'gitdir'), { maxBytes: MAX_POINTER });
        return text?.trim() === join(path, '.git');
      } catch {
        return false;
      }
    });
}

/** The files of the index, staged ones too; one that exists stays. */
async function checkout({ worktree }: MissingPorts, row: StoredWorkspace): Promise<undefined> {
  const repository = await worktree(row);
  // Without `--index`, which needs the lock of the index: as soon as the folder is there, an editor may run `git status`.
  await repository.write(['checkout-index', '--all', '--quiet'], {
    timeoutMs: CHECKOUT_MS,
    environment: { GIT_LFS_SKIP_DOWNLOAD_ERRORS: '1' },
    // Files that exist stay, and git reports them.
    answers: [1],
  });
  // So that git need not read them all again; without it everything is right too.
  await repository.write(['update-index', '-q', '--refresh'], { answers: [1] }).catch(() => undefined);
  return undefined;
}

async function bringLastFiles(
  { worktree, lastTree, trees, carries, now }: MissingPorts,
  row: StoredWorkspace,
): Promise<Partial<StoredWorkspace>> {
  await worktree(row);
  const directory = directoryOf(row);
  if (!existsSync(directory)) return {}; // The project's folder is new and was never committed.
  const shadow = await openShadow({ home: trees, project: directory });
  const last = await lastTree(row.id, shadow.place);
  if (last === undefined || !(await hasTree(shadow, last))) return {};
  const folder = join(carries, row.id);
  const before = await leaveBegun(shadow, { directory: folder, now });
  const { tree } = await recordTree({ shadow, writer: `missing-${row.id}` });
  // From the files that git has to those of the last turn; nothing else has changed them since.
  const plan = await planRestore({
    shadow,
    now: tree,
    checkpoint: { tree: last, at: 0 },
    pairs: [{ start: last, end: tree }],
  });
  const operation = await beginCarry({ shadow, plan, directory: folder, session: row.id, at: now() });
  const { ended } = await withWorktreeLock(shadow, LOCK_MS, () =>
    runCarry({ shadow, operation, directory: folder, now }),
  );
  const count = before + ended.written + ended.removed;
  const note = `Uncommitted files restored as they were after the last turn: ${count}.`;
  return count === 0 ? {} : { notes: [...row.notes, note] };
}
