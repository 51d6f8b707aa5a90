/** A choice between a few values, all of them visible: a group of radios that looks like one control. */
import { type ReactNode, useId } from 'react';

export interface SegmentsProps<T> {
  label: string;
  value: T;
  choices: readonly { readonly value: T; readonly label: string; readonly sample?: ReactNode }[];
  onChange: (value: T) => void;
}

export function Segments<T extends string | number>({ label, value, choices, onChange }: SegmentsProps<T>) {
  const name = useId();
  return (
    <fieldset className="segments" aria-label={label}>
      {choices.map((choice) => (
        <label key={choice.value} className="segment">
          <input
            type="radio"
            name={name}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          {choice.sample}
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
}
