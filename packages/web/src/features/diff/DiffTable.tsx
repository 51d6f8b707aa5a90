/** A diff as a table, unified or side by side; numbers and signs are not copied. */
import { Fragment, type ReactNode } from 'react';
import { CodeLine } from '../highlight/CodeLine.tsx';
import type { Piece } from '../highlight/runs.ts';
import { type DiffRow, keyOf, type SplitRow } from './diff-rows.ts';

export type PiecesOf = (row: DiffRow) => readonly Piece[] | undefined;

const SIGNS: Readonly<Record<DiffRow['kind'], string>> = { same: ' ', added: '+', removed: '−', gap: '' };

/** A card's additions to lines: a marker beside the numbers, content below the line. */
export interface LineTools {
  readonly beside: (row: DiffRow) => ReactNode;
  readonly below: (row: DiffRow) => ReactNode;
}

export interface UnifiedDiffProps {
  rows: readonly DiffRow[];
  piecesOf: PiecesOf;
  tools?: LineTools | undefined;
}

export function UnifiedDiff({ rows, piecesOf, tools }: UnifiedDiffProps) {
  return (
    <table className="diff">
      <tbody>
        {rows.map((row) =>
          row.kind === 'gap' ? (
            <Gap key={keyOf(row)} text={row.text} columns={4} />
          ) : (
            <Fragment key={keyOf(row)}>
              <tr data-kind={row.kind}>
                <td className="diff-number" data-number={row.old} />
                <td className="diff-number" data-number={row.new}>
                  {tools?.beside(row)}
                </td>
                <td className="diff-sign" data-sign={SIGNS[row.kind]} />
                <Text row={row} piecesOf={piecesOf} />
              </tr>
              <Below content={tools?.below(row)} />
            </Fragment>
          ),
        )}
      </tbody>
    </table>
  );
}

export function SplitDiff({ rows, piecesOf }: { rows: readonly SplitRow[]; piecesOf: PiecesOf }) {
  return (
    <table className="diff diff-split">
      <colgroup>
        <col className="diff-number-column" />
        <col />
        <col className="diff-number-column" />
        <col />
      </colgroup>
      <tbody>
        {rows.map(({ key, gap, left, right }) =>
          gap === undefined ? (
            <tr key={key}>
              <Side row={left} number={left?.old} piecesOf={piecesOf} />
              <Side row={right} number={right?.new} piecesOf={piecesOf} />
            </tr>
          ) : (
            <Gap key={key} text={gap} columns={4} />
          ),
        )}
      </tbody>
    </table>
  );
}

function Below({ content }: { content: ReactNode }) {
  if (content === undefined || content === null) return null;
  return (
    <tr className="diff-below">
      <td colSpan={4}>{content}</td>
    </tr>
  );
}

interface SideProps {
  row: DiffRow | undefined;
  number: number | undefined;
  piecesOf: PiecesOf;
}

function Side({ row, number, piecesOf }: SideProps) {
  if (!row) return <td className="diff-nothing" colSpan={2} />;
  return (
    <>
      <td className="diff-number" data-kind={row.kind} data-number={number} />
      <Text row={row} piecesOf={piecesOf} />
    </>
  );
}

function Text({ row, piecesOf }: { row: DiffRow; piecesOf: PiecesOf }) {
  return (
    <td className="diff-text" data-kind={row.kind}>
      {row.text === '' ? ' ' : <CodeLine text={row.text} pieces={piecesOf(row)} marks={row.marks} />}
    </td>
  );
}

function Gap({ text, columns }: { text: string; columns: number }) {
  return (
    <tr className="diff-gap">
      <td colSpan={columns}>⋯ {text}</td>
    </tr>
  );
}
