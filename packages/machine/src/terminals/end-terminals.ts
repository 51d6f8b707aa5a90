/**
 * Ends the terminal host and everything in its terminals (L8, `stop --all`): first by request, then whatever is left
 * by its mark. Works without a running server.
 */

import { endElsewhere, endingMs, isElsewhere } from '@tugdeck/local/end-elsewhere';
import type { Ledger, LedgerRecord } from '@tugdeck/local/ledger';
import { endTree } from '@tugdeck/local/process-ending';
import type { ProcessIdentity } from '@tugdeck/local/process-identity';
import { TERMINALS_RECORD } from '@tugdeck/local/terminal-host-config';
import type { Timings } from '@tugdeck/local/timings';
import { connectTerminals } from './terminal-link.ts';

export interface EndedTerminals {
  /** Terminals with a running program. */
  readonly terminals: number;
  /** Processes that could not be ended; normally empty. */
  readonly left: readonly ProcessIdentity[];
}

export async function endTerminals(ledger: Ledger, timings: Timings): Promise<EndedTerminals> {
  const record = ledger.get(TERMINALS_RECORD);
  if (!record) return { terminals: 0, left: [] };
  const isAlive = ledger.isAlive(record);
  const terminals = isAlive ? await requestEnd(record, timings) : undefined;
  // A shell exits when its terminal closes; programs that ignore that get as long as an agent.
  const farewellMs = terminals === undefined ? 0 : timings.terminateMs;
  if (isAlive && isElsewhere(record)) {
    const waits = {
      isRequested: terminals !== undefined,
      withinMs: endingMs(timings),
      leaseMs: timings.leaseMs,
    };
    if (!(await endElsewhere(record, ledger, waits))) return { terminals: 0, left: [record.identity] };
  }
  const left = await endTree({ ...record, group: undefined }, { ...timings, farewellMs });
  if (left.length === 0) ledger.remove(TERMINALS_RECORD);
  return { terminals: terminals ?? 0, left };
}

async function requestEnd({ socket, secret }: LedgerRecord, timings: Timings): Promise<number | undefined> {
  if (socket === undefined || secret === undefined) return undefined;
  try {
    return await new Promise<number>((resolve, reject) => {
      connectTerminals(
        { socket, secret },
        {
          received(message) {
            if (message.type !== 'terminals') return;
            resolve(message.terminals.filter(({ state }) => state.type === 'running').length);
          },
          unreadable: () => undefined,
          closed: () => reject(new Error('terminal host exited')),
        },
        timings.terminateMs,
      ).then((link) => {
        link.send({ type: 'watch' });
        link.send({ type: 'end' });
      }, reject);
    });
  } catch {
    return undefined; // It does not answer; signals remain.
  }
}
