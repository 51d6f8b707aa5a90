/**
 * Lands a workspace (B42 to B49): commits its work, brings the base in, runs the check, makes the result commit and
 * fast-forwards the base branch. Conflicts and failing hooks stay in the workspace; the base branch moves completely or
 * not at all. The result is made with `git commit` in the workspace, so that hooks and signing are the user's.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { LandMethod } from '@tugdeck/protocol/workspaces/landing';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { openShadow } from '@tugdeck/trees/turn-trees';
import { COMMIT_MS, commit, hookEnvironment } from '../../git/commits.ts';
import { commitOf, isAncestor, type Repository } from '../../git/repository.ts';
import { readStatus } from '../../git/status.ts';
import { short } from '../base.ts';
import { beginWork, finishWork, hasBegun, type RunningCarry } from '../carry-work.ts';
import type { Step } from '../operation.ts';
import { type LookPorts, planChanges } from './land-preview.ts';
import { landTarget } from './land-target.ts';

export interface LandPorts extends LookPorts {
  /** The user's variables, for hooks, signing programs and the check. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs the check in a terminal of the workspace and returns its exit code. */
  readonly check: (row: StoredWorkspace, command: string) => Promise<number | undefined>;
  readonly carry: RunningCarry;
}

/** Stored with the operation. */
export interface LandData {
  readonly id: string;
  readonly method: LandMethod;
  /** The full name of the branch, and the commits that the user saw. */
  readonly onto: string;
  readonly base: string;
  readonly head: string;
  readonly message: string;
  readonly leave?: boolean;
  readonly anyway?: boolean;
  /** Ends after the base was brought in. */
  readonly bringOnly?: boolean;
  readonly archive?: boolean;
  /** The workspace's last commit before the result, and the result. */
  readonly tip?: string;
  readonly result?: string;
  readonly carryHash?: string;
}

export function landData(row: StoredWorkspace): LandData {
  return row.op?.data as unknown as LandData;
}

/** All that `data` needs, in this order. */
export function landSteps(ports: LandPorts, { method, bringOnly }: LandData): Step[] {
  if (method === 'changes') {
    return [
      { name: 'plan', run: (row) => planCarry(ports, row) },
      { name: 'carry', run: () => runCarry(ports) },
    ];
  }
  const bring = [
    { name: 'commit', run: (row: StoredWorkspace) => commitWork(ports, row) },
    { name: 'bring', run: (row: StoredWorkspace) => bringBase(ports, row) },
  ];
  if (bringOnly) return bring;
  return [
    ...bring,
    { name: 'check', run: (row) => runCheck(ports, row) },
    { name: 'tip', run: (row) => keepTip(ports, row) },
    { name: 'result', run: (row) => makeResult(ports, row) },
    { name: 'move', run: (row) => moveBase(ports, row) },
  ];
}

function withData(row: StoredWorkspace, data: Partial<LandData>): Partial<StoredWorkspace> {
  return row.op ? { op: { ...row.op, data: { ...row.op.data, ...data } } } : {};
}

function hooks({ environment }: LandPorts) {
  return { withHooks: true, timeoutMs: COMMIT_MS, environment: hookEnvironment(environment) };
}

async function commitWork(ports: LandPorts, row: StoredWorkspace): Promise<undefined> {
  const { worktree, environment } = ports;
  const { leave, message, head } = landData(row);
  const { files, operation } = await readStatus(worktree);
  // Stopped between the commit and the next step, or the base is being brought in.
  if (operation || (await commitOf(worktree, 'HEAD')) !== head || files.length === 0) return undefined;
  if (leave === true) {
    if (files.some(({ index }) => index !== '.')) {
      throw new CodedError('WORKSPACE_BUSY', 'Some files are staged. Commit or unstage them first.');
    }
    return undefined;
  }
  await worktree.write(['add', '--all']);
  await commit(worktree, { message, environment });
  return undefined;
}

