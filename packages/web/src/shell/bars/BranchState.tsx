/** The branch of the session in front, with commits to push and pull (D17). */
import { git } from '@tugdeck/protocol/areas/git';
import { GitBranch } from 'lucide-react';
import { useClient } from '../../kit/client-context.tsx';
import { frontSession } from '../../kit/layout/front-session.ts';
import { showCardOf } from '../../kit/layout/open-card.ts';
import { branchOf, projectOfPlace, usablePlaceOf } from '../../kit/place.ts';
import { useArea } from '../../kit/use-area.ts';
import { usePageVisible } from '../../kit/use-page-visible.ts';
import { useReadable, useSelected } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { upstreamText } from './bar-facts.ts';

export function BranchState() {
  const { deck } = useClient();
  const session = useReadable(frontSession);
  const place = useSelected(deck, (now) => {
    const row = now?.sessions.find(({ id }) => id === session);
    return row && usablePlaceOf(now, row);
  });
  const branch = useSelected(deck, (now) => branchOf(now, place));
  // Until the user trusts the project, opening a page starts no git in it.
  const isTrusted = useSelected(deck, (now) =>
    now?.projects.some(
      ({ id, trust }) => place !== undefined && id === projectOfPlace(now, place) && trust === 'yes',
    ),
  );
  const isRead = usePageVisible() && isTrusted && branch !== undefined;
  const { state } = useArea(git, isRead && place !== undefined ? { project: place } : undefined);
  if (place === undefined || branch === undefined) return null;
  const upstream = upstreamText(state);
  return (
    <button
      type="button"
      className="status-button status-branch"
      title={['Branch', upstream?.detail, 'Click for Git.'].filter(Boolean).join('. ')}
      onClick={() => showCardOf('git', { project: place })}
    >
      <Icon icon={GitBranch} size={13} />
      <span className="truncate">{visibleText(branch)}</span>
      {upstream?.text ? <span>{upstream.text}</span> : null}
    </button>
  );
}
