import { useRef } from 'react';

export interface RenameFieldProps {
  label: string;
  name: string;
  /** Called once: with the new name, or undefined if canceled. */
  onDone: (name: string | undefined) => void;
}

const MAX_LENGTH = 200;

/** Inline rename. Enter or blur saves, Esc cancels. */
export function RenameField({ label, name, onDone }: RenameFieldProps) {
  const isOver = useRef(false);
  const end = (typed: string | undefined) => {
    if (isOver.current) return;
    isOver.current = true;
    const wanted = typed?.trim().slice(0, MAX_LENGTH);
    onDone(wanted === '' || wanted === name ? undefined : wanted);
  };
  return (
    <input
      className="field rename-field"
      aria-label={label}
      maxLength={MAX_LENGTH}
      defaultValue={name}
      ref={(input) => input?.select()}
      onBlur={(event) => end(event.target.value)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Enter') end(event.currentTarget.value);
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        end(undefined);
      }}
    />
  );
}
