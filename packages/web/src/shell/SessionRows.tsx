/**
 * The sessions of one project in the sidebar. A long list renders only the visible rows; all rows have the same
 * height, so nothing is measured. Of external sessions, only the newest are shown at first.
 */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { SessionLink } from './SessionLink.tsx';

/** Up to this many rows are rendered without virtualization. */
const MAX_PLAIN_ROWS = 80;
/** Rows rendered above and below the visible ones. */
const MARGIN = 12;
/** External sessions shown before the user asks for all. */
const NEWEST = 40;
const ROW = 30;

export interface SessionRowsProps {
  sessions: readonly SessionRow[];
  /** A filter shows all matches. */
  isFiltered: boolean;
  /** Starts a session from an empty list; without it, nothing is shown. */
  onStart?: () => void;
}

export function SessionRows({ sessions, isFiltered, onStart }: SessionRowsProps) {
  const [isWhole, setWhole] = useState(false);
  const some =
    isWhole || isFiltered
      ? sessions
      : sessions.filter(({ origin }, index) => origin !== 'foreign' || index < NEWEST);
  const hidden = sessions.length - some.length;
  return (
    <>
      {some.length > MAX_PLAIN_ROWS ? <Windowed rows={some} /> : <Plain rows={some} />}
      {some.length === 0 && onStart ? (
        <button type="button" className="sidebar-more" onClick={onStart}>
          Start a session
        </button>
      ) : null}
      {hidden > 0 ? (
        <button type="button" className="sidebar-more" onClick={() => setWhole(true)}>
          {`Show ${hidden.toLocaleString('en')} more`}
        </button>
      ) : null}
    </>
  );
}

function Plain({ rows }: { rows: readonly SessionRow[] }) {
  return (
    <ul className="session-list">
      {rows.map((row) => (
        <SessionLink key={row.id} row={row} />
      ))}
    </ul>
  );
}

function Windowed({ rows }: { rows: readonly SessionRow[] }) {
  const list = useRef<HTMLUListElement>(null);
  const { from, to, height } = useSeen(list, rows.length);
  return (
    <ul
      ref={list}
      className="session-list"
      style={{ paddingTop: from * height, paddingBottom: Math.max(0, rows.length - to) * height }}
    >
      {rows.slice(from, to).map((row, index) => (
        <SessionLink key={row.id} row={row} at={from + index + 1} of={rows.length} />
      ))}
    </ul>
  );
}

/** The range of rows visible in the scroll container. */
function useSeen(list: RefObject<HTMLUListElement | null>, count: number) {
  const [seen, setSeen] = useState({ from: 0, to: Math.min(count, MAX_PLAIN_ROWS), height: ROW });
  useEffect(() => {
    const element = list.current;
    const scroller = element?.closest('.sidebar-list');
    if (!element || !scroller) return;
    let frame = 0;
    const update = () => {
      frame = 0;
      const height = element.querySelector('li')?.offsetHeight || ROW;
      const above = scroller.getBoundingClientRect().top - element.getBoundingClientRect().top;
      const clamp = (row: number) => Math.min(count, Math.max(0, Math.floor(row)));
      const from = clamp(above / height - MARGIN);
      const to = clamp((above + scroller.clientHeight) / height + MARGIN + 1);
      setSeen((old) =>
        old.from === from && old.to === to && old.height === height ? old : { from, to, height },
      );
    };
    const soon = () => {
      frame ||= requestAnimationFrame(update);
    };
    update();
    scroller.addEventListener('scroll', soon, { passive: true });
    const watcher = new ResizeObserver(soon);
    watcher.observe(scroller);
    return () => {
      cancelAnimationFrame(frame);
      scroller.removeEventListener('scroll', soon);
      watcher.disconnect();
    };
  }, [list, count]);
  return seen;
}
