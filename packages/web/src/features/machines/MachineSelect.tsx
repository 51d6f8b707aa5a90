/** Chooses this machine or another one; nothing without other machines. */
import { useClient } from '../../kit/client-context.tsx';
import { useSelected } from '../../kit/use-readable.ts';

interface MachineSelectProps {
  machine: string | undefined;
  onMachine: (machine: string | undefined) => void;
}

export function MachineSelect({ machine, onMachine }: MachineSelectProps) {
  const machines = useSelected(useClient().deck, (deck) => deck?.machines);
  if (!machines || machines.length === 0) return null;
  return (
    <label className="field-label">
      <span>Machine</span>
      <select
        className="field"
        value={machine ?? ''}
        onChange={(event) => onMachine(event.target.value || undefined)}
      >
        <option value="">This machine</option>
        {machines.map(({ id, state }) => (
          <option key={id} value={id} disabled={state !== 'online'}>
            {state === 'online' ? id : `${id} (offline)`}
          </option>
        ))}
      </select>
    </label>
  );
}
