/** The steps of a subagent inside its tool: all when open, otherwise only those that need the user. */
import { type ReactNode, useState } from 'react';
import { plural } from '../../kit/format.ts';
import { Button } from '../../ui/Button.tsx';
import { useCard } from '../conversation/card-context.tsx';
import type { Row } from '../conversation/rows.ts';
import { needsUser } from './needs-user.ts';

/** A subagent may take hundreds of steps; the last ones show its progress. */
const SHOWN = 40;

export interface NestedRowsProps {
  rows: readonly Row[];
  isOpen: boolean;
  renderRow: (row: Row) => ReactNode;
}

export function NestedRows({ rows, isOpen, renderRow }: NestedRowsProps) {
  const { channel } = useCard();
  const [isWhole, setWhole] = useState(false);
  const wanted = isOpen ? rows : rows.filter((row) => needsUser(row, (id) => channel.entry(id).get()));
  if (wanted.length === 0) return null;
  const shown = isWhole ? wanted : wanted.slice(-SHOWN);
  return (
    <div className="nested">
      {shown.length < wanted.length ? (
        <Button look="link" className="show-all" onClick={() => setWhole(true)}>
          Show {plural(wanted.length - shown.length, 'earlier step')}
        </Button>
      ) : null}
      {shown.map(renderRow)}
    </div>
  );
}
