/** A column of the board: its title, its first cards, and a button for the others. */
import type { AgentChoice, Project } from '@tugdeck/protocol/wire/deck';
import { showTemporarily } from '../../kit/layout/temporary.ts';
import { BoardCard } from './BoardCard.tsx';
import type { BoardColumn, BoardCard as Card } from './board.ts';

const EMPTY_NOTES: Readonly<Record<string, string>> = {
  needs: 'Nothing needs you',
  working: 'No agent is working',
  review: 'Nothing to review',
  done: 'Nothing yet today',
};

interface ColumnViewProps extends BoardColumn {
  shown: readonly Card[];
  showAll: () => void;
  projects: ReadonlyMap<string, Project>;
  agents: ReadonlyMap<string, AgentChoice>;
  /** Cards may be hidden by a filter, so an empty column says nothing about all sessions. */
  isFiltered: boolean;
  /** The card in the tab order. */
  tabStop: string | undefined;
}

export function ColumnView(props: ColumnViewProps) {
  const { id, title, cards, shown, showAll, projects, agents, isFiltered, tabStop } = props;
  const note = isFiltered ? 'No matches' : EMPTY_NOTES[id];
  return (
    <section className="board-column" data-column={id} aria-label={title} data-empty={cards.length === 0}>
      <h2 className="board-caps">
        {title} <span>{cards.length}</span>
      </h2>
      <div className="board-cards">
        {shown.map(({ row, state }) => (
          <BoardCard
            key={row.id}
            row={row}
            state={state}
            project={projects.get(row.project)}
            agent={agents.get(row.agent)}
            isTabStop={tabStop === row.id}
            onOpen={showTemporarily}
          />
        ))}
      </div>
      {cards.length === 0 ? <p className="board-empty">{note ?? 'No active sessions'}</p> : null}
      {shown.length < cards.length ? (
        <button type="button" className="board-more" onClick={showAll}>
          {`Show ${(cards.length - shown.length).toLocaleString('en')} more`}
        </button>
      ) : null}
    </section>
  );
}
