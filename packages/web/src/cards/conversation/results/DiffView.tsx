import type { FileDiff } from '@tugdeck/protocol/conversation/entries';
import { useMemo } from 'react';
import { CutLines } from './CutLines.tsx';
import { DiffCounts } from './DiffCounts.tsx';
import { type DiffRow, diffRows } from './diff-rows.ts';

export interface DiffViewProps {
  files: readonly FileDiff[];
  /** A request shows everything: what is allowed must be seen. */
  isWhole?: boolean;
}

export function DiffView({ files, isWhole = false }: DiffViewProps) {
  return files.map((file) => <FileDiffView key={file.path} file={file} isWhole={isWhole} />);
}

function FileDiffView({ file, isWhole }: { file: FileDiff; isWhole: boolean }) {
  const rows = useMemo(() => diffRows(file.hunks), [file]);
  const draw = (shown: number) => (
    <div className="diff-scroll">
      <table className="diff">
        <tbody>
          {rows.slice(0, shown).map((row) => (
            <Line key={`${row.kind}-${row.old ?? ''}-${row.new ?? row.text}`} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
  return (
    <figure className="diff-file" aria-label={`Changes to ${file.path}`}>
      <figcaption className="diff-head">
        <span className="truncate">
          {file.oldPath && file.oldPath !== file.path ? `${file.oldPath} → ${file.path}` : file.path}
        </span>
        <DiffCounts files={[file]} />
      </figcaption>
      {isWhole ? draw(rows.length) : <CutLines total={rows.length}>{draw}</CutLines>}
    </figure>
  );
}

const SIGNS: Readonly<Record<DiffRow['kind'], string>> = { same: ' ', added: '+', removed: '−', gap: '' };

function Line({ row }: { row: DiffRow }) {
  if (row.kind === 'gap') {
    return (
      <tr className="diff-gap">
        <td colSpan={4}>⋯ {row.text}</td>
      </tr>
    );
  }
  const [from, to] = row.mark ?? [0, 0];
  return (
    <tr data-kind={row.kind}>
      <td className="diff-number" data-number={row.old} />
      <td className="diff-number" data-number={row.new} />
      <td className="diff-sign">{SIGNS[row.kind]}</td>
      <td className="diff-text">
        {row.text.slice(0, from)}
        {to > from ? <span className="diff-word">{row.text.slice(from, to)}</span> : null}
        {row.text.slice(Math.max(from, to)) || (row.text === '' ? ' ' : '')}
      </td>
    </tr>
  );
}
