import type { Persisted } from '../app/persisted.ts';
import { useReadable } from './use-readable.ts';

export interface CheckProps {
  label: string;
  setting: Persisted<boolean>;
  /** Where more than keeping it is to be done. */
  onChange?: (isOn: boolean) => void;
}

/** A choice that this browser keeps. */
export function Check({ label, setting, onChange = setting.set }: CheckProps) {
  const isOn = useReadable(setting);
  return (
    <label className="check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}
