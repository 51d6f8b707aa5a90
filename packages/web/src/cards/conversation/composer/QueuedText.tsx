import { type KeyboardEvent, useCallback } from 'react';

export interface QueuedTextProps {
  text: string;
  isEditing: boolean;
  onEdit: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
  /** The new text; undefined if unchanged. */
  onEdited: (text: string | undefined) => void;
}

/** A queued message in one line. While editing, Enter or blur saves, Esc cancels. */
export function QueuedText({ text, isEditing, onEdit, onKeyDown, onEdited }: QueuedTextProps) {
  const take = useCallback((box: HTMLTextAreaElement | null) => {
    box?.focus();
    box?.setSelectionRange(box.value.length, box.value.length);
  }, []);
  if (!isEditing) {
    return (
      <button
        type="button"
        className="queued-text truncate"
        title={text}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
        onClick={onEdit}
        onKeyDown={onKeyDown}
      >
        {text}
      </button>
    );
  }
  const keep = (next: string) => onEdited(next.trim() === '' || next === text ? undefined : next);
  return (
    <textarea
      ref={take}
      className="field"
      rows={Math.min(5, text.split('\n').length)}
      aria-label="Queued message"
      defaultValue={text}
      onBlur={(event) => keep(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
          event.preventDefault();
          keep(event.currentTarget.value);
        }
        if (event.key === 'Escape') onEdited(undefined);
      }}
    />
  );
}
