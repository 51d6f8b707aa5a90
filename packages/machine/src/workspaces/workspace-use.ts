/** The agents and terminals in a workspace, and its setup in a terminal (B17, B61). */
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { TerminalInfo } from '@tugdeck/protocol/terminal/terminal';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { readTurnSpans } from '@tugdeck/trees/turn-bounds';
import type { HostPool } from '../hosts/host-pool.ts';
import { isIdle } from '../hosts/live-host.ts';
import type { Projects } from '../projects/projects.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { shellLaunch } from '../terminals/shell-launch.ts';
import type { Terminals } from '../terminals/terminals.ts';
import { directoryOf, workspaceEnvironment } from './environment.ts';
import type { WorkspaceUse } from './programs.ts';
import type { WorkspaceSettings } from './settings.ts';

const SIZE = { cols: 120, rows: 30 };

interface UseRecords {
  readonly sessions: Pick<Sessions, 'find' | 'list' | 'row' | 'move'>;
  readonly projects: Pick<Projects, 'get' | 'environment'>;
  readonly workspaceSettings: (projectPath: string) => WorkspaceSettings;
}

export function workspaceUse(
  { sessions, projects, workspaceSettings }: UseRecords,
  pool: Pick<HostPool, 'list' | 'release' | 'ensure'>,
  terminals: Pick<Terminals, 'listed' | 'of' | 'request' | 'subscribe'>,
  data: Pick<DataDirectory, 'session'>,
): WorkspaceUse {
  const hosts = (workspace: string) =>
    pool.list().filter(({ session }) => sessions.find(session)?.workspace === workspace);
  return {
    isWorking: (workspace) => hosts(workspace).some((host) => !isIdle(host)),
    async counts(workspace) {
      const running = (await terminals.listed(workspace)).filter(isRunning);
      return { terminals: running.length, agents: hosts(workspace).length };
    },
    async end(workspace) {
      for (const { session } of hosts(workspace)) await pool.release(session);
      for (const { id } of await terminals.listed(workspace)) {
        await terminals.request({ type: 'close', terminal: id });
      }
    },
    runs: {
      terminals: (workspace) => terminals.listed(workspace),
      async start(row, command, { terminal, name }) {
        await open(row, command, { terminal, name, again: true });
      },
      async stop(terminal) {
        await terminals.request({ type: 'close', terminal });
      },
    },
    async lastTree(workspace, place) {
      const own = sessions.list().filter((row) => row.workspace === workspace);
      const turns = await Promise.all(own.map(({ id }) => readTurnSpans(data.session(id).trees)));
      return turns
        .flat()
        .flatMap(({ start, end }) => [start, end])
        .filter((bound) => bound?.tree !== undefined && bound.place === place)
        .sort((a, b) => (a?.at ?? 0) - (b?.at ?? 0))
        .at(-1)?.tree;
    },
    session: (id) => sessions.row(id),
    isIdle: (session) => {
      const host = pool.list().find((one) => one.session === session);
      return !host || isIdle(host);
    },
    async move(session, workspace) {
      if (sessions.row(session).workspace !== workspace) {
        if (!this.isIdle(session)) throw new CodedError('WORKSPACE_BUSY', 'The agent is working.');
        await pool.release(session);
        sessions.move(session, workspace);
      }
      // Its host notes the new directory in the journal; the agent starts with the next prompt.
      await pool.ensure(session);
    },
    // One terminal per workspace: a new server finds the one that an earlier one started.
    setup: (row, command, again = false) =>
      runVisible(row, command, { terminal: `setup-${row.id}`, name: 'Setup', again }),
    teardown: (row, command) =>
      runVisible(row, command, { terminal: `teardown-${row.id}`, name: 'Teardown', again: false }),
    check: (row, command, id, again = false) =>
      runVisible(row, command, { terminal: `check-${id}`, name: 'Check', again }),
  };

  async function runVisible(
    row: StoredWorkspace,
    command: string,
    how: { terminal: string; name: string; again: boolean },
  ): Promise<number | undefined> {
    try {
      await open(row, command, how);
      return await exitCode(terminals, row.id, how.terminal);
    } catch (error) {
      // No terminal could be started; the workspace is usable without its setup.
      if (error instanceof CodedError) return undefined;
      throw error;
    }
  }

  async function open(
    row: StoredWorkspace,
    command: string,
    { terminal, name, again }: { terminal: string; name: string; again: boolean },
  ): Promise<void> {
    const { path } = projects.get(row.project);
    const own = workspaceEnvironment(row, path, workspaceSettings(path).environment);
    const environment = { ...projects.environment(row.project), ...own };
    const shell = shellLaunch(directoryOf(row), environment);
    const isKnown = (await terminals.listed(row.id)).some(({ id }) => id === terminal);
    if (isKnown && !again) return;
    if (isKnown) await terminals.request({ type: 'close', terminal });
    await terminals.request({
      type: 'create',
      terminal,
      project: row.id,
      name,
      runs: { type: 'shell' },
      size: SIZE,
      launch: { ...shell, args: ['-c', command] },
    });
  }
}

/** Undefined if the terminal was closed. */
function exitCode(
  terminals: Pick<Terminals, 'of' | 'subscribe'>,
  workspace: string,
  terminal: string,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const check = () => {
      const found = terminals.of(workspace).find(({ id }) => id === terminal);
      if (found?.state.type === 'running') return;
      unsubscribe();
      resolve(found?.state.type === 'exited' ? found.state.code : undefined);
    };
    const unsubscribe = terminals.subscribe(check);
    check();
  });
}

function isRunning({ state }: TerminalInfo): boolean {
  return state.type === 'running';
}
