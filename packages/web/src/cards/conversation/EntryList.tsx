/** The virtualized list, the only module that uses `virtua`. Follows the end, and keeps or restores the position. */
import { pendingRequests } from '@tugdeck/protocol/conversation/state';
import {
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { useCard } from '../../features/conversation/card-context.tsx';
import { groupFold } from '../../features/conversation/folds.ts';
import { loadPages } from '../../features/conversation/load-until.ts';
import { createOlderLoader, isTopNear } from '../../features/conversation/older-loader.ts';
import { holdsEntry, pathTo, type Row } from '../../features/conversation/rows.ts';
import { showHidden } from '../../features/restore/restore-records.ts';
import { useReadable, useSelected } from '../../kit/use-readable.ts';
import { EndNotes } from './EndNotes.tsx';
import { highlightMatches } from './find/highlight-matches.ts';
import { ListRow } from './ListRow.tsx';
import { createScrollFollower, type ScrollFollower } from './scroll-follower.ts';
import { type Place, placeOf, recallPlace, rowSizes, watchPlace } from './scroll-memory.ts';
import { countNew, isPrepended } from './scroll-rules.ts';
import { seekPlace } from './seek-place.ts';
import { MAX_FRAMES, showWhenRendered } from './show-row.ts';
import { useFollowAnswers } from './use-follow-answers.ts';

/** Padding above the first row, which virtua has to know. */
const PADDING = 12;

export interface EntryListHandle {
  /** Expands the groups around it, scrolls to it and highlights it. */
  showEntry(id: string): void;
  /** To the next or previous row or prompt. */
  step(direction: 1 | -1, isPrompt: boolean): void;
  /** Toggles the focused entry. */
  toggleFold(): void;
  toEnd(): void;
}

export interface EntryListProps {
  rows: readonly Row[];
  hasOlder: boolean;
  handle: RefObject<EntryListHandle | null>;
}

export function EntryList({ rows, hasOlder, handle }: EntryListProps) {
  const { session, channel, folds, reading } = useCard();
  const query = useReadable(reading.query);
  const ids = useMemo(() => rows.map(({ id }) => id), [rows]);
  // A request keeps its row mounted, so that a started answer is not lost when it scrolls out of view.
  const asking = useSelected(channel.view, ({ conversation }) =>
    pendingRequests(conversation)
      .map(({ id }) => id)
      .join(),
  );
  const kept = useMemo(() => {
    const ids = asking === '' ? [] : asking.split(',');
    return ids.map((id) => rows.findLastIndex((row) => holdsEntry(row, id))).filter((at) => at >= 0);
  }, [asking, rows]);
  const [memory] = useState(() => recallPlace(session, ids, PADDING));
  const [drawn, setDrawn] = useState({ ids, isShifted: false });
  const viewport = useRef<HTMLDivElement>(null);
  // The virtualizer renders nothing if it has to keep a position in content that does not scroll.
  const canScroll = () => (viewport.current?.scrollHeight ?? 0) > (viewport.current?.clientHeight ?? 0);
  if (drawn.ids !== ids) setDrawn({ ids, isShifted: isPrepended(drawn.ids, ids) && canScroll() });
  const [lastSeen, setLastSeen] = useState<string>();
  const [isSeeking, setSeeking] = useState(memory?.sought !== undefined);
  const list = useRef<VirtualizerHandle>(null);
  const follower = useRef<ScrollFollower>(null);
  const now = useRef({ ids, hasOlder, rows });
  now.current = { ids, hasOlder, rows };

  const [older] = useState(() =>
    createOlderLoader({
      hasOlder: () => now.current.hasOlder,
      isNear: () => isTopNear(viewport.current, follower.current?.place().isFollowing ?? false),
      load: () => loadPages(channel),
      count: () => now.current.ids.length,
    }),
  );

  const sought = useRef(memory?.sought);
  const seek = useCallback(
    (scroller: HTMLElement, { row, into }: Place & { readonly row: string }) =>
      seekPlace({
        channel,
        scroller,
        entry: row,
        goThere: () => {
          const at = now.current.rows.findIndex((candidate) => holdsEntry(candidate, row));
          if (at < 0 || !list.current) return false;
          const isThere = () =>
            Math.abs((list.current?.getItemOffset(at) ?? 0) + PADDING + into - scroller.scrollTop) < 1;
          if (isThere()) return true;
          list.current.scrollToIndex(at, { align: 'start', offset: into });
          return false;
        },
        onEnd: () => {
          sought.current = undefined;
          setSeeking(false);
        },
      }),
    [channel],
  );

  const mount = useCallback(
    (scroller: HTMLDivElement | null) => {
      if (!scroller) return;
      viewport.current = scroller;
      if (memory && !memory.isFollowing) scroller.scrollTop = memory.top;
      const made = createScrollFollower(scroller, {
        isFollowing: memory?.isFollowing ?? true,
        onChange: (isFollowing) => setLastSeen(isFollowing ? undefined : now.current.ids.at(-1)),
      });
      follower.current = made;
      const stopSeeking = memory?.sought && seek(scroller, memory.sought);
      const forget = watchPlace(session, () => {
        // Until the stored position is found, it stays the current one.
        if (sought.current) return sought.current;
        const cache = list.current?.cache;
        return cache && placeOf(made.place(), rowSizes(now.current.ids, cache), PADDING);
      });
      return () => {
        forget();
        stopSeeking?.();
        made.end();
      };
    },
    [memory, session, seek],
  );

  useFollowAnswers(channel, follower, rows);
  useEffect(() => older.end, [older]);
  // After the new rows are measured.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of them may have brought the top into range
  useEffect(() => {
    const frame = requestAnimationFrame(older.check);
    return () => cancelAnimationFrame(frame);
  }, [ids, lastSeen, hasOlder, isSeeking, older]);

  // Rows that were hidden by a restore can leave nothing to scroll.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height changes with the rows
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (lastSeen !== undefined && !isSeeking && !canScroll()) follower.current?.toEnd();
    });
    return () => cancelAnimationFrame(frame);
  }, [ids, lastSeen, isSeeking]);

  const isReading = lastSeen !== undefined || query !== '';
  const isIdle = useSelected(channel.view, ({ conversation }) => conversation.turn === null);
  useEffect(() => (isReading ? channel.retainOlder() : undefined), [channel, isReading]);
  useEffect(() => {
    if (isIdle && !isReading) channel.trimOlder();
  }, [channel, isIdle, isReading]);

  useEffect(() => (viewport.current ? highlightMatches(viewport.current, query) : undefined), [query]);

  const goTo = (at: number, id: string, takesFocus: boolean) => {
    follower.current?.stop();
    const scrollTo = (index: number) => {
      // Of an open request its beginning is seen first.
      const offset = takesFocus || kept.includes(index) ? -PADDING : 0;
      list.current?.scrollToIndex(index, { align: offset === 0 ? 'center' : 'start', offset });
    };
    scrollTo(at);
    const again = () => {
      const index = now.current.rows.findIndex((row) => row.id === pathTo(now.current.rows, id)[0]?.id);
      if (index < 0 || follower.current?.place().isFollowing) return false;
      scrollTo(index);
      return true;
    };
    if (viewport.current) showWhenRendered(viewport.current, id, { takesFocus, again });
  };
  const showEntry = (id: string, tries = MAX_FRAMES) => {
    const path = pathTo(now.current.rows, id);
    const at = now.current.rows.findIndex((row) => row.id === path[0]?.id);
    if (at < 0) showHidden({ channel, folds }, id);
    // The page has arrived, but its rows are rendered in the next frame.
    if (at < 0 && tries > 0) requestAnimationFrame(() => showEntry(id, tries - 1));
    if (at < 0) return;
    for (const row of path) {
      if (row.ids.length > 1) folds.set(groupFold(row.id), true);
      else if (row.id !== id || query !== '') folds.set(row.id, true);
    }
    goTo(at, id, false);
    // The last entry is the end: text and requests that follow it are seen.
    const height = list.current?.getItemSize(at) ?? 0;
    if (at === now.current.rows.length - 1 && height < (viewport.current?.clientHeight ?? 0))
      follower.current?.toEnd();
  };
  const current = () => {
    const held = document.activeElement?.closest<HTMLElement>('.entry-scroll article')?.dataset.entryId;
    const at = held === undefined ? -1 : rows.findIndex((row) => holdsEntry(row, held));
    const top = list.current?.findItemIndex(list.current.scrollOffset + PADDING) ?? 0;
    return at >= 0 ? { at, isHeld: true } : { at: top, isHeld: false };
  };
  useImperativeHandle(handle, () => ({
    showEntry,
    step(direction, isPrompt) {
      const { at, isHeld } = current();
      const isWanted = (row: Row) => !isPrompt || channel.entry(row.id).get()?.kind === 'user';
      let next = isHeld || isPrompt ? at + direction : at;
      while (rows[next] && !isWanted(rows[next] as Row)) next += direction;
      const row = rows[next];
      if (row) goTo(next, row.id, true);
    },
    toggleFold() {
      const article = document.activeElement?.closest<HTMLElement>('.entry-scroll article');
      article?.querySelector<HTMLElement>('button[aria-expanded]')?.click();
    },
    toEnd: () => follower.current?.toEnd(),
  }));

  const fresh = lastSeen === undefined ? undefined : countNew(ids, lastSeen);
  return (
    <div className="entry-list">
      <div
        ref={mount}
        className="entry-scroll"
        data-seeking={isSeeking}
        role="log"
        aria-label="Conversation"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable to scroll it by keys
        tabIndex={0}
      >
        <div className="entry-column">
          <Virtualizer
            ref={list}
            scrollRef={viewport}
            startMargin={PADDING}
            data={rows}
            keepMounted={kept}
            shift={drawn.isShifted}
            onScroll={older.check}
            {...(memory ? { cache: memory.cache } : {})}
          >
            {(row, at) => <ListRow key={row.id} row={row} next={rows[at + 1]?.id} />}
          </Virtualizer>
        </div>
      </div>
      <EndNotes isSeeking={isSeeking} fresh={fresh} onEnd={() => follower.current?.toEnd()} />
    </div>
  );
}
