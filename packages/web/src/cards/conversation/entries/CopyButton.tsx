import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { Icon } from '../../../ui/Icon.tsx';
import { exactTime } from '../../../ui/words.ts';

export interface CopyButtonProps {
  text: string;
  at: number;
  note?: string | undefined;
}

/** Time, model and copy of a message: there on hover and on focus, out of the way otherwise. */
export function CopyButton({ text, at, note }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <span className="entry-aside">
      <time title={exactTime(at)}>{new Date(at).toLocaleTimeString([], { timeStyle: 'short' })}</time>
      {note ? <span>{note}</span> : null}
      <button type="button" className="icon-button" aria-label="Copy message" onClick={copy}>
        <Icon icon={isCopied ? Check : Copy} size={14} />
      </button>
    </span>
  );
}
