/**
 * Operating system side of a session's agent: its mark, its ledger record, its termination (L8). Before an agent
 * starts, processes that the ledger still lists for the session are ended, because two agents could write to the same
 * session.
 */
import { randomBytes } from 'node:crypto';
import type { Ledger, LedgerRecord } from '@tugdeck/local/ledger';
import type { Log } from '@tugdeck/local/log';
import { endTree, type Tree } from '@tugdeck/local/process-ending';
import { identify } from '@tugdeck/local/process-identity';
import type { Timings } from '@tugdeck/local/timings';
import { startWatchdog } from './watchdog.ts';

/** A start time that no process has. */
const GONE = 'gone';

export interface AgentProcessOptions {
  readonly session: string;
  readonly ledger: Ledger;
  readonly timings: Timings;
  readonly log: Log;
}

/** Operating system side of an agent: registered before it is used, terminated verifiably. */
export interface AgentProcess {
  register(pid: number): void;
  /** Ends everything that the agent started. `farewell` first sends the protocol's own shutdown message. */
  end(farewell: (() => void) | undefined): Promise<void>;
}

export interface MarkedProcess extends AgentProcess {
  /** Set in the agent's environment; its child processes inherit it. */
  readonly mark: string;
  /** Ends processes of an earlier host of this session. `host` is that host's ledger record. */
  endLeftovers(host: LedgerRecord | undefined): Promise<void>;
  /** The host is shutting down cleanly, so the watchdog must not end the agent (H12). */
  dismissWatchdog(): void;
}

export function agentProcess({ session, ledger, timings, log }: AgentProcessOptions): MarkedProcess {
  const id = `agent-${session}`;
  const mark = randomBytes(16).toString('hex');
  const watchdog = startWatchdog(mark, log);
  let tree: Tree | undefined;

  async function end(ended: Tree, farewellMs: number): Promise<void> {
    const left = await endTree(ended, { farewellMs, terminateMs: timings.terminateMs });
    if (left.length > 0) log.error('processes could not be ended', { pids: left.map(({ pid }) => pid) });
    else if (ledger.get(id)?.mark === ended.mark) ledger.remove(id);
  }

  return {
    mark,
    register(pid) {
      // A process that exits before it is identified may leave children that carry our mark.
      const identity = identify(pid) ?? { pid, started: GONE };
      tree = { identity, group: pid, mark };
      watchdog.watch(pid);
      ledger.write({ id, purpose: 'agent', identity, group: pid, session, mark });
    },
    async end(farewell) {
      const ended = tree;
      if (!ended) return;
      farewell?.();
      await end(ended, farewell ? timings.farewellMs : 0);
      if (tree !== ended) return;
      tree = undefined;
      watchdog.watch(0);
    },
    async endLeftovers(host) {
      const record = ledger.get(id);
      if (record) await end(record, 0);
      if (host?.mark !== undefined) await end(host, 0);
    },
    dismissWatchdog: () => watchdog.dismiss(),
  };
}
