import type { LongText } from '@tugdeck/protocol/conversation/long-text';
import { useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';
import { loadBlob } from '../conversation/blob-text.ts';
import { useCard } from '../conversation/card-context.tsx';

export interface LongTextState {
  readonly text: string;
  /** Set while the text is incomplete. */
  readonly load?: () => void;
  readonly size?: number;
  readonly fault?: string | undefined;
}

/** A text that may be a blob: its two ends at once, the rest on request. */
export function useLongText(value: LongText): LongTextState {
  const { session } = useCard();
  const [loaded, setLoaded] = useState<{ hash: string; text: string }>();
  const [fault, setFault] = useState<string>();
  if (typeof value === 'string') return { text: value };
  if (loaded?.hash === value.blob) return { text: loaded.text };
  const load = () => {
    loadBlob(session, value.blob).then(
      (text) => setLoaded({ hash: value.blob, text }),
      (error) => setFault(faultText(error)),
    );
  };
  return { text: `${value.head}\n…\n${value.tail}`, load, size: value.size, fault };
}
