/**
 * Home (D15): all sessions at a glance, by state or project. Shown when nothing is open and after G H. Requests are
 * answered on their card.
 */
import type { Deck } from '@tugdeck/protocol/wire/deck';
import { ChevronDown, Search, SquarePen } from 'lucide-react';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { wantedColumn } from '../../kit/home-column.ts';
import { isLimited } from '../../kit/limited.ts';
import { agentsByName } from '../../kit/machines.ts';
import { hasSessions } from '../../kit/projects.ts';
import { reviewed } from '../../kit/reviewed.ts';
import { showSession } from '../../kit/route.ts';
import { clearSelection, selected, toggleSelected } from '../../kit/selection.ts';
import { archiveSessions } from '../../kit/session-actions.ts';
import { useNow } from '../../kit/use-now.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { type BoardColumn, boardOf, headline, lanesOf, neighbor } from './board.ts';
import { ColumnView } from './ColumnView.tsx';
import { FirstRun } from './FirstRun.tsx';
import { grouping } from './grouping.ts';
import { Peek } from './Peek.tsx';
import { RestList } from './RestList.tsx';
import { StoredNote } from './StoredNote.tsx';
import { TagMenu } from './TagMenu.tsx';
import { useTag } from './use-tag.ts';
import './board-card.css';
import './home.css';

/** Cards of a column shown at first. */
const COLUMN_CARDS = 30;

export interface HomeProps {
  onNewSession: () => void;
}

export function Home({ onNewSession }: HomeProps) {
  const isPlain = useReadable(isLimited);
  const deck = useReadable(useClient().deck);
  if (!deck) return <div className="home" aria-busy="true" />;
  if (!hasSessions(deck) && !isPlain) return <FirstRun deck={deck} onNewSession={onNewSession} />;
  return <Board deck={deck} onNewSession={onNewSession} />;
}

function Board({ deck, onNewSession }: HomeProps & { deck: Deck }) {
  const now = useNow('half-minute');
  const group = useReadable(grouping);
  const done = useReadable(reviewed);
  const [text, setText] = useState('');
  const [project, setProject] = useState<string>();
  const { tagged, known, tag, setTag } = useTag();
  const board = useMemo(
    () => boardOf(deck, { grouping: group, text, project, now, reviewed: done, tags: tagged, tag }),
    [deck, group, text, project, now, done, tagged, tag],
  );
  const columns = useShortColumns(board.columns);
  const keys = useBoardKeys(deck, [
    ...lanesOf(columns).map((lane) => lane.flatMap(({ shown }) => shown.map(({ row }) => row.id))),
    ...board.rest.map(({ cards }) => cards.map(({ row }) => row.id)),
  ]);
  const projects = useMemo(() => new Map(deck.projects.map((one) => [one.id, one])), [deck.projects]);
  const names = useMemo(() => new Map(deck.projects.map(({ id, name }) => [id, name])), [deck.projects]);
  const agents = useMemo(() => agentsByName(deck), [deck]);
  const isFiltered = text !== '' || project !== undefined || tag !== undefined;
  const isEmpty = columns.every(({ cards }) => cards.length === 0) && board.rest.length === 0;
  const chosenName = project === undefined ? 'All' : visibleText(names.get(project) ?? '');
  return (
    <section ref={keys.root} className="home" aria-label="Home" tabIndex={-1} onKeyDown={keys.onKeyDown}>
      <header className="home-head">
        <h1>{headline(board.counts)}</h1>
        <label className="home-filter">
          <Icon icon={Search} size={14} />
          <input
            type="search"
            aria-label="Filter board"
            placeholder="Filter"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <Menu
          label={`Group: ${group === 'state' ? 'State' : 'Project'}`}
          choices={(['state', 'project'] as const).map((id) => ({
            id,
            label: id === 'state' ? 'State' : 'Project',
            checked: group === id,
            onChoose: () => grouping.set(id),
          }))}
        >
          Group: {group === 'state' ? 'State' : 'Project'}
          <Icon icon={ChevronDown} size={14} />
        </Menu>
        <Menu
          label={`Project: ${chosenName}`}
          choices={[
            { id: '', label: 'All', checked: project === undefined, onChoose: () => setProject(undefined) },
            ...deck.projects.map(({ id, name }) => ({
              id,
              label: visibleText(name),
              checked: project === id,
              onChoose: () => setProject(id),
            })),
          ]}
        >
          <span className="truncate">Project: {chosenName}</span>
          <Icon icon={ChevronDown} size={14} />
        </Menu>
        <TagMenu {...{ known, tag }} onChoose={setTag} />
        <Button look="primary" className="home-new" onClick={onNewSession}>
          <Icon icon={SquarePen} />
          New session
        </Button>
      </header>
      <StoredNote />
      <div className="home-scroll">
        {isEmpty && text !== '' ? (
          <p className="home-none">No sessions match “{text}”</p>
        ) : (
          <div className="board" data-grouping={group}>
            {lanesOf(columns).map((lane) => (
              <div key={lane[0]?.id} className="board-lane">
                {lane.map((column) => (
                  <ColumnView
                    key={column.id}
                    {...column}
                    projects={projects}
                    agents={agents}
                    isFiltered={isFiltered}
                    tabStop={keys.tabStop}
                  />
                ))}
              </div>
            ))}
          </div>
        )}
        <RestList groups={board.rest} projects={names} tabStop={keys.tabStop} />
      </div>
      {keys.peek}
    </section>
  );
}

