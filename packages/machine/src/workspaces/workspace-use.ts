/** The agents and terminals in a workspace, and its setup in a terminal (B17, B61). */
import type { TerminalInfo } from '@tugdeck/protocol/terminal/terminal';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { HostPool } from '../hosts/host-pool.ts';
import { isIdle } from '../hosts/live-host.ts';
import type { Projects } from '../projects/projects.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { shellLaunch } from '../terminals/shell-launch.ts';
import type { Terminals } from '../terminals/terminals.ts';
import { directoryOf, workspaceEnvironment } from './environment.ts';
import type { WorkspaceUse } from './operations.ts';
import type { WorkspaceSettings } from './settings.ts';

const SIZE = { cols: 120, rows: 30 };

interface UseRecords {
  readonly sessions: Pick<Sessions, 'find'>;
  readonly projects: Pick<Projects, 'get' | 'environment'>;
  readonly workspaceSettings: (projectPath: string) => WorkspaceSettings;
}

export function workspaceUse(
  { sessions, projects, workspaceSettings }: UseRecords,
  pool: Pick<HostPool, 'list' | 'release'>,
  terminals: Pick<Terminals, 'listed' | 'of' | 'request' | 'subscribe'>,
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
    async setup(row, command) {
      const { path } = projects.get(row.project);
      const own = workspaceEnvironment(row, path, workspaceSettings(path).environment);
      const environment = { ...projects.environment(row.project), ...own };
      const shell = shellLaunch(directoryOf(row), environment);
      // One terminal per workspace: a new server finds the one that an earlier one started.
      const terminal = `setup-${row.id}`;
      try {
        const isKnown = (await terminals.listed(row.id)).some(({ id }) => id === terminal);
        if (!isKnown) {
          await terminals.request({
            type: 'create',
            terminal,
            project: row.id,
            name: 'Setup',
            runs: { type: 'shell' },
            size: SIZE,
            launch: { ...shell, args: ['-c', command] },
          });
        }
        return await exitCode(terminals, row.id, terminal);
      } catch (error) {
        // No terminal could be started; the workspace is usable without its setup.
        if (error instanceof CodedError) return undefined;
        throw error;
      }
    },
  };
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
