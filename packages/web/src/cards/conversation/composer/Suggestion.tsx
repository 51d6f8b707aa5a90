import { CornerDownLeft } from 'lucide-react';
import { visibleText } from '../../../kit/visible-text.ts';
import { Icon } from '../../../ui/Icon.tsx';

/** The agent's suggested next message (C9). Choosing it fills the composer; nothing is sent. */
export function Suggestion({ text, onUse }: { text: string; onUse: () => void }) {
  return (
    <button type="button" className="suggestion" title="Use this message" onClick={onUse}>
      <Icon icon={CornerDownLeft} size={14} />
      <span className="visually-hidden">Suggested message: </span>
      <span className="truncate">{visibleText(text)}</span>
    </button>
  );
}
