/** The user's commands in terminals of a workspace: its setup (B17), and run commands such as a server (B21, B22). */
import type { TerminalInfo } from '@tugdeck/protocol/terminal/terminal';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { save } from './operation.ts';
import type { Operations, WorkspacesOptions } from './operations.ts';
import { portHolder } from './port-holder.ts';
import { canBind, firstPort, freeSlot } from './ports.ts';
import type { RunUse } from './run-use.ts';
import type { WorkspaceSettings } from './settings.ts';

export interface RunRequest {
  readonly name: string;
  /** The user agreed that the command of another workspace stops. */
  readonly confirmed?: boolean | undefined;
}

const MAX_NAMES = 20;

interface RunsOptions extends Pick<WorkspacesOptions, 'table' | 'projects' | 'settings'> {
  readonly changed: (workspace: string) => void;
}

export class Runs {
  readonly #options: RunsOptions;
  readonly #operations: Pick<Operations, 'use' | 'setups' | 'takenSlots'>;
  readonly #idle: (id: string) => StoredWorkspace;

  /** `idle` returns a workspace that can be used and has no operation. */
  constructor(
    options: RunsOptions,
    operations: Pick<Operations, 'use' | 'setups' | 'takenSlots'>,
    idle: (id: string) => StoredWorkspace,
  ) {
    this.#options = options;
    this.#operations = operations;
    this.#idle = idle;
  }

  names(row: StoredWorkspace): string[] {
    return Object.keys(this.#settings(row).run ?? {}).slice(0, MAX_NAMES);
  }

  async start(id: string, request: RunRequest): Promise<void> {
    const row = this.#idle(id);
    const others = this.#options.table
      .list()
      .filter((other) => other.project === row.project && other.id !== id && other.state === 'ready');
    await startRun(this.#operations.use.runs, this.#settings(row), row, others, request);
  }

  async stop(id: string, name: string): Promise<void> {
    await this.#operations.use.runs.stop(runTerminal(id, name));
  }

  /** Other ports, after a program took one of them (B21). Programs that run keep the old ones. */
  async changePorts(id: string): Promise<void> {
    this.#idle(id);
    const slot = await freeSlot(() => this.#operations.takenSlots());
    save(this.#options.table, this.#idle(id), { slot });
    this.#options.changed(id);
  }

  /** The setup (B17): `skip` no longer waits for it, `run` runs it again. */
  setup(id: string, act: 'skip' | 'run'): void {
    const { setups } = this.#operations;
    if (act === 'skip') {
      setups.skip(id);
      return;
    }
    const row = this.#idle(id);
    const { setup } = this.#settings(row);
    if (setup === undefined) {
      throw new CodedError(
        'INVALID_MESSAGE',
        'This project has no setup command.',
        'Add one in config.json.',
      );
    }
    if (!setups.isRunning(id)) setups.runAgain(row, setup);
  }

  #settings({ project }: StoredWorkspace): WorkspaceSettings {
    return this.#options.settings(this.#options.projects.get(project).path);
  }
}

/** The id of a run command's terminal. */
function runTerminal(workspace: string, name: string): string {
  return `run-${workspace}-${name}`;
}

/** `others` are the project's other workspaces on disk. */
async function startRun(
  use: RunUse,
  settings: WorkspaceSettings,
  row: StoredWorkspace,
  others: readonly StoredWorkspace[],
  { name, confirmed }: RunRequest,
): Promise<void> {
  const command = Object.hasOwn(settings.run ?? {}, name) ? settings.run?.[name] : undefined;
  if (command === undefined)
    throw new CodedError('INVALID_MESSAGE', `Unknown run command: ${name.slice(0, 60)}.`);
  const running = await runningIn(use, row.id);
  const terminal = runTerminal(row.id, name);
  if (running.some(({ id }) => id === terminal)) return;
  if (settings.runOneAtATime) await stopOthers(use, others, confirmed === true);
  // Commands of one workspace share its ports.
  if (running.length === 0 && row.slot !== undefined) await checkPort(firstPort(row.slot));
  await use.start(row, command, { terminal, name });
}

async function stopOthers(
  use: RunUse,
  others: readonly StoredWorkspace[],
  confirmed: boolean,
): Promise<void> {
  for (const other of others) {
    const running = await runningIn(use, other.id);
    if (running.length === 0) continue;
    if (!confirmed) {
      const names = running.map((one) => one.name ?? one.id).join(', ');
      throw new CodedError('NOT_CONFIRMED', `${names} is running in ${other.name} and will be stopped.`);
    }
    for (const { id } of running) await use.stop(id);
  }
}

/** Another program's answer on the workspace's port would be taken for the workspace's. */
async function checkPort(port: number): Promise<void> {
  if (await canBind(port)) return;
  const holder = portHolder(port) ?? 'another program';
  throw new CodedError(
    'WORKSPACE_BUSY',
    `Port ${port} is used by ${holder}.`,
    'Stop it, or use other ports.',
  );
}

async function runningIn(use: RunUse, workspace: string): Promise<TerminalInfo[]> {
  return (await use.terminals(workspace)).filter(
    ({ id, state }) => id.startsWith(runTerminal(workspace, '')) && state.type === 'running',
  );
}
