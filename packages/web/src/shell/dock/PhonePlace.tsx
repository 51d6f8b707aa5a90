/** The second line of a phone's title bar: project, branch and state. Empty for a card without a project. */
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { GitBranch } from 'lucide-react';
import { branchOf, placeOf } from '../../kit/place.ts';
import { useSessionState } from '../../kit/use-session-state.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { StateGlyph } from '../../ui/StateGlyph.tsx';
import { StateTime } from '../../ui/StateTime.tsx';

interface PhonePlaceProps {
  deck: Deck | undefined;
  row: SessionRow | undefined;
  /** The project of a card that belongs to no session. */
  project?: string | undefined;
}

export function PhonePlace({ deck, row, project }: PhonePlaceProps) {
  const name = deck?.projects.find(({ id }) => id === (row?.project ?? project))?.name;
  const branch = branchOf(deck, row ? placeOf(row) : project);
  return (
    <span className="phone-title-place">
      {name === undefined ? null : <span className="truncate">{visibleText(name)}</span>}
      {branch === undefined ? null : (
        <span className="phone-title-branch">
          <Icon icon={GitBranch} size={12} />
          <span className="truncate">{visibleText(branch)}</span>
        </span>
      )}
      {row ? <RowState row={row} /> : null}
    </span>
  );
}

function RowState({ row }: { row: SessionRow }) {
  const state = useSessionState(row);
  return (
    <span className="phone-title-state">
      <StateGlyph state={state} />
      <StateTime row={row} state={state} className="phone-title-time" />
    </span>
  );
}
