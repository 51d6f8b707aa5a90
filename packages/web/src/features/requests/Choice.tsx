import { useId } from 'react';
import { visibleText } from '../../kit/visible-text.ts';

export interface ChoiceProps {
  type: 'radio' | 'checkbox';
  name: string;
  label: string;
  detail?: string;
  preview?: string | undefined;
  isOn: boolean;
  onChange: (isOn: boolean, byPointer: boolean) => void;
}

export function Choice({ type, name, label, detail, preview, isOn, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div className="choice">
      <input
        id={id}
        type={type}
        name={name}
        checked={isOn}
        aria-describedby={detail ? `${id}-detail` : undefined}
        // Clicks triggered by a key have a count of 0.
        onChange={(event) => onChange(event.target.checked, (event.nativeEvent as UIEvent).detail > 0)}
      />
      <label htmlFor={id}>{visibleText(label)}</label>
      {detail ? (
        <span id={`${id}-detail`} className="choice-detail">
          {visibleText(detail)}
        </span>
      ) : null}
      {preview && isOn ? <pre className="plain choice-preview">{visibleText(preview)}</pre> : null}
    </div>
  );
}
