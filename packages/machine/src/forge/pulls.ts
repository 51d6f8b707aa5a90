/**
 * Pull requests of workspaces (B53 to B59) with the user's own `gh`. The forge is asked only when a page or command asks,
 * one query for all workspaces of a repository; nothing runs in the background.
 */

import { secretsInPull } from '@tugdeck/protocol/git/secret-in';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import {
  type PullPreview,
  type PullRef,
  type PullRequest,
  type PullState,
  pullRefSchema,
} from '@tugdeck/protocol/workspaces/pull';
import type { StoredWorkspace, WorkspaceTable } from '@tugdeck/store/workspace-table';
import { currentBranch, defaultBranch, needTrust, remotesOf } from '../git/remotes.ts';
import { commitOf, isAncestor, type Repository } from '../git/repository.ts';
import { comparePage, type ForgeRepository, isGitLab, ownerOf } from './forge-address.ts';
import { type Environment, forge, hasTool, overridesOf } from './forge-cli.ts';
import { targetOf } from './forge-target.ts';
import { type ForgePull, parsePulls, pullQuery, pullState } from './pull-query.ts';
import { pullText } from './pull-text.ts';

export interface PullsOptions {
  readonly table: Pick<WorkspaceTable, 'list' | 'get' | 'save'>;
  /** The worktree of a workspace. */
  readonly worktree: (row: StoredWorkspace) => Promise<Repository>;
  readonly environment: (project: string) => Environment;
  readonly changed: (workspace: string) => void;
  readonly now: () => number;
}

/** Where a workspace's branch is pushed, and where its pull request goes. */
interface Place {
  readonly repository: Repository;
  readonly branch: string;
  readonly base: string;
  /** The commit-ish of the base that is known here. */
  readonly baseRef: string;
  readonly from: ForgeRepository;
  readonly into: ForgeRepository;
}

interface Answer {
  readonly at: number;
  readonly states: ReadonlyMap<string, PullState>;
}

/** Several cards of one page ask at the same moment. */
const FRESH_MS = 5_000;
/** After the forge refused because of too many requests. */
const REST_MS = 5 * 60_000;
const MAX_WANTED = 20;
const LOG_BYTES = 64 * 1024;

export class Pulls {
  readonly #options: PullsOptions;
  readonly #answers = new Map<string, Answer>();
  readonly #asking = new Map<string, Promise<Answer>>();
  readonly #resting = new Map<string, number>();

  constructor(options: PullsOptions) {
    this.#options = options;
  }

  async look(id: string): Promise<PullPreview> {
    const row = this.#row(id);
    const place = await this.#place(row);
    const { repository, branch, base, baseRef, from, into } = place;
    const environment = this.#options.environment(row.project);
    return {
      ...(hasTool(environment) && !isGitLab(into) ? { tool: 'gh' as const } : {}),
      ...{ host: into.host, repository: into.repository, branch, base },
      ...(await pullText(repository, { base: baseRef, branch })),
      compare: comparePage(into, from, { base, branch }).slice(0, 3000),
      overrides: overridesOf(environment),
    };
  }

