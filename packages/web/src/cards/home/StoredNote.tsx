import { useClient } from '../../kit/client-context.tsx';
import { exactTime, localTime } from '../../kit/format.ts';
import { lastOnline } from '../../kit/last-online.ts';
import { useNow } from '../../kit/use-now.ts';
import { useReadable } from '../../kit/use-readable.ts';

/** The time of the board while the server can't be reached (N51). */
export function StoredNote() {
  const { state } = useReadable(useClient().status);
  const at = useReadable(lastOnline);
  const now = useNow('half-minute');
  if (at === 0 || (state !== 'offline' && state !== 'stopped')) return null;
  return (
    <p className="home-stored" role="status" title={exactTime(at)}>
      Offline. Sessions as of {localTime(at, now)}.
    </p>
  );
}
