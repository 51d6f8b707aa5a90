/** The sentence for a process of ours that `stop` could not see end: a pid says nothing about where it is. */
import type { LedgerRecord } from '@tugdeck/local/ledger';
import { describePlace, whereabouts } from '@tugdeck/local/place';
import type { ProcessIdentity } from '@tugdeck/local/process-identity';

export function unconfirmedExit({ identity }: Pick<LedgerRecord, 'identity'>): string {
  return `Process ${identity.pid} ${describePlace(identity)} could not be seen to end. Its lock is gone, so it ends itself as soon as it looks.`;
}

/** One line for all that run here, one for each of another place. */
export function describeRemaining(left: readonly ProcessIdentity[]): string[] {
  const here = left.filter((identity) => whereabouts(identity) === 'here');
  const elsewhere = left.filter((identity) => whereabouts(identity) !== 'here');
  return [
    ...(here.length > 0 ? [`Still running: ${here.map(({ pid }) => pid).join(', ')}`] : []),
    ...elsewhere.map((identity) => unconfirmedExit({ identity })),
  ];
}
