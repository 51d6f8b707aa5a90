import { useCallback } from 'react';
import { useClient } from '../../../kit/client-context.tsx';
import { faultText } from '../../../kit/deck-actions.ts';

export interface TitleFieldProps {
  session: string;
  title: string;
  onDone: () => void;
}

/** The title field: Enter or blur saves, Esc cancels. */
export function TitleField({ session, title, onDone }: TitleFieldProps) {
  const client = useClient();
  const take = useCallback((input: HTMLInputElement | null) => {
    input?.focus();
    input?.select();
  }, []);
  const rename = (next: string) => {
    onDone();
    const wanted = next.trim().slice(0, 200);
    if (wanted === '' || wanted === title) return;
    client
      .request({ type: 'session.rename', session, title: wanted })
      .catch((error) => console.warn(faultText(error)));
  };
  return (
    <input
      className="field card-title-field"
      aria-label="Title"
      defaultValue={title}
      maxLength={200}
      ref={take}
      onBlur={(event) => rename(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') rename(event.currentTarget.value);
        if (event.key !== 'Escape') return;
        event.currentTarget.value = title;
        onDone();
      }}
    />
  );
}
