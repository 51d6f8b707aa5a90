/** The processes that outlive the server: session hosts and the terminal host. */
import type { TerminalLaunch } from '@tugdeck/protocol/terminal/terminal-link';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { HostPool } from '../hosts/host-pool.ts';
import { HostStarter } from '../hosts/host-starter.ts';
import { agentTerminalLaunch } from '../terminals/agent-terminal.ts';
import { Terminals } from '../terminals/terminals.ts';
import { workspaceUse } from '../workspaces/workspace-use.ts';
import type { Context } from './context.ts';
import type { Records } from './records.ts';

export type Processes = ReturnType<typeof createProcesses>;

export function createProcesses(context: Context, records: Records) {
  const { sessions, workspaces, live, limits } = records;
  const { data, ledger, programs, timings, log, now, closing } = context;
  const starter = closing.add(new HostStarter(programs.starter));
  const shared = { data, ledger, start: starter.start, timings, log };
  const terminals = closing.add(
    new Terminals({ ...shared, program: programs.terminals, config: context.hostConfig }),
  );
  const pool = closing.add(
    new HostPool({
      ...{ ...shared, live, limits, now },
      program: programs.host,
      async launch(session) {
        // Two programs writing to the same agent session would corrupt it.
        if (terminals.holds(session)) {
          throw new CodedError(
            'SESSION_LOCKED',
            "This session is open in the agent's own terminal interface.",
            'Close it there to continue here.',
          );
        }
        const { workspace } = sessions.row(session);
        if (workspace !== undefined) await workspaces.ready(workspace);
        return sessions.launch(session);
      },
    }),
  );
  /** Sessions whose agent has an older configuration. */
  const outdated = new Set<string>();
  pool.subscribe({
    summary: (session) => {
      if (outdated.has(session)) pool.endIfIdle(session);
    },
    ended: (session) => void outdated.delete(session),
  });
  workspaces.useWith(workspaceUse(records, pool, terminals, data));
  return {
    starter,
    terminals,
    pool,
    /**
     * How to start the agent's own terminal interface for a session (A41). Our host has released the session by then.
     */
    agentTerminal: (session: string): Promise<TerminalLaunch> => agentTerminalLaunch(session, sessions, pool),
    /**
     * Agents read their configuration at startup: ends idle ones, and busy ones after their turn, so that the next turn
     * starts with the new one.
     */
    endIdle(isAffected: (row: { readonly project: string; readonly agent: string }) => boolean): void {
      for (const { session } of pool.list()) {
        const row = sessions.find(session);
        if (!row || !isAffected(row)) continue;
        outdated.add(session);
        pool.endIfIdle(session);
      }
    },
  };
}