function useShortColumns(columns: readonly BoardColumn[]) {
  const [expanded, setExpanded] = useState<readonly string[]>([]);
  return columns.map((column) => ({
    ...column,
    shown: expanded.includes(column.id) ? column.cards : column.cards.slice(0, COLUMN_CARDS),
    showAll: () => setExpanded([...expanded, column.id]),
  }));
}

/** Arrows move, Enter opens, Space peeks, X selects, E archives. Y and N belong to the request on the card. */
function useBoardKeys(deck: Deck, columns: readonly (readonly string[])[]) {
  const client = useClient();
  const root = useRef<HTMLElement>(null);
  const [focused, setFocused] = useState<string>();
  const [peeked, setPeeked] = useState<{ session: string; beside: HTMLElement }>();
  const all = columns.flat();
  const tabStop = focused !== undefined && all.includes(focused) ? focused : all[0];
  const rowOf = (id: string) => deck.sessions.find((row) => row.id === id);
  const cardOf = useCallback(
    (id: string) => root.current?.querySelector<HTMLElement>(`[data-session="${CSS.escape(id)}"]`),
    [],
  );
  useEffect(() => {
    const element = root.current;
    const onFocus = (event: FocusEvent) => {
      const card =
        event.target instanceof Element ? event.target.closest<HTMLElement>('[data-session]') : null;
      if (card) setFocused(card.dataset.session);
    };
    element?.addEventListener('focusin', onFocus);
    return () => element?.removeEventListener('focusin', onFocus);
  }, []);
  useEffect(() => {
    // Keys work at once, but no request has the focus (C6).
    root.current?.focus({ preventScroll: true });
  }, []);
  const wanted = useReadable(wantedColumn);
  useEffect(() => {
    const card = root.current?.querySelector<HTMLElement>(`[data-column="${wanted}"] [data-session]`);
    if (wanted === undefined) return;
    wantedColumn.set(undefined);
    card?.focus();
    card?.scrollIntoView({ block: 'nearest' });
  }, [wanted]);
  const onKeyDown = (event: KeyboardEvent) => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || !(target instanceof HTMLElement)) return;
    const id = target === root.current ? undefined : target.dataset.session;
    if (id === undefined && target !== root.current) return;
    const next = neighbor(columns, id, key);
    const card = next === undefined ? undefined : cardOf(next);
    if (card) {
      card.focus();
      card.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    } else if (id === undefined) return;
    else if (key === 'Enter') showSession(id);
    else if (key === ' ') setPeeked({ session: id, beside: target });
    else if (key === 'x') toggleSelected(id);
    else if (key === 'e') archive(id);
    else return;
    event.preventDefault();
  };
  const archive = (id: string) => {
    const ids = selected.get().length > 0 ? selected.get() : [id];
    const rows = ids.flatMap((one) => rowOf(one) ?? []).filter(({ origin }) => origin !== 'foreign');
    if (rows.length > 0) archiveSessions(client, rows);
    clearSelection();
  };
  const row = peeked && rowOf(peeked.session);
  const peek = row ? (
    <Peek
      key={row.id}
      row={row}
      beside={peeked.beside}
      onOpen={() => showSession(row.id)}
      onClose={() => setPeeked(undefined)}
    />
  ) : null;
  return { root, tabStop, onKeyDown, peek };
}
