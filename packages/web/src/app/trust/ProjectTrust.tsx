import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { lazy, Suspense } from 'react';
import { useSelected } from '../../ui/use-readable.ts';
import { useClient } from '../client-context.tsx';

const TrustNote = lazy(() => import('./TrustNote.tsx'));

export interface ProjectTrustProps {
  row: SessionRow | undefined;
  label: string;
  onTrusted: () => void;
}

/** Loads the question of trust only where there may be one. */
export function ProjectTrust({ row, label, onTrusted }: ProjectTrustProps) {
  const client = useClient();
  const project = useSelected(client.deck, (deck) => deck?.projects.find(({ id }) => id === row?.project));
  if (!row || !project || project.trust === 'yes' || row.origin === 'foreign') return null;
  return (
    <Suspense>
      <TrustNote
        project={project.id}
        agent={row.agent}
        label={label}
        isAsked={project.trust !== undefined}
        onTrusted={onTrusted}
      />
    </Suspense>
  );
}
