import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { useClient } from '../kit/client-context.tsx';
import { clearSelection, selected } from '../kit/selection.ts';
import { archiveSessions, deleteSessions } from '../kit/session-actions.ts';
import { useReadable } from '../kit/use-readable.ts';
import { Button } from '../ui/Button.tsx';

/** Actions for the selected sessions. */
export function SelectionBar({ rows }: { rows: readonly SessionRow[] }) {
  const client = useClient();
  const ids = useReadable(selected);
  const chosen = rows.filter(({ id, origin }) => ids.includes(id) && origin !== 'foreign');
  if (ids.length === 0) return null;
  const act = (run: typeof archiveSessions) => () => {
    run(client, chosen);
    clearSelection();
  };
  return (
    <div className="selection-bar" role="toolbar" aria-label="Selected sessions">
      <span>{ids.length} selected</span>
      <Button look="quiet" disabled={chosen.length === 0} onClick={act(archiveSessions)}>
        Archive
      </Button>
      <Button look="quiet" disabled={chosen.length === 0} onClick={act(deleteSessions)}>
        Delete
      </Button>
      <Button look="quiet" onClick={clearSelection}>
        Cancel
      </Button>
    </div>
  );
}
