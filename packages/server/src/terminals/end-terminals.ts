/**
 * Ends the terminal host and everything in its terminals (L8, `stop --all`): it is asked first and hangs up, then what
 * is left is ended by its mark. Works by the ledger alone, so the server need not run.
 */
import type { Ledger, LedgerRecord } from '@tugdeck/local/ledger';
import { endTree } from '@tugdeck/local/process-ending';
import type { ProcessIdentity } from '@tugdeck/local/process-identity';
import { TERMINALS_RECORD } from '@tugdeck/local/terminal-host-config';
import type { Timings } from '@tugdeck/local/timings';
import { endElsewhere, endingMs, isElsewhere } from '../hosts/end-elsewhere.ts';
import { connectTerminals } from './terminal-link.ts';

export interface EndedTerminals {
  /** In which something ran. */
  readonly terminals: number;
  /** What could not be ended: hopefully nothing. */
  readonly left: readonly ProcessIdentity[];
}

export async function endTerminals(ledger: Ledger, timings: Timings): Promise<EndedTerminals> {
  const record = ledger.get(TERMINALS_RECORD);
  if (!record) return { terminals: 0, left: [] };
  const isAlive = ledger.isAlive(record);
  const terminals = isAlive ? await askToEnd(record, timings) : undefined;
  // A shell leaves when its terminal is closed; what ignores that gets no longer than an agent does.
  const farewellMs = terminals === undefined ? 0 : timings.terminateMs;
  if (isAlive && isElsewhere(record)) {
    const waits = {
      isAsked: terminals !== undefined,
      withinMs: endingMs(timings),
      leaseMs: timings.leaseMs,
    };
    if (!(await endElsewhere(record, ledger, waits))) return { terminals: 0, left: [record.identity] };
  }
  const left = await endTree({ ...record, group: undefined }, { ...timings, farewellMs });
  if (left.length === 0) ledger.remove(TERMINALS_RECORD);
  return { terminals: terminals ?? 0, left };
}

async function askToEnd({ socket, secret }: LedgerRecord, timings: Timings): Promise<number | undefined> {
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
          closed: () => reject(new Error('it left')),
        },
        timings.terminateMs,
      ).then((link) => {
        link.send({ type: 'watch' });
        link.send({ type: 'end' });
      }, reject);
    });
  } catch {
    return undefined; // It does not answer: signals are left.
  }
}
