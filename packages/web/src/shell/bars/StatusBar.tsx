import { Keyboard } from 'lucide-react';
import { useMemo } from 'react';
import { doNotDisturb } from '../../features/attention/attention-settings.ts';
import { runAction } from '../../kit/action-runners.ts';
import { useClient } from '../../kit/client-context.tsx';
import { useReadable } from '../../kit/use-readable.ts';
import { useSlowReadable } from '../../kit/use-slow-readable.ts';
import { Icon } from '../../ui/Icon.tsx';
import { ConnectionState } from '../ConnectionState.tsx';
import { slotCounts } from '../fleet-counts.ts';

/** The status bar (D17). Can be hidden; the connection then moves to the top bar. */
export function StatusBar() {
  const deck = useSlowReadable(useClient().deck, 500);
  const isQuiet = useReadable(doNotDisturb);
  const slots = useMemo(() => deck && slotCounts(deck), [deck]);
  return (
    <footer className="status-bar">
      <ConnectionState />
      {slots ? <span title={slots.detail}>{slots.text}</span> : null}
      {isQuiet ? <span>Do not disturb</span> : null}
      <span className="top-space" />
      <button type="button" className="status-keys" onClick={() => runAction('keyboard.show')}>
        <Icon icon={Keyboard} size={13} />
        Keyboard shortcuts
      </button>
    </footer>
  );
}
