/** Syntax highlighting for a diff: both versions are parsed as code, so that a line is colored in its context. */
import type { FileDiff } from '@tugdeck/protocol/conversation/entries';
import { useMemo } from 'react';
import { languageOfPath } from '../highlight/languages.ts';
import { useLinePieces } from '../highlight/use-line-pieces.ts';
import type { PiecesOf } from './DiffTable.tsx';
import { type DiffRow, rowLines, versionsOf } from './diff-rows.ts';

export function useDiffPieces(file: FileDiff, rows: readonly DiffRow[]): PiecesOf {
  const { before, after } = useMemo(() => versionsOf(rows), [rows]);
  const lines = useMemo(() => rowLines(rows), [rows]);
  const old = useLinePieces(before, languageOfPath(file.oldPath ?? file.path));
  const fresh = useLinePieces(after, languageOfPath(file.path));
  return (row) => (row.kind === 'removed' ? old : fresh)?.[lines.get(row) ?? -1];
}
