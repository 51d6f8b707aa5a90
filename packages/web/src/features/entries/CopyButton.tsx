import { Check, Copy, Link } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { exactTime } from '../../kit/format.ts';
import { hashOfEntry } from '../../kit/route.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { useCard } from '../conversation/card-context.tsx';

export interface CopyButtonProps {
  /** The entry's id, for its link. */
  id: string;
  text: string;
  at: number;
  note?: string | undefined;
  /** More buttons. */
  children?: ReactNode;
}

/** Time, model, link and copy button of a message, visible on hover and focus. */
export function CopyButton({ id, text, at, note, children }: CopyButtonProps) {
  const { session } = useCard();
  const [copied, setCopied] = useState<'text' | 'link'>();
  const copy = async (what: 'text' | 'link', value: string) => {
    await navigator.clipboard.writeText(value);
    setCopied(what);
    setTimeout(() => setCopied(undefined), 2_000);
  };
  const address = () => new URL(hashOfEntry(session, id), location.href).href;
  return (
    <span className="entry-aside">
      <time title={exactTime(at)}>{new Date(at).toLocaleTimeString([], { timeStyle: 'short' })}</time>
      {note ? <span>{visibleText(note)}</span> : null}
      {children}
      <button
        type="button"
        className="icon-button"
        aria-label="Copy link"
        title="Copy link"
        onClick={() => copy('link', address())}
      >
        <Icon icon={copied === 'link' ? Check : Link} size={14} />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Copy message"
        title="Copy as Markdown"
        onClick={() => copy('text', text)}
      >
        <Icon icon={copied === 'text' ? Check : Copy} size={14} />
      </button>
    </span>
  );
}
