/** Describes a new workspace before it is created (B5): base, branch, setup. Reads only; nothing is fetched. */
import { userInfo } from 'node:os';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type BranchParts, branchFrom, slugOf } from '@tugdeck/protocol/workspaces/names';
import type { WorkspacePlan } from '@tugdeck/protocol/workspaces/workspace';
import { commitOf, type Repository } from '../git/repository.ts';
import { readStatus } from '../git/status.ts';
import { resolveBase, short } from './base.ts';
import type { WorkspaceSettings } from './settings.ts';

const DEFAULT_BRANCH = '{user}/{slug}';
const DEFAULT_MOST = 20;
const MAX_BASES = 50;

export interface PlanPorts {
  /** The project's checkout; rejects if it has none. */
  readonly repository: () => Promise<Repository>;
  readonly settings: WorkspaceSettings;
  readonly isTrusted: boolean;
  readonly now: number;
  /** Workspaces that the project has on disk. */
  readonly count: number;
}

export async function planWorkspace(ports: PlanPorts, asked: string | undefined): Promise<WorkspacePlan> {
  const { settings } = ports;
  const start = settings.start ?? 'auto';
  try {
    const repository = await ports.repository();
    const { ref, commit } = await resolveBase(repository, { asked, configured: settings.base });
    const branch = branchName(settings, { slug: '{slug}', id: '{id}', now: ports.now });
    const [ahead, behind] = await distance(repository, commit);
    const { files, more } = await readStatus(repository);
    return {
      start,
      ...(ref === undefined ? {} : { base: short(ref) }),
      ...{ baseCommit: commit, ahead, behind, branch },
      fetches: ports.isTrusted && settings.fetch !== false && (await repository.readText(['remote'])) !== '',
      changes: files.length + more,
      ...(settings.setup === undefined ? {} : { setup: settings.setup }),
      bases: await bases(repository),
      ...(ports.count >= (settings.most ?? DEFAULT_MOST) ? { tooMany: ports.count } : {}),
    };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const { message, hint } = error;
    return { start, refusal: [message, hint].filter(Boolean).join(' ').slice(0, 500) };
  }
}

/** The configured branch name for a workspace. */
export function branchName(
  { branch = DEFAULT_BRANCH }: WorkspaceSettings,
  { slug, id, now }: Pick<BranchParts, 'slug' | 'id'> & { readonly now: number },
): string {
  const date = new Date(now).toISOString().slice(0, 10);
  return branchFrom(branch, { user: slugOf(userName()), slug, date, id });
}

/** Commits that only the base and only the checkout has. */
async function distance(repository: Repository, commit: string): Promise<[ahead: number, behind: number]> {
  if ((await commitOf(repository, 'HEAD')) === undefined) return [0, 0];
  const args = ['rev-list', '--left-right', '--count', `${commit}...HEAD`, '--'];
  const [ahead = '0', behind = '0'] = (await repository.readText(args)).trim().split(/\s+/);
  return [Number(ahead), Number(behind)];
}

/** Branches, those with the newest commits first. */
async function bases(repository: Repository): Promise<string[]> {
  const text = await repository.readText([
    'for-each-ref',
    '--sort=-committerdate',
    `--count=${MAX_BASES}`,
    '--format=%(refname)',
    'refs/heads/',
    'refs/remotes/',
  ]);
  return text
    .split('\n')
    .filter((name) => name !== '' && !name.endsWith('/HEAD'))
    .map((name) => short(name).slice(0, 300));
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'me'; // A container without an entry for this user.
  }
}
