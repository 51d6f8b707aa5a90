/**
 * Starts work on a pull request or an issue by its number (B91), with the user's own `gh`. The commits of a pull request
 * are fetched from the repository itself; those of a fork count as foreign code.
 */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { ForgeItem, ForgeStart } from '@tugdeck/protocol/workspaces/forge-item';
import type { WorkspaceSpec } from '@tugdeck/protocol/workspaces/workspace';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { defaultBranch, needTrust, networkFault, networkOptions } from '../git/remotes.ts';
import { checkBranchName, commitOf, type Repository } from '../git/repository.ts';
import type { Base } from '../workspaces/base.ts';
import type { ForgeRepository } from './forge-address.ts';
import { type Environment, forge } from './forge-cli.ts';
import { type FoundItem, itemQuery, parseItem } from './forge-item-query.ts';
import { targetOf } from './forge-target.ts';

export interface ForgeStartsOptions {
  /** The project's checkout. */
  readonly checkout: (project: string) => Promise<Repository>;
  readonly environment: (project: string) => Environment;
  readonly create: (project: string, spec: WorkspaceSpec, at?: Base) => Promise<StoredWorkspace>;
  /** Resolves when the workspace has been created, or could not be. */
  readonly settled: (workspace: string) => Promise<unknown>;
}

interface Found {
  readonly repository: Repository;
  readonly remote: string;
  readonly into: ForgeRepository;
  readonly item: FoundItem;
}

const FOREIGN =
  'The code is from a fork: the setup did not run, and ignored files such as .env were not copied.';

export class ForgeStarts {
  readonly #options: ForgeStartsOptions;

  constructor(options: ForgeStartsOptions) {
    this.#options = options;
  }

  async look(project: string, number: number): Promise<ForgeItem> {
    const { base: _, ...item } = (await this.#find(project, number)).item;
    return item;
  }

  /** Begins to create its workspace. A pull request must still have the head that was shown. */
  async begin(project: string, { number, commit }: ForgeStart): Promise<StoredWorkspace> {
    const found = await this.#find(project, number);
    const { item } = found;
    const title = `${item.number} ${item.title}`;
    if (!item.head) return this.#options.create(project, { title });
    if (commit !== undefined && item.head.commit !== commit) throw moved(item.number);
    return this.#beginPull(project, found, item.head, title);
  }

  async #beginPull(
    project: string,
    { repository, remote, into, item }: Found,
    head: NonNullable<ForgeItem['head']>,
    title: string,
  ): Promise<StoredWorkspace> {
    const { create, settled } = this.#options;
    const kept = `refs/tugdeck/pulls/${item.number}`;
    await this.#fetch(project, repository, remote, `refs/pull/${item.number}/head:${kept}`);
    if ((await commitOf(repository, kept)) !== head.commit) throw moved(item.number);
    const branch = head.isForeign ? undefined : await freeBranch(repository, head.branch);
    const row = await create(
      project,
      {
        title,
        ...(branch === undefined ? {} : { branch }),
        ...(head.isForeign ? { noSetup: true } : {}),
      },
      {
        ref: await baseRef(repository, remote, item.base),
        commit: head.commit,
        pull: {
          ...{ number: item.number, url: item.url, host: into.host, repository: into.repository },
          ...(head.isForeign ? { isForeign: true } : {}),
        },
        ...(head.isForeign ? { isForeign: true, note: FOREIGN } : {}),
      },
    );
    // Then its branch has the commits.
    void settled(row.id)
      .catch(() => undefined)
      .then(() => repository.write(['update-ref', '-d', kept]))
      .catch(() => undefined);
    return row;
  }

  async #find(project: string, number: number): Promise<Found> {
    const repository = await this.#options.checkout(project);
    needTrust(repository);
    const { remote, into } = await targetOf(repository);
    const environment = this.#options.environment(project);
    const input = JSON.stringify(itemQuery(into.repository, number));
    const text = await forge({
      environment,
      host: into.host,
      args: ['api', 'graphql', '--input', '-'],
      input,
    });
    const item = read(text, into.repository);
    if (!item) {
      throw new CodedError('FORGE_FAILED', `${into.repository} has no pull request or issue #${number}.`);
    }
    return { repository, remote, into, item };
  }

  async #fetch(project: string, repository: Repository, remote: string, refs: string): Promise<void> {
    const args = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
    const options = networkOptions(this.#options.environment(project));
    await repository.write([...args, '--', remote, `+${refs}`], options).catch((error: unknown) => {
      throw networkFault(error);
    });
  }
}

function read(text: string, repository: string): FoundItem | undefined {
  try {
    return parseItem(text, repository);
  } catch {
    throw new CodedError('FORGE_FAILED', 'The answer of the forge was not understood.');
  }
}

function moved(number: number): CodedError {
  return new CodedError('GIT_CHANGED', `Pull request #${number} has new commits.`, 'Look at it again.');
}

/** The branch of the pull request, so that a push updates it; undefined if the name is in use here, or not possible. */
async function freeBranch(repository: Repository, name: string): Promise<string | undefined> {
  try {
    await checkBranchName(repository, name);
  } catch {
    return undefined;
  }
  return (await commitOf(repository, `refs/heads/${name}`)) === undefined ? name : undefined;
}

async function baseRef(
  repository: Repository,
  remote: string,
  name: string | undefined,
): Promise<string | undefined> {
  const base = name ?? (await defaultBranch(repository, remote));
  for (const ref of [`refs/remotes/${remote}/${base}`, `refs/heads/${base}`]) {
    if ((await commitOf(repository, ref)) !== undefined) return ref;
  }
  return undefined;
}
