import { Check, ClipboardCopy, Search } from 'lucide-react';
import { useState } from 'react';
import { useCard } from '../../../features/conversation/card-context.tsx';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { IconButton } from '../../../ui/IconButton.tsx';

const Outline = lazyComponent(() => import('./Outline.tsx').then((part) => part.Outline));

/** Header buttons: find, outline, copy all. */
export function ReadingTools() {
  const { reading } = useCard();
  const [copied, setCopied] = useState<'done' | 'failed'>();
  const copy = () => {
    const show = (outcome: 'done' | 'failed') => {
      setCopied(outcome);
      setTimeout(() => setCopied(undefined), 2_000);
    };
    reading.copyAll().then(
      () => show('done'),
      () => show('failed'),
    );
  };
  return (
    <span className="reading-tools">
      <IconButton icon={Search} label="Find in conversation" onClick={() => reading.setFinding(true)} />
      <Outline />
      <IconButton
        className="copy-all"
        icon={copied === 'done' ? Check : ClipboardCopy}
        label={copied === 'failed' ? 'Couldn’t copy' : 'Copy conversation'}
        onClick={copy}
      />
    </span>
  );
}
