import { useId } from 'react';
import { visibleText } from '../../kit/visible-text.ts';

export interface ChoiceProps {
  type: 'radio' | 'checkbox';
  name: string;
  label: string;
  detail?: string;
  preview?: string | undefined;
  /** The key that chooses it. */
  digit?: number | undefined;
  isOn: boolean;
  onChange: (isOn: boolean, byPointer: boolean) => void;
}

export function Choice({ type, name, label, detail, preview, digit, isOn, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div className="choice">
      <input
        id={id}
        type={type}
        name={name}
        checked={isOn}
        aria-keyshortcuts={digit === undefined ? undefined : String(digit)}
        aria-describedby={detail ? `${id}-detail` : undefined}
        // Clicks triggered by a key have a count of 0.
        onChange={(event) => onChange(event.target.checked, (event.nativeEvent as UIEvent).detail > 0)}
      />
      <label htmlFor={id}>{visibleText(label)}</label>
      {digit === undefined ? null : (
        <span className="key choice-key" aria-hidden="true">
          {digit}
        </span>
      )}
      {detail ? (
        <span id={`${id}-detail`} className="choice-detail">
          {visibleText(detail)}
        </span>
      ) : null}
      {preview && isOn ? <pre className="plain choice-preview">{visibleText(preview)}</pre> : null}
    </div>
  );
}