async function bringBase(ports: LandPorts, row: StoredWorkspace): Promise<undefined> {
  const { worktree } = ports;
  const { base, method, onto } = landData(row);
  const { operation } = await readStatus(worktree);
  if (operation) throw await conflict(worktree, onto);
  if (await isAncestor(worktree, base, 'HEAD')) return undefined;
  const name = short(onto);
  const args =
    method === 'rebase'
      ? ['rebase', '--quiet', base]
      : [
          'merge',
          '--quiet',
          '--no-edit',
          '--no-stat',
          '-m',
          `Merge ${name} into ${row.branch ?? row.name}`,
          base,
        ];
  try {
    await worktree.write(args, hooks(ports));
  } catch (error) {
    if ((await readStatus(worktree)).operation) throw await conflict(worktree, onto);
    throw error;
  }
  return undefined;
}

async function conflict(worktree: Repository, onto: string): Promise<CodedError> {
  const { files, operation } = await readStatus(worktree);
  const names = files.filter((file) => file.conflict !== undefined).map(({ path }) => path);
  const text =
    names.length === 0
      ? `A ${operation ?? 'merge'} with ${short(onto)} is not finished in the workspace.`
      : `Conflicts with ${short(onto)}: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ` and ${names.length - 10} more` : ''}`;
  return new CodedError('LAND_CONFLICT', text);
}

async function runCheck(ports: LandPorts, row: StoredWorkspace): Promise<undefined> {
  const { check: command } = ports.settings;
  if (command === undefined || landData(row).anyway === true) return undefined;
  const code = await ports.check(row, command);
  if (code === 0) return undefined;
  throw new CodedError(
    'CHECK_FAILED',
    code === undefined ? 'The check was stopped.' : `The check failed with exit code ${code}.`,
  );
}

/** Before the branch moves, a ref keeps its last commit (B48). */
async function keepTip({ worktree }: LandPorts, row: StoredWorkspace): Promise<Partial<StoredWorkspace>> {
  const { id, base } = landData(row);
  const tip = await commitOf(worktree, 'HEAD');
  if (tip === undefined || tip === base) throw new CodedError('LAND_MOVED');
  await worktree.write(['update-ref', keptRef(row, id), tip]);
  return withData(row, { tip });
}

export function keptRef({ id }: StoredWorkspace, landing: string): string {
  return `refs/tugdeck/landed/${id}/${landing}`;
}

async function makeResult(ports: LandPorts, row: StoredWorkspace): Promise<Partial<StoredWorkspace>> {
  const { worktree, environment } = ports;
  const { method, tip = '', base, message } = landData(row);
  if (method === 'rebase') return withData(row, { result: tip });
  const ref = `refs/heads/${row.branch ?? ''}`;
  const head = await commitOf(worktree, 'HEAD');
  const made = head !== undefined && head !== tip && head !== base ? head : undefined;
  if (made !== undefined) {
    if (!(await isResult(worktree, made, row))) throw new CodedError('LAND_MOVED');
    return withData(row, { result: made });
  }
  // Files and index stay: only the branch points to the base while the commit is made.
  if (head === tip) await worktree.write(['update-ref', '-m', 'tugdeck: land', ref, base, tip]);
  const { gitDirectory } = worktree.place;
  if (method === 'merge') {
    await writeFile(join(gitDirectory, 'MERGE_MODE'), 'no-ff');
    await writeFile(join(gitDirectory, 'MERGE_HEAD'), `${tip}\n`);
  }
  const result = await commit(worktree, { message, environment });
  if (!(await isResult(worktree, result, row))) {
    throw new CodedError(
      'GIT_FAILED',
      'A commit hook changed files. Look at them in the workspace, then land again.',
    );
  }
  return withData(row, { result });
}

