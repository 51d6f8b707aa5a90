import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../../ui/IconButton.tsx';

export interface CopyIconProps {
  label: string;
  text: () => string;
}

/** Copies text and shows a check mark for two seconds. */
export function CopyIcon({ label, text }: CopyIconProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return <IconButton icon={isCopied ? Check : Copy} label={label} onClick={copy} />;
}
