/** A session host that runs, as the server sees it, and what may be concluded from its summary. */
import type { LedgerRecord } from '@tugdeck/local/ledger';
import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import { HOST_LINK_OLDEST } from '@tugdeck/protocol/wire/version';
import type { HostAddress, HostConnection } from './host-connection.ts';

export interface LiveHost {
  readonly session: string;
  readonly record: LedgerRecord;
  readonly address: HostAddress;
  /** Tells summaries, and by its end that the host may be gone. */
  watch: HostConnection | undefined;
  summary: Summary | undefined;
  /** When its summary changed last, by our clock. */
  summaryAt: number;
  ending: boolean;
}

export function addressOf(record: LedgerRecord): HostAddress | undefined {
  const { socket, secret, linkVersion } = record;
  if (socket === undefined || secret === undefined) return undefined;
  return { socket, secret, version: linkVersion ?? HOST_LINK_OLDEST };
}

/** Nothing runs and nobody is waited for: it may end without anyone losing anything. */
export function isIdle({ summary }: LiveHost): boolean {
  return (
    summary !== undefined &&
    summary.turn === 'idle' &&
    summary.waiting === 0 &&
    summary.agentState !== 'starting' &&
    summary.agentState !== 'reconnecting'
  );
}

/** Who has to leave first when there are too many (H1). */
export function longestIdle(hosts: Iterable<LiveHost>): LiveHost | undefined {
  let found: LiveHost | undefined;
  for (const host of hosts) {
    if (host.ending || !isIdle(host)) continue;
    if (!found || host.summaryAt < found.summaryAt) found = host;
  }
  return found;
}
