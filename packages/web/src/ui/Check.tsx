import type { Persisted } from '../kit/persisted.ts';
import { useReadable } from '../kit/use-readable.ts';

export interface CheckProps {
  label: string;
  setting: Persisted<boolean>;
  /** Replaces the default, which only stores the value. */
  onChange?: (isOn: boolean) => void;
}

/** A switch for a persisted preference. */
export function Check({ label, setting, onChange = setting.set }: CheckProps) {
  const isOn = useReadable(setting);
  return (
    <label className="check">
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  );
}
