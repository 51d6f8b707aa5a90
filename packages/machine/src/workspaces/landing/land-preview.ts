/**
 * The dry run of a landing (B41 to B43): what is uncommitted, which commits each side lacks, which files would conflict,
 * and which files of the base's checkout are in the way. Only objects without a ref are written.
 */
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { LandChoice, LandMethod, LandPreview } from '@tugdeck/protocol/workspaces/landing';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { commitOf, isAncestor, type Repository } from '../../git/repository.ts';
import { readStatus } from '../../git/status.ts';
import { short } from '../base.ts';
import { type PlannedWork, planWork } from '../carry-work.ts';
import { directoryOf } from '../environment.ts';
import type { WorkspaceSettings } from '../settings.ts';
import { type LandTarget, landTarget } from './land-target.ts';

export interface LookPorts {
  /** The project's checkout, and the workspace's worktree. */
  readonly repository: Repository;
  readonly worktree: Repository;
  readonly isTrusted: () => boolean;
  readonly isWorking: boolean;
  readonly settings: WorkspaceSettings;
  /** The project's own directory, and the folder of shadow repositories. */
  readonly project: string;
  readonly trees: string;
  readonly now: () => number;
}

const MAX_LISTED = 200;
const UNTRUSTED = 'This project is not trusted. Landing runs its hooks.';
const MERGE_TREE = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z'];

export async function lookAtLanding(
  ports: LookPorts,
  row: StoredWorkspace,
  choice: LandChoice,
): Promise<LandPreview> {
  const { worktree, repository, isTrusted } = ports;
  const method = choice.method ?? ports.settings.land ?? 'squash';
  const status = await readStatus(worktree);
  const target = await landTarget(repository, row, { onto: choice.onto, isTrusted });
  const { commit: head, operation, branch } = status;
  const conflicted = status.files.filter(({ conflict }) => conflict !== undefined).map(({ path }) => path);
  const preview: LandPreview = {
    method,
    ...(target ? { onto: short(target.ref), base: target.commit } : {}),
    ...(head === undefined ? {} : { head }),
    ...(branch === undefined ? {} : { branch }),
    uncommitted: status.files.length + status.more,
    files: status.files.slice(0, MAX_LISTED).map(({ path }) => path),
    ahead: 0,
    behind: 0,
    ...(operation || conflicted.length > 0
      ? { unfinished: { operation: operation ?? 'merge', conflicts: conflicted.slice(0, MAX_LISTED) } }
      : {}),
    ...(ports.settings.check === undefined ? {} : { check: ports.settings.check }),
    message: proposedMessage(row),
  };
  const refusal = refusalOf(ports, preview, target);
  if (refusal !== undefined || !target || head === undefined) {
    return { ...preview, refusal: refusal ?? 'The workspace has no commits.' };
  }
  const [ahead, behind] = await apart(worktree, head, target.commit);
  const counted = { ...preview, ahead, behind };
  if (ahead === 0 && preview.uncommitted === 0) {
    return { ...counted, refusal: `Nothing to land: ${short(target.ref)} has all its commits.` };
  }
  if ((await mergeBase(worktree, head, target.commit)) === undefined) {
    return {
      ...counted,
      refusal: 'No common history with the base. Run git fetch --unshallow, then try again.',
    };
  }
  if (method === 'changes') return { ...counted, ...(await lookAtCarry(ports, row, head)) };
  const message = await messageOf(worktree, row, target.commit, method);
  const merged = await dryRun(worktree, head, target.commit, preview.uncommitted > 0);
  return {
    ...counted,
    message,
    ...(merged ? { conflicts: merged.conflicts.slice(0, MAX_LISTED) } : {}),
    ...(target.worktree
      ? { checkout: await lookAtCheckout(target.worktree, target.commit, merged?.tree) }
      : {}),
  };
}

function refusalOf(
  { isTrusted, isWorking }: LookPorts,
  { unfinished, branch, method }: LandPreview,
  target: LandTarget | undefined,
): string | undefined {
  if (!isTrusted()) return UNTRUSTED;
  if (isWorking) return 'An agent is working in the workspace.';
  if (unfinished) return `A ${unfinished.operation} is not finished in the workspace.`;
  if (!target) return 'The workspace has no local base branch. Choose a branch to land on.';
  if (branch === undefined && method !== 'changes') return 'The workspace is not on a branch.';
  return undefined;
}

/** Throws if the preview refuses the landing; the page shows the same text. */
export function assertLandable({ refusal }: LandPreview): void {
  if (refusal === undefined) return;
  throw new CodedError(
    refusal === UNTRUSTED ? 'GIT_UNSAFE' : 'WORKSPACE_BUSY',
    `${refusal} Nothing was landed.`,
  );
}

async function apart(repository: Repository, head: string, base: string): Promise<[number, number]> {
  const text = await repository.readText(['rev-list', '--left-right', '--count', `${head}...${base}`, '--']);
  const [ahead = '0', behind = '0'] = text.trim().split(/\s+/);
  return [Number(ahead), Number(behind)];
}

export async function mergeBase(
  repository: Repository,
  one: string,
  other: string,
): Promise<string | undefined> {
  const { code, stdout } = await repository.read(['merge-base', one, other], { answers: [1] });
  return code === 0 ? stdout.toString('latin1').trim() : undefined;
}

