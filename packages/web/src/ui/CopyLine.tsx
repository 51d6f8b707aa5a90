import { useState } from 'react';
import { visibleExact } from '../kit/visible-text.ts';
import { Button } from './Button.tsx';

/** A command line to copy and run elsewhere. */
export function CopyLine({ label, text }: { label: string; text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <p className="copy-line">
      {label === '' ? null : <span className="muted">{label}</span>}
      <code>{visibleExact(text)}</code>
      <Button look="quiet" onClick={copy} onBlur={() => setCopied(false)}>
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
    </p>
  );
}
