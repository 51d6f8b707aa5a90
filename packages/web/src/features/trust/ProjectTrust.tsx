import type { ClientError } from '@tugdeck/client/client-error';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { lazy, Suspense } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { usablePlaceOf } from '../../kit/place.ts';
import { useSelected } from '../../kit/use-readable.ts';

const TrustNote = lazy(() => import('./TrustNote.tsx'));

export interface ProjectTrustProps {
  row: SessionRow | undefined;
  label: string;
  /** Why the session's host could not start. */
  fault: ClientError | undefined;
  onTrusted: () => void;
}

/** Loads the trust prompt only when it may be needed. */
export function ProjectTrust({ row, label, fault, onTrusted }: ProjectTrustProps) {
  const client = useClient();
  const project = useSelected(client.deck, (deck) => deck?.projects.find(({ id }) => id === row?.project));
  // The configuration of a workspace can differ from that of the project's own directory.
  const place = useSelected(client.deck, (deck) => row && usablePlaceOf(deck, row));
  const readsNone = useSelected(
    client.deck,
    (deck) => deck?.agents.find(({ name }) => name === row?.agent)?.readsProject === false,
  );
  if (!row || !project || place === undefined || readsNone) return null;
  return (
    <Suspense>
      <TrustNote
        project={place}
        agent={row.agent}
        label={label}
        moment={`${project.trust} ${row.live} ${fault?.code}`}
        isOnlyRead={row.origin === 'foreign'}
        isRefused={fault?.code === 'PROJECT_UNTRUSTED'}
        onTrusted={onTrusted}
      />
    </Suspense>
  );
}