interface DryRun {
  readonly tree: string;
  readonly conflicts: readonly string[];
}

/** Undefined if this version of git can't check for conflicts. */
async function dryRun(
  worktree: Repository,
  head: string,
  base: string,
  isDirty: boolean,
): Promise<DryRun | undefined> {
  const ours = isDirty ? await commitOfFiles(worktree, head) : head;
  if (await isAncestor(worktree, base, head)) return { tree: `${ours}^{tree}`, conflicts: [] };
  const { code, stdout } = await worktree.write([...MERGE_TREE, ours, base], { answers: [1, 128, 129] });
  if (code > 1) return undefined;
  const [tree = '', ...names] = stdout.toString('utf8').split('\0');
  return { tree, conflicts: code === 0 ? [] : [...new Set(names.filter(Boolean))] };
}

/** All files as a commit that no ref names, with a copy of the index. */
async function commitOfFiles(worktree: Repository, head: string): Promise<string> {
  const index = join(worktree.place.gitDirectory, `tugdeck-look-${process.pid}`);
  const environment = { GIT_INDEX_FILE: index, ...identity('Tugdeck') };
  return worktree.exclusive(async () => {
    try {
      await copyFile(join(worktree.place.gitDirectory, 'index'), index);
      await worktree.step(['add', '--all'], { environment });
      const tree = (await worktree.step(['write-tree'], { environment })).stdout.toString('latin1').trim();
      const { stdout } = await worktree.step(
        ['commit-tree', '--no-gpg-sign', '-p', head, '-m', 'look', tree],
        {
          environment,
        },
      );
      return stdout.toString('latin1').trim();
    } finally {
      await rm(index, { force: true });
      await rm(`${index}.lock`, { force: true });
    }
  });
}

function identity(name: string): Record<string, string> {
  const email = 'tugdeck@localhost';
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

/** Changed and new files of the base's checkout, and those that the fast-forward would overwrite. */
async function lookAtCheckout(
  checkout: Repository,
  base: string,
  tree: string | undefined,
): Promise<NonNullable<LandPreview['checkout']>> {
  const { files, more } = await readStatus(checkout);
  const changed =
    tree === undefined
      ? []
      : (
          await checkout.readText(['diff-tree', '-r', '-z', '--name-only', '--no-renames', base, tree], {
            maxBytes: 64 * 1024 * 1024,
          })
        )
          .split('\0')
          .filter(Boolean);
  const written = new Set(changed);
  const blocking = files.flatMap(({ path, oldPath }) =>
    [path, ...(oldPath === undefined ? [] : [oldPath])].filter((one) => written.has(one)),
  );
  return {
    path: checkout.place.root,
    changed: files.length + more,
    blocking: [...new Set(blocking)].slice(0, MAX_LISTED),
  };
}

/** Plans the uncommitted copy into the checkout (B46). */
export async function planChanges(
  { worktree, repository, trees, project, now }: LookPorts,
  row: StoredWorkspace,
  head: string,
): Promise<PlannedWork> {
  const here = await commitOf(repository, 'HEAD');
  const base = here === undefined ? undefined : await mergeBase(worktree, head, here);
  if (base === undefined)
    throw new CodedError('GIT_FAILED', 'The checkout and the workspace have no common history.');
  return planWork({ home: trees, from: directoryOf(row), to: project, base, at: now() });
}

async function lookAtCarry(
  ports: LookPorts,
  row: StoredWorkspace,
  head: string,
): Promise<Partial<LandPreview>> {
  const { plan, leftOut } = await planChanges(ports, row, head);
  const staying = plan.rows.filter(({ state }) => ['conflict', 'kept', 'guarded'].includes(state));
  const refusal =
    leftOut.length > 0
      ? `Too large to copy: ${leftOut.slice(0, 3).join(', ')}.`
      : plan.rows.length === 0
        ? 'Your checkout already has these changes.'
        : undefined;
  return {
    checkout: {
      path: ports.project,
      changed: 0,
      blocking: staying.slice(0, MAX_LISTED).map((one) => one.path),
    },
    conflicts: [],
    carry: {
      files: plan.rows.length - staying.length,
      merged: plan.rows.filter(({ state }) => state === 'merged').length,
      hash: plan.hash,
    },
    ...(refusal === undefined ? {} : { refusal }),
  };
}

/** The only commit's own message; else a title from the name, with the subjects of all. */
async function messageOf(
  worktree: Repository,
  row: StoredWorkspace,
  base: string,
  method: LandMethod,
): Promise<string> {
  const title = proposedMessage(row);
  if (method === 'merge') return `Merge ${row.branch ?? row.name}`;
  const range = ['--no-merges', '--max-count=50', 'HEAD', `^${base}`, '--'];
  const text = await worktree.readText(['log', '-z', '--no-show-signature', '--format=%B', ...range]);
  const messages = text
    .split('\0')
    .map((one) => one.trim())
    .filter(Boolean);
  if (messages.length === 1) return (messages[0] ?? title).slice(0, 20_000);
  const subjects = messages.toReversed().map((one) => `- ${one.split('\n')[0]}`);
  return [title, ...(subjects.length === 0 ? [] : ['', ...subjects])].join('\n').slice(0, 20_000);
}

function proposedMessage({ name }: StoredWorkspace): string {
  const words = name.replaceAll('-', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
