/** Banner of a conversation whose machine cannot be reached (N13): since when, why, and what happens to messages. */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import type { ReactNode } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { localTime } from '../../kit/format.ts';
import { machineOf } from '../../kit/machines.ts';
import { useNow } from '../../kit/use-now.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';

interface MachineNoteProps {
  row: SessionRow | undefined;
  /** Shown while the machine is offline. */
  action: ReactNode;
}

export function MachineNote({ row, action }: MachineNoteProps) {
  const now = useNow('half-minute');
  const machine = useSelected(useClient().deck, (deck) => machineOf(deck, row));
  if (!machine || machine.state === 'online') return null;
  const { id, seenAt, fault } = machine;
  return (
    <div className="banner" data-state="quiet" role="note" title={fault && visibleText(fault)}>
      <span>
        {seenAt === undefined ? `${id} is offline` : `${id} has been offline since ${localTime(seenAt, now)}`}
        . Tugdeck reconnects automatically, then sends your messages.
      </span>
      {machine.state === 'offline' ? action : null}
    </div>
  );
}
