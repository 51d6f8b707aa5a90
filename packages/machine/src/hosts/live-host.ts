/** A running session host as the server sees it, and what its summary implies. */
import type { LedgerRecord } from '@tugdeck/local/ledger';
import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import { HOST_LINK_OLDEST } from '@tugdeck/protocol/wire/version';
import type { HostAddress, HostConnection } from './host-connection.ts';

export interface LiveHost {
  readonly session: string;
  readonly record: LedgerRecord;
  readonly address: HostAddress;
  /** The connection that receives summaries. When it closes, the host may be gone. */
  watch: HostConnection | undefined;
  summary: Summary | undefined;
  /** When its summary last changed, by our clock. */
  summaryAt: number;
  /** Whether it was asked to end. It ignores `if-idle` if a prompt is already on its way. */
  end: 'no' | 'if-idle' | 'now';
}

/** Running hosts by session; the pool fills it. */
export type LiveHosts = Map<string, LiveHost>;

export function addressOf(record: LedgerRecord): HostAddress | undefined {
  const { socket, secret, linkVersion } = record;
  if (socket === undefined || secret === undefined) return undefined;
  return { socket, secret, version: linkVersion ?? HOST_LINK_OLDEST };
}

/** Whether nothing runs and nothing is pending, so that the host can end without losing anything. */
export function isIdle({ summary }: LiveHost): boolean {
  return (
    summary !== undefined &&
    summary.turn === 'idle' &&
    summary.waiting === 0 &&
    (summary.queued ?? 0) === 0 &&
    summary.slot === undefined &&
    summary.agentState !== 'starting' &&
    summary.agentState !== 'reconnecting'
  );
}

/** The host to end first when the limit is reached (H1). */
export function longestIdle(hosts: Iterable<LiveHost>): LiveHost | undefined {
  let found: LiveHost | undefined;
  for (const host of hosts) {
    if (host.end === 'now' || !isIdle(host)) continue;
    if (!found || idleSince(host) < idleSince(found)) found = host;
  }
  return found;
}

/** From the conversation, so that it survives a restart of the server. */
function idleSince({ summary, summaryAt }: LiveHost): number {
  return summary?.changedAt ?? summaryAt;
}

/** Whether its agent runs. A host alone needs a fifth of the memory. */
export function hasAgent({ summary }: LiveHost): boolean {
  if (!summary) return true;
  return summary.agentState !== 'idle' && summary.agentState !== 'failed';
}