  /** Of a pushed branch. If it has an open one, that one is used. */
  async create(id: string, request: PullRequest): Promise<PullRef> {
    const row = this.#row(id);
    const place = await this.#place(row);
    if (/^-/.test(request.base)) throw new CodedError('INVALID_MESSAGE', 'Invalid branch name.');
    if (request.anyway !== true) refuseSecrets(request);
    const known = await this.#findOpen(row, place);
    if (known) return this.#keep(row, known);
    const { from, into, branch } = place;
    const head = from.repository === into.repository ? branch : `${ownerOf(from)}:${branch}`;
    const output = await this.#forge(row, into, {
      args: [
        ...['pr', 'create', `--repo=${into.host}/${into.repository}`, `--head=${head}`],
        ...[`--base=${request.base}`, `--title=${request.title}`],
        ...(request.draft ? ['--draft'] : []),
      ],
      bodyFile: request.body,
    });
    const url = output.trim().split('\n').at(-1) ?? '';
    const number = Number(/\/pull\/(\d+)$/.exec(url)?.[1]);
    const made = pullRefSchema.safeParse({ number, url, ...into });
    if (!made.success)
      throw new CodedError('FORGE_FAILED', 'gh created it, but its answer was not understood.');
    return this.#keep(row, made.data);
  }

  /** Finds the pull request of the branch by the rule of B54, and remembers its number. */
  async find(id: string): Promise<PullRef | undefined> {
    const row = this.#row(id);
    const place = await this.#place(row);
    const [found] = await this.#byBranch(row, place);
    return found && this.#keep(row, { number: found.number, url: found.url, ...place.into });
  }

  /** The state of the known pull request, and when it was read. One query reads all of the repository. */
  async state(id: string): Promise<PullState | undefined> {
    const { pull, project } = this.#row(id);
    if (!pull) return undefined;
    const key = `${project} ${pull.host}/${pull.repository}`;
    const { now } = this.#options;
    const last = this.#answers.get(key);
    if (last && now() - last.at < FRESH_MS && last.states.has(id)) return last.states.get(id);
    try {
      if ((this.#resting.get(key) ?? 0) > now()) {
        throw new CodedError('FORGE_FAILED', 'The forge allows no more requests for now.');
      }
      const asking = this.#asking.get(key) ?? this.#ask(key, project, pull);
      this.#asking.set(key, asking);
      return (await asking.finally(() => this.#asking.delete(key))).states.get(id);
    } catch (error) {
      const old = last?.states.get(id);
      if (!old || !(error instanceof CodedError)) throw error;
      return { ...old, stale: error.message.slice(0, 1000) };
    }
  }

  /** The end of a failed check's log. */
  async log(id: string, job: number): Promise<string> {
    const row = this.#row(id);
    if (!row.pull) throw new CodedError('FORGE_FAILED', 'This workspace has no pull request.');
    await this.#trusted(row);
    const { repository } = row.pull;
    const text = await this.#forge(row, row.pull, {
      args: ['api', `repos/${repository}/actions/jobs/${job}/logs`],
    });
    return Buffer.from(text)
      .subarray(-LOG_BYTES)
      .toString('utf8')
      .replace(/^\uFFFD+/, '');
  }

  async #ask(key: string, project: string, pull: PullRef): Promise<Answer> {
    const { table, now } = this.#options;
    const rows = table
      .list()
      .filter((row) => row.project === project && row.state === 'ready')
      .filter((row) => row.pull?.host === pull.host && row.pull.repository === pull.repository)
      .slice(0, MAX_WANTED);
    const [first] = rows;
    if (!first) return { at: now(), states: new Map() };
    await this.#trusted(first);
    try {
      const found = await this.#query(
        first,
        pull,
        rows.map((row) => row.pull?.number ?? 0),
      );
      const at = now();
      const states = new Map<string, PullState>();
      rows.forEach(({ id }, index) => {
        const [one] = found[index] ?? [];
        if (one) states.set(id, pullState(one, at));
      });
      const answer = { at, states };
      this.#answers.set(key, answer);
      return answer;
    } catch (error) {
      if (error instanceof CodedError && /rate limit|HTTP 429/i.test(error.message)) {
        this.#resting.set(key, now() + REST_MS);
      }
      throw error;
    }
  }

  async #findOpen(row: StoredWorkspace, place: Place): Promise<PullRef | undefined> {
    const open = (await this.#byBranch(row, place)).find(({ state }) => state === 'OPEN');
    return open && { number: open.number, url: open.url, ...place.into };
  }

  /**
   * Open ones first, and only from our repository: anybody can open one from a fork whose branch has the same name. A
   * closed or merged one only if its head is in the workspace's history (B54).
   */
  async #byBranch(row: StoredWorkspace, { repository, branch, from, into }: Place): Promise<ForgePull[]> {
    const [found = []] = await this.#query(row, into, [branch]);
    const own: ForgePull[] = [];
    for (const pull of found) {
      const isOwn = pull.state === 'OPEN' ? isFrom(pull, from) : await isIn(repository, pull.headRefOid);
      if (isOwn) own.push(pull);
    }
    return own.sort((a, b) => Number(b.state === 'OPEN') - Number(a.state === 'OPEN'));
  }

  async #query(
    row: StoredWorkspace,
    { host, repository }: ForgeRepository,
    wanted: readonly (number | string)[],
  ): Promise<ForgePull[][]> {
    const input = JSON.stringify(pullQuery(repository, wanted));
    const text = await this.#forge(
      row,
      { host, repository },
      { args: ['api', 'graphql', '--input', '-'], input },
    );
    try {
      return parsePulls(text, wanted.length);
    } catch {
      throw new CodedError('FORGE_FAILED', 'The answer of the forge was not understood.');
    }
  }

  #forge(
    row: StoredWorkspace,
    { host }: ForgeRepository,
    call: { readonly args: readonly string[]; readonly input?: string; readonly bodyFile?: string },
  ): Promise<string> {
    return forge({ ...call, host, environment: this.#options.environment(row.project) });
  }

  #keep(row: StoredWorkspace, { number, url, host, repository }: PullRef): PullRef {
    const { table, changed } = this.#options;
    const isForeign = row.pull?.isForeign;
    const pull = { number, url, host, repository, ...(isForeign ? { isForeign } : {}) };
    table.save({ ...(table.get(row.id) ?? row), pull });
    changed(row.id);
    return pull;
  }

  async #trusted(row: StoredWorkspace): Promise<Repository> {
    const repository = await this.#options.worktree(row);
    needTrust(repository);
    return repository;
  }

  async #place(row: StoredWorkspace): Promise<Place> {
    const repository = await this.#trusted(row);
    const branch = await currentBranch(repository);
    if (branch === undefined) throw new CodedError('GIT_FAILED', 'No branch is checked out.');
    const { remote: target, from, into } = await targetOf(repository, branch);
    const base =
      baseName(row, await remotesOf(repository)) ?? (await defaultBranch(repository, target)) ?? 'main';
    const seen = `refs/remotes/${target}/${base}`;
    const baseRef = (await commitOf(repository, seen)) === undefined ? `refs/heads/${base}` : seen;
    return { repository, branch, base, baseRef, from, into };
  }

  #row(id: string): StoredWorkspace {
    const row = this.#options.table.get(id);
    if (!row) throw new CodedError('WORKSPACE_NOT_FOUND');
    return row;
  }
}

/** Agents write commit messages, which the text is proposed from. */
function refuseSecrets(request: PullRequest): void {
  const [secret] = secretsInPull(request);
  if (!secret) return;
  throw new CodedError(
    'PUSH_SECRETS',
    `The ${secret.where} seems to contain a secret (${secret.kind} ${secret.begins}). No pull request was created.`,
    'Remove it, or confirm that it isn’t one.',
  );
}

/** The base's name on the remote. */
function baseName({ baseRef }: StoredWorkspace, remotes: readonly string[]): string | undefined {
  if (baseRef?.startsWith('refs/heads/')) return baseRef.slice('refs/heads/'.length);
  const prefix = remotes.map((name) => `refs/remotes/${name}/`).find((one) => baseRef?.startsWith(one));
  return prefix === undefined ? undefined : baseRef?.slice(prefix.length);
}

function isFrom({ headRepository }: ForgePull, { repository }: ForgeRepository): boolean {
  return headRepository?.nameWithOwner.toLowerCase() === repository.toLowerCase();
}

async function isIn(repository: Repository, commit: string): Promise<boolean> {
  return (await commitOf(repository, commit)) !== undefined && (await isAncestor(repository, commit, 'HEAD'));
}
