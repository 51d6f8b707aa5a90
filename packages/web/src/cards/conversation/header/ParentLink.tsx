import { GitFork } from 'lucide-react';
import { useClient } from '../../../kit/client-context.tsx';
import { titleOf } from '../../../kit/projects.ts';
import { hashOfSession } from '../../../kit/route.ts';
import { useSelected } from '../../../kit/use-readable.ts';
import { Icon } from '../../../ui/Icon.tsx';

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
