/** The name of another machine beside a project or session, and whether it can be reached (N13). */
import { Server } from 'lucide-react';
import { useClient } from '../../kit/client-context.tsx';
import { exactTime } from '../../kit/format.ts';
import { machineOf } from '../../kit/machines.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { Icon } from '../../ui/Icon.tsx';
import './machines.css';

export function MachineTag({ machine }: { machine: string | undefined }) {
  const row = useSelected(useClient().deck, (deck) => machineOf(deck, { machine }));
  if (!row) return null;
  const { id, state, seenAt } = row;
  const seen = seenAt === undefined ? '' : `, last seen ${exactTime(seenAt)}`;
  const text = state === 'online' ? `On ${id}` : `${id} is offline${seen}`;
  return (
    <span className="machine-tag" data-state={state} title={text}>
      <Icon icon={Server} size={12} />
      <span className="truncate">{id}</span>
      {state === 'online' ? null : <span className="visually-hidden">offline</span>}
    </span>
  );
}
