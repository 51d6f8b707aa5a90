import type { FileDiff } from '@tugdeck/protocol/conversation/entries';
import { patchText } from '@tugdeck/protocol/export/patch-text';
import { Columns2, GitCompare, Rows2 } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { visiblePath } from '../../kit/visible-text.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { relativePath, useDirectory } from '../conversation/project-paths.ts';
import { withoutBlankRuns } from '../diff/blank-rows.ts';
import { DiffCounts } from '../diff/DiffCounts.tsx';
import { SplitDiff, UnifiedDiff } from '../diff/DiffTable.tsx';
import { useDiffLayout } from '../diff/diff-layout.ts';
import { diffRows, splitRows } from '../diff/diff-rows.ts';
import { useDiffPieces } from '../diff/use-diff-pieces.ts';
import { CopyIcon } from './CopyIcon.tsx';
import { CutLines } from './CutLines.tsx';
import { useOpenBeside } from './open-beside.ts';
import { PathLink } from './PathLink.tsx';
import { RequestPathView } from './RequestPathView.tsx';
import { LongLines } from './RequestText.tsx';
import { useWholeDiff } from './use-whole-data.ts';

/** A longer diff is shown as patch text: a table with this many rows would block the page. */
const MAX_ROWS = 2_000;

export interface DiffViewProps {
  files: readonly FileDiff[];
  /** In a request everything is shown, because the user has to see what is allowed. */
  isWhole?: boolean;
}

export function DiffView({ files, isWhole = false }: DiffViewProps) {
  return files.map((file, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a file may be changed twice, and none is ever moved
    <FileDiffView key={index} file={file} isWhole={isWhole} />
  ));
}

function FileDiffView({ file: preview, isWhole }: { file: FileDiff; isWhole: boolean }) {
  const rest = useWholeDiff(preview);
  const file = rest.value;
  const frame = useRef<HTMLElement>(null);
  const { review } = useOpenBeside();
  const { layout, canSplit, choose } = useDiffLayout(frame);
  const rows = useMemo(() => {
    const all = diffRows(file.hunks);
    return isWhole ? withoutBlankRuns(all) : all;
  }, [file, isWhole]);
  const split = useMemo(() => splitRows(rows), [rows]);
  const piecesOf = useDiffPieces(file, rows);
  const draw = (shown: number) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable to scroll it by keys
    <div className="diff-scroll" tabIndex={0}>
      {layout === 'split' ? (
        <SplitDiff rows={split.slice(0, shown)} piecesOf={piecesOf} />
      ) : (
        <UnifiedDiff rows={rows.slice(0, shown)} piecesOf={piecesOf} />
      )}
    </div>
  );
  const total = layout === 'split' ? split.length : rows.length;
  const other = layout === 'split' ? 'unified' : 'split';
  return (
    <figure
      ref={frame}
      className="diff-file"
      data-layout={layout}
      aria-label={`Changes to ${visiblePath(file.path)}`}
    >
      <figcaption className="diff-head">
        {isWhole ? <WholePath file={file} /> : <DiffPath file={file} />}
        <DiffCounts files={[file]} />
        <span className="diff-actions">
          {canSplit ? (
            <IconButton
              icon={other === 'split' ? Columns2 : Rows2}
              label={other === 'split' ? 'Side by side' : 'Unified'}
              onClick={() => choose(other)}
            />
          ) : null}
          {review && !isWhole ? (
            <IconButton icon={GitCompare} label="Open in review" onClick={() => review(file.path)} />
          ) : null}
          {rest.load ? null : <CopyIcon label="Copy diff" text={() => patchText(file)} />}
        </span>
      </figcaption>
      {isWhole && rows.length > MAX_ROWS ? (
        <LongLines text={patchText(file)} />
      ) : (
        <CutLines total={total} {...(isWhole ? { isOpen: true } : { rest })}>
          {draw}
        </CutLines>
      )}
    </figure>
  );
}

function WholePath({ file: { path, oldPath } }: { file: FileDiff }) {
  return (
    <span className="diff-path">
      {oldPath === undefined || oldPath === path ? null : (
        <>
          <RequestPathView path={oldPath} /> →{' '}
        </>
      )}
      <RequestPathView path={path} />
    </span>
  );
}

function DiffPath({ file }: { file: FileDiff }) {
  const directory = useDirectory();
  const path = relativePath(file.path, directory);
  const from = file.oldPath === undefined ? path : relativePath(file.oldPath, directory);
  return (
    <span className="diff-path truncate" title={visiblePath(file.path)}>
      {from === path ? null : `${from} → `}
      <PathLink path={file.path} />
    </span>
  );
}
