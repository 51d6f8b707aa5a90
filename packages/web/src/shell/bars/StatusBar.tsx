import { Keyboard } from 'lucide-react';
import { useMemo } from 'react';
import { doNotDisturb } from '../../features/attention/attention-settings.ts';
import { runAction } from '../../kit/action-runners.ts';
import { useClient } from '../../kit/client-context.tsx';
import { plural } from '../../kit/format.ts';
import { reviewed } from '../../kit/reviewed.ts';
import { useNow } from '../../kit/use-now.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { useSlowReadable } from '../../kit/use-slow-readable.ts';
import { Icon } from '../../ui/Icon.tsx';
import { ConnectionState } from '../ConnectionState.tsx';
import { fleetCounts } from '../fleet-counts.ts';

/** Facts one glances at (D17). Can be hidden; the connection then moves to the top bar. */
export function StatusBar() {
  const deck = useSlowReadable(useClient().deck, 500);
  const done = useReadable(reviewed);
  const now = useNow('half-minute');
  const isQuiet = useReadable(doNotDisturb);
  const { needs, working } = useMemo(() => fleetCounts(deck?.sessions ?? [], now, done), [deck, now, done]);
  return (
    <footer className="status-bar">
      <ConnectionState />
      {needs + working > 0 ? <span>{plural(needs + working, 'active agent')}</span> : null}
      {isQuiet ? <span>Do not disturb</span> : null}
      <span className="top-space" />
      <button type="button" className="status-keys" onClick={() => runAction('keyboard.show')}>
        <Icon icon={Keyboard} size={13} />
        Keyboard shortcuts
      </button>
    </footer>
  );
}
