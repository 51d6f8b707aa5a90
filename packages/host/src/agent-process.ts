/**
 * The operating system's side of one session's agent: its mark, its ledger record, its end (L8). Whoever
 * starts an agent for a session first ends what the ledger names for it: two of them could write one session.
 */
import { randomBytes } from 'node:crypto';
import type { Ledger, LedgerRecord } from '@tugdeck/local/ledger';
import type { Log } from '@tugdeck/local/log';
import { endTree, type Tree } from '@tugdeck/local/process-ending';
import { identify } from '@tugdeck/local/process-identity';
import type { Timings } from '@tugdeck/local/timings';
import type { AgentProcess } from './runner.ts';
import { startWatchdog } from './watchdog.ts';

/** No process ever started then. */
const GONE = 'gone';

export interface AgentProcessOptions {
  readonly session: string;
  readonly ledger: Ledger;
  readonly timings: Timings;
  readonly log: Log;
}

export interface MarkedProcess extends AgentProcess {
  /** For the environment of the agent; everything it starts inherits it. */
  readonly mark: string;
  /** Ends what an earlier host of this session left running; `host` is the record that it left. */
  endLeftovers(host: LedgerRecord | undefined): Promise<void>;
  /** The host ends in order: nobody has to end the agent in its place (H12). */
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
      // One that is gone before it could be looked at may have left something with our mark.
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
