import { Keyboard } from 'lucide-react';
import { useMemo } from 'react';
import { doNotDisturb } from '../../features/attention/attention-settings.ts';
import { runAction } from '../../kit/action-runners.ts';
import { useClient } from '../../kit/client-context.tsx';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { atHome } from '../../kit/route.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { Icon } from '../../ui/Icon.tsx';
import { ConnectionState } from '../ConnectionState.tsx';
import { slotCounts } from '../fleet-counts.ts';

const SpentToday = lazyComponent(() => import('./SpentToday.tsx').then((part) => part.SpentToday));
const BranchState = lazyComponent(() => import('./BranchState.tsx').then((part) => part.BranchState));

/** The status bar (D17). Can be hidden; the connection then moves to the top bar. */
export function StatusBar() {
  const deck = useReadable(useClient().deck);
  const isQuiet = useReadable(doNotDisturb);
  const isHome = useReadable(atHome);
  const slots = useMemo(() => deck && slotCounts(deck), [deck]);
  return (
    <footer className="status-bar">
      <ConnectionState />
      {slots ? <span title={slots.detail}>{slots.text}</span> : null}
      <SpentToday />
      {isQuiet ? <span>Do not disturb</span> : null}
      <span className="top-space" />
      {isHome ? null : <BranchState />}
      <button type="button" className="status-button" onClick={() => runAction('keyboard.show')}>
        <Icon icon={Keyboard} size={13} />
        Keyboard shortcuts
      </button>
    </footer>
  );
}
