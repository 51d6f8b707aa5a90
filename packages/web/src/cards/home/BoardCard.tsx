/**
 * One session on the board (D15): state, title and time; project, branch and agent; the last activity; to-dos, changed
 * lines or the answer's buttons. Memoized: only cards whose row changed are rendered.
 */

import type { AgentChoice, Project, SessionRow } from '@tugdeck/protocol/wire/deck';
import { GitBranch } from 'lucide-react';
import { memo, type RefObject, useEffect, useRef, useState } from 'react';
import { MachineTag } from '../../features/machines/MachineTag.tsx';
import { AttemptButton } from '../../features/workspaces/AttemptMark.tsx';
import { plural } from '../../kit/format.ts';
import { openChanges } from '../../kit/open-changes.ts';
import { placeOf } from '../../kit/place.ts';
import { titleOf } from '../../kit/projects.ts';
import { hashOfSession } from '../../kit/route.ts';
import { selected } from '../../kit/selection.ts';
import { isSeen, type SessionState, stateText } from '../../kit/session-state.ts';
import { tags } from '../../kit/tags.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { useWorkspace } from '../../kit/use-workspace.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { AgentMark } from '../../ui/AgentMark.tsx';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { StateGlyph } from '../../ui/StateGlyph.tsx';
import { StateTime } from '../../ui/StateTime.tsx';
import { TagChips } from '../../ui/TagChips.tsx';
import { CardRequest } from './CardRequest.tsx';

export interface BoardCardProps {
  row: SessionRow;
  state: SessionState;
  project: Project | undefined;
  agent: AgentChoice | undefined;
  /** The one tab stop of the board. */
  isTabStop: boolean;
  onOpen: (session: string) => void;
}

export const BoardCard = memo(function BoardCard(props: BoardCardProps) {
  const { row, state, project, agent, isTabStop, onOpen } = props;
  const card = useRef<HTMLElement>(null);
  const isChosen = useSelected(selected, (all) => all.includes(row.id));
  const own = useSelected(tags, (all) => all[row.id]);
  const title = titleOf(row);
  const label = visibleText(agent?.label ?? row.agent);
  const workspace = useWorkspace(row.workspace);
  const branch = workspace ? workspace.name : project?.branch;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the board handles the keys of all cards
    <article
      ref={card}
      className="board-card"
      data-state={state}
      data-session={row.id}
      data-chosen={isChosen}
      aria-label={`${title}, ${stateText(row, state)}`}
      tabIndex={isTabStop ? 0 : -1}
      onClick={(event) => {
        if (event.target instanceof Element && !event.target.closest('button, a, [popover]')) onOpen(row.id);
      }}
    >
      <div className="board-head">
        <StateGlyph state={state} isSeen={isSeen(row)} isSilent />
        <a className="truncate board-title" href={hashOfSession(row.id)} tabIndex={-1} title={title}>
          {title}
        </a>
        <StateTime row={row} state={state} className="board-time" />
      </div>
      <div className="board-where">
        <span className="truncate">{visibleText(project?.name ?? '')}</span>
        {branch === undefined ? null : (
          <span className="board-branch" title={workspace ? 'Workspace' : 'Branch'}>
            <Icon icon={GitBranch} size={12} />
            <span className="truncate">{visibleText(branch)}</span>
          </span>
        )}
        <MachineTag machine={row.machine} />
        <AttemptButton row={row} tabIndex={-1} />
        <TagChips tags={own} />
        <span className="board-agent" title={label}>
          <AgentMark mark={agent?.mark} />
          <span className="visually-hidden">{label}</span>
        </span>
      </div>
      {state === 'needs' ? (
        <Needs row={row} card={card} onOpen={onOpen} />
      ) : (
        <>
          <p className="board-line">{lineOf(row, state)}</p>
          <Foot row={row} state={state} />
        </>
      )}
      {isChosen ? <span className="visually-hidden">Selected</span> : null}
    </article>
  );
});

function lineOf(row: SessionRow, state: SessionState): string {
  const { summary } = row;
  if (state === 'queued') return stateText(row, state);
  if (state === 'failed')
    return visibleText(summary?.agentReason ?? summary?.activity ?? 'The last turn failed');
  const text = summary?.activity;
  if (text !== undefined || state !== 'working') return visibleText(text ?? '');
  return summary?.turn === 'running' ? 'Thinking…' : 'Starting…';
}

function Needs({
  row,
  card,
  onOpen,
}: Pick<BoardCardProps, 'row' | 'onOpen'> & { card: RefObject<HTMLElement | null> }) {
  const isNear = useNear(card);
  const text = row.summary?.request ?? 'Request';
  const open = () => onOpen(row.id);
  // Each shown request holds a conversation open: only those on screen.
  if (!isNear) return <p className="board-line">{visibleText(text)}</p>;
  return <CardRequest session={row.id} sessionTitle={titleOf(row)} text={text} card={card} onOpen={open} />;
}

function useNear(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const box = element.current;
    if (!box) return;
    const watcher = new IntersectionObserver((seen) => setNear(seen.at(-1)?.isIntersecting ?? false), {
      rootMargin: '200px',
    });
    watcher.observe(box);
    return () => watcher.disconnect();
  }, [element]);
  return isNear;
}

function Foot({ row, state }: { row: SessionRow; state: SessionState }) {
  const { todos, changes } = row.summary ?? {};
  const hasChanges = changes !== undefined && changes.files > 0;
  return (
    <div className="board-foot">
      {state === 'review' ? (
        <Button
          className="board-review"
          aria-label={`Review ${titleOf(row)}`}
          onClick={() => openChanges(placeOf(row), row.id)}
        >
          Review
        </Button>
      ) : null}
      {todos && state === 'working' ? (
        <span className="board-todos" title={`${todos.done} of ${todos.total} to-dos done`}>
          <progress max={todos.total} value={todos.done} aria-label="To-dos" />
          {todos.done}/{todos.total}
        </span>
      ) : null}
      {hasChanges ? (
        <span className="board-changes">
          {state === 'working' ? null : <span className="board-files">{plural(changes.files, 'file')}</span>}
          {changes.added > 0 ? <span className="board-added">+{changes.added}</span> : null}
          {changes.removed > 0 ? <span className="board-removed">−{changes.removed}</span> : null}
        </span>
      ) : state === 'done' ? (
        <span className="board-files">No changes</span>
      ) : null}
    </div>
  );
}
