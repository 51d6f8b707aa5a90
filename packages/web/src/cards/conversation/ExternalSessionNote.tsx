/** Note on an external session (A40): what sending a message here does, and the alternative. */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { useState } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { faultText, forkSession } from '../../kit/deck-actions.ts';
import { Button } from '../../ui/Button.tsx';

export function ExternalSessionNote({
  row,
  label,
}: {
  row: SessionRow | undefined;
  label: string | undefined;
}) {
  const client = useClient();
  const [fault, setFault] = useState<string>();
  if (row?.origin !== 'foreign') return null;
  const fork = () => {
    setFault(undefined);
    forkSession(client, row.id).catch((error: unknown) => setFault(faultText(error)));
  };
  return (
    <div className="foreign-note" role="note" data-elsewhere={row.elsewhere ?? false}>
      <span>
        {fault ??
          (row.elsewhere
            ? 'This session is active in another program. You’re watching it live. Fork it to continue in a copy.'
            : `Started in ${label ?? 'another program'}. Send a message to continue it here.`)}
      </span>
      <Button onClick={fork}>Fork</Button>
    </div>
  );
}