/** Its files are the workspace's, and its parents the base and, for a merge, the workspace's commits. */
async function isResult(worktree: Repository, result: string, row: StoredWorkspace): Promise<boolean> {
  const { method, tip = '', base } = landData(row);
  const text = await worktree.readText(['log', '-1', '--no-show-signature', '--format=%T %P', result, '--']);
  const tree = (await worktree.readText(['rev-parse', `${tip}^{tree}`])).trim();
  return text.trim() === [tree, base, ...(method === 'merge' ? [tip] : [])].join(' ');
}

async function moveBase(ports: LandPorts, row: StoredWorkspace): Promise<undefined> {
  const { repository, isTrusted } = ports;
  const { onto, base, result = '' } = landData(row);
  const target = await landTarget(repository, row, { onto: short(onto), isTrusted });
  if (target?.commit === result) return undefined;
  if (target?.commit !== base) throw moved(onto);
  if (!target.worktree) {
    await repository.write(['update-ref', '-m', 'tugdeck: land', onto, result, base]);
    return undefined;
  }
  await target.worktree.write(['merge', '--ff-only', '--quiet', '--no-stat', result], hooks(ports));
  return undefined;
}

function moved(onto: string): CodedError {
  return new CodedError('LAND_MOVED', `${short(onto)} has new commits. Nothing was landed.`);
}

/** Sets the branch back, unless the base has the result already. Files and index are untouched. */
export async function undoLand({ worktree }: LandPorts, row: StoredWorkspace): Promise<void> {
  const { tip, base, result, method } = landData(row);
  if (tip === undefined || method === 'rebase' || method === 'changes') return;
  const head = await commitOf(worktree, 'HEAD');
  const isOurs =
    head === base || head === result || (head !== undefined && (await isOurCommit(worktree, head, base)));
  if (head === undefined || head === tip || !isOurs) return;
  const { gitDirectory } = worktree.place;
  for (const name of ['MERGE_HEAD', 'MERGE_MODE', 'MERGE_MSG'])
    await rm(join(gitDirectory, name), { force: true });
  await worktree.write([
    'update-ref',
    '-m',
    'tugdeck: not landed',
    `refs/heads/${row.branch ?? ''}`,
    tip,
    head,
  ]);
}

/** A commit whose hook changed files: a child of the base. */
async function isOurCommit(worktree: Repository, head: string, base: string): Promise<boolean> {
  return (await commitOf(worktree, `${head}^1`)) === base;
}

async function planCarry(ports: LandPorts, row: StoredWorkspace): Promise<undefined> {
  const { head, carryHash } = landData(row);
  if (hasBegun(ports.carry)) return undefined;
  const planned = await planChanges(ports, row, head);
  const staying = planned.plan.rows.filter(({ state }) => ['conflict', 'kept', 'guarded'].includes(state));
  if (staying.length > 0) {
    const names = staying.slice(0, 10).map(({ path }) => path);
    throw new CodedError('LAND_CONFLICT', `These files changed on both sides: ${names.join(', ')}`);
  }
  if (carryHash !== undefined && planned.plan.hash !== carryHash) throw new CodedError('LAND_MOVED');
  await beginWork(planned, ports.carry);
  return undefined;
}

async function runCarry(ports: LandPorts): Promise<undefined> {
  const { trees, project } = ports;
  const { ended } = await finishWork(await openShadow({ home: trees, project }), ports.carry);
  if (ended.left.length > 0) {
    const names = ended.left.slice(0, 10).map(({ path }) => path);
    throw new CodedError(
      'LAND_MOVED',
      `Not written, because they changed in the checkout: ${names.join(', ')}`,
    );
  }
  return undefined;
}

/** The row after a landing. */
export function landedRow(row: StoredWorkspace, at: number): Partial<StoredWorkspace> {
  const { method, onto, result, tip, bringOnly } = landData(row);
  if (bringOnly) return { landing: row.landing };
  const landed = {
    at,
    method,
    onto: short(onto),
    ...(result === undefined ? {} : { commit: result }),
    ...(tip === undefined ? {} : { tip }),
  };
  return { landing: { landed }, ...(result === undefined ? {} : { baseCommit: result }) };
}
