/**
 * The hunks of one file with a card's actions, such as staging or reverting. Keys move between hunks; a change
 * without lines is explained. Knows no feed.
 */
import type { FileChange, ShownHunk } from '@tugdeck/protocol/git/git-messages';
import { type KeyboardEvent, memo, type ReactNode, useMemo } from 'react';
import { Button } from '../../ui/Button.tsx';
import { type LineTools, type PiecesOf, UnifiedDiff } from './DiffTable.tsx';
import { type DiffRow, diffRows } from './diff-rows.ts';
import { moveFocus } from './move-focus.ts';
import { useDiffPieces } from './use-diff-pieces.ts';

export interface HunkListProps {
  change: FileChange;
  actions: (hunk: ShownHunk) => ReactNode;
  /** Handles a key on a hunk; returns whether it was used. */
  onKey?: (hunk: ShownHunk, key: string) => boolean;
  /** Loads the omitted part. */
  onWhole?: (() => void) | undefined;
  tools?: LineTools | undefined;
  stateOf?: (hunk: ShownHunk) => string | undefined;
}

export function HunkList({ change, actions, onKey, onWhole, tools, stateOf }: HunkListProps) {
  const byHunk = useMemo(() => change.hunks.map((hunk) => diffRows([hunk])), [change]);
  const rows = useMemo(() => byHunk.flat(), [byHunk]);
  const piecesOf = useDiffPieces(change, rows);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const place = (event.target as HTMLElement).closest<HTMLElement>('[data-hunk]');
    const step = { j: 1, k: -1 }[event.key];
    if (step !== undefined) {
      moveFocus(event.currentTarget, '[data-hunk]', step);
      event.preventDefault();
      return;
    }
    const hunk = change.hunks.find(({ id }) => id === place?.dataset.hunk);
    if (hunk && onKey?.(hunk, event.key)) event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles keys of the focused hunks inside
    <div className="hunks" onKeyDown={onKeyDown}>
      <NoHunks change={change} />
      {change.hunks.map((hunk, index) => (
        <Hunk
          key={hunk.id}
          hunk={hunk}
          rows={byHunk[index] ?? []}
          piecesOf={piecesOf}
          actions={actions(hunk)}
          tools={tools}
          state={stateOf?.(hunk)}
        />
      ))}
      {change.cut ? (
        <p className="hunks-note">
          Too long to show in full.{' '}
          {onWhole ? (
            <Button look="link" onClick={onWhole}>
              Show more
            </Button>
          ) : null}
        </p>
      ) : null}
    </div>
  );
}

interface HunkProps {
  hunk: ShownHunk;
  rows: readonly DiffRow[];
  piecesOf: PiecesOf;
  actions: ReactNode;
  tools: LineTools | undefined;
  state: string | undefined;
}

const Hunk = memo(function Hunk({ hunk, rows, piecesOf, actions, tools, state }: HunkProps) {
  const from = hunk.newLines === 0 ? hunk.oldStart : hunk.newStart;
  const to = from + Math.max(hunk.newLines, hunk.oldLines, 1) - 1;
  return (
    <section
      className="hunk"
      data-hunk={hunk.id}
      data-state={state}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: focus target for the keys that act on it
      tabIndex={0}
      aria-label={`Lines ${from} to ${to}`}
    >
      <header className="hunk-head">
        <span className="hunk-lines">{from === to ? `Line ${from}` : `Lines ${from}–${to}`}</span>
        <span className="hunk-actions">{actions}</span>
      </header>
      <UnifiedDiff rows={rows} piecesOf={piecesOf} tools={tools} />
    </section>
  );
});

function NoHunks({ change }: { change: FileChange }) {
  const notes = [
    ...(change.submodule ? ['Submodule: a different commit is checked out'] : []),
    ...(change.binary ? ['Binary or too large to show'] : []),
    ...(change.modes ? [`Mode ${change.modes[0] || 'none'} → ${change.modes[1]}`] : []),
  ];
  if (notes.length === 0 && change.hunks.length === 0) {
    notes.push(change.state === 'renamed' ? 'Renamed without changes' : 'No changes');
  }
  return notes.map((line) => (
    <p key={line} className="hunks-note">
      {line}
    </p>
  ));
}

function isTyping(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.closest('textarea, input, select') !== null;
}
