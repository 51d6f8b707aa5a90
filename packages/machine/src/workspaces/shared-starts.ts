/** What attempts need of workspaces (B37): one base for several of them, and the check command in each. */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { type Base, resolveBase } from './base.ts';
import type { Operations, WorkspacesOptions } from './operations.ts';

export class SharedStarts {
  readonly #options: Pick<WorkspacesOptions, 'projects' | 'settings'>;
  readonly #operations: Operations;
  readonly #idle: (id: string) => StoredWorkspace;

  /** `idle` throws unless the workspace can be used. */
  constructor(
    options: Pick<WorkspacesOptions, 'projects' | 'settings'>,
    operations: Operations,
    idle: (id: string) => StoredWorkspace,
  ) {
    this.#options = options;
    this.#operations = operations;
    this.#idle = idle;
  }

  /** Resolves the commit that new workspaces of the project start from; fetches it in a trusted project. */
  async base(project: string, asked: string | undefined): Promise<Base> {
    const { projects, settings } = this.#options;
    const { path, trust } = projects.get(project);
    const { base: configured, fetch } = settings(path);
    return resolveBase(await this.#operations.repository(project), {
      ...{ asked, configured },
      ...(trust === 'yes' && fetch !== false ? { fetchWith: projects.environment(project) } : {}),
    });
  }

  /** The check command of a workspace; throws if it can't run there now. */
  checkCommand(id: string): string {
    const { projects, settings } = this.#options;
    const { path, trust } = projects.get(this.#idle(id).project);
    const { check } = settings(path);
    if (check === undefined) {
      throw new CodedError(
        'INVALID_MESSAGE',
        'No check command is configured.',
        'Set workspaces.check in config.json.',
      );
    }
    if (trust !== 'yes') {
      throw new CodedError(
        'PROJECT_UNTRUSTED',
        'The check would run commands of a project that you have not trusted.',
      );
    }
    return check;
  }

  /** Runs it in a visible terminal; its exit code, undefined if it was stopped. */
  check(id: string, name: string): Promise<number | undefined> {
    return this.#operations.use.check(this.#idle(id), this.checkCommand(id), name, true);
  }

  /** Resolves when the workspace has no operation, whether it failed or not. */
  settle(id: string): Promise<void> {
    return this.#operations.idle(id);
  }
}
