/**
 * Message for a process that `stop` could not confirm to have ended. Includes its place, because a pid is only valid
 * there.
 */
import type { LedgerRecord } from '@tugdeck/local/ledger';
import { describePlace, whereabouts } from '@tugdeck/local/place';
import type { ProcessIdentity } from '@tugdeck/local/process-identity';

export function unconfirmedExit({ identity }: Pick<LedgerRecord, 'identity'>): string {
  return `Could not confirm that process ${identity.pid} ${describePlace(identity)} ended. Its lock is gone, so it will exit when it next checks.`;
}

/** One line for all processes here, and one for each elsewhere. */
export function describeRemaining(left: readonly ProcessIdentity[]): string[] {
  const here = left.filter((identity) => whereabouts(identity) === 'here');
  const elsewhere = left.filter((identity) => whereabouts(identity) !== 'here');
  return [
    ...(here.length > 0 ? [`Still running: ${here.map(({ pid }) => pid).join(', ')}`] : []),
    ...elsewhere.map((identity) => unconfirmedExit({ identity })),
  ];
}
