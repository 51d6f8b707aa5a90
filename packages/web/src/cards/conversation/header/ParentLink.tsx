import { GitFork } from 'lucide-react';
import { useClient } from '../../../app/client-context.tsx';
import { titleOf } from '../../../app/projects.ts';
import { hashOfSession } from '../../../app/route.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { useSelected } from '../../../ui/use-readable.ts';

/** Links a fork to the session it was copied from. */
export function ParentLink({ parent }: { parent: string }) {
  const row = useSelected(useClient().deck, (deck) => deck?.sessions.find(({ id }) => id === parent));
  if (!row) return null;
  const label = `Forked from ${titleOf(row)}`;
  return (
    <a className="icon-button" href={hashOfSession(parent)} aria-label={label} title={label}>
      <Icon icon={GitFork} />
    </a>
  );
}
