import { memo } from 'react';
import type { Row } from '../../features/conversation/rows.ts';
import { EntryRow } from '../../features/entries/EntryRow.tsx';
import { TurnBreak } from '../../features/entries/TurnFooter.tsx';

/** A row, and the end of its turn if the next row is of another. */
export const ListRow = memo(function ListRow({ row, next }: { row: Row; next: string | undefined }) {
  return (
    <>
      <EntryRow row={row} />
      <TurnBreak last={row.ids.at(-1) ?? row.id} next={next} />
    </>
  );
});
