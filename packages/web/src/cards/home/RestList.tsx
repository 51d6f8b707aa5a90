import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { memo, useState } from 'react';
import { ago, exactTime } from '../../kit/format.ts';
import { titleOf } from '../../kit/projects.ts';
import { hashOfSession } from '../../kit/route.ts';
import { selected } from '../../kit/selection.ts';
import { isSeen, type SessionState, stateText } from '../../kit/session-state.ts';
import { useNow } from '../../kit/use-now.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { useWorkspace } from '../../kit/use-workspace.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { StateGlyph } from '../../ui/StateGlyph.tsx';
import type { BoardColumn } from './board.ts';

/** Rows shown before the user asks for more: a deck may have thousands. */
const FIRST = 60;
const MORE = 300;

export interface RestListProps {
  groups: readonly BoardColumn[];
  projects: ReadonlyMap<string, string>;
  tabStop: string | undefined;
}

/** Sessions that need no attention, by day, one line each. */
export function RestList({ groups, projects, tabStop }: RestListProps) {
  const [limit, setLimit] = useState(FIRST);
  const total = groups.reduce((sum, { cards }) => sum + cards.length, 0);
  let left = limit;
  return (
    <div className="board-rest">
      {groups.map(({ id, title, cards }) => {
        const shown = cards.slice(0, left);
        left -= shown.length;
        return shown.length === 0 ? null : (
          <section key={id} aria-label={title}>
            <h2 className="board-caps">
              {title} <span>{cards.length}</span>
            </h2>
            <ul className="rest-list">
              {shown.map(({ row, state }) => (
                <RestRow
                  key={row.id}
                  row={row}
                  state={state}
                  project={projects.get(row.project) ?? ''}
                  isTabStop={tabStop === row.id}
                />
              ))}
            </ul>
          </section>
        );
      })}
      {total > limit ? (
        <button type="button" className="board-more" onClick={() => setLimit(limit + MORE)}>
          {`Show ${Math.min(MORE, total - limit).toLocaleString('en')} more`}
        </button>
      ) : null}
    </div>
  );
}

interface RestRowProps {
  row: SessionRow;
  state: SessionState;
  project: string;
  isTabStop: boolean;
}

const RestRow = memo(function RestRow({ row, state, project, isTabStop }: RestRowProps) {
  const now = useNow('half-minute');
  const isChosen = useSelected(selected, (all) => all.includes(row.id));
  const title = titleOf(row);
  const workspace = useWorkspace(row.workspace);
  return (
    <li>
      <a
        className="rest-row"
        href={hashOfSession(row.id)}
        data-session={row.id}
        data-chosen={isChosen}
        tabIndex={isTabStop ? 0 : -1}
        title={`${title}\n${stateText(row, state)}`}
      >
        <StateGlyph state={state} isSeen={isSeen(row)} />
        <span className="truncate">{title}</span>
        <span className="truncate rest-project">
          {visibleText(workspace ? `${project} · ${workspace.name}` : project)}
        </span>
        <time className="board-time" title={exactTime(row.activeAt)}>
          {ago(row.activeAt, now)}
        </time>
      </a>
    </li>
  );
});
