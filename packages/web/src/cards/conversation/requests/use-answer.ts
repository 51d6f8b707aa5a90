import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { useState } from 'react';
import { faultText } from '../../../app/deck-actions.ts';
import { useSelected } from '../../../ui/use-readable.ts';
import { useCard } from '../card-context.tsx';
import { useGrace } from './use-grace.ts';

export interface AnswerState {
  /** It has just appeared or changed: nothing answers it yet. */
  readonly isFresh: boolean;
  /** The answer is on its way: buttons wait for the host's word. */
  readonly isWaiting: boolean;
  readonly fault: string | undefined;
  send(answer: Answer): void;
}

export function useAnswer(entry: RequestEntry): AnswerState {
  const { channel } = useCard();
  const [fault, setFault] = useState<string>();
  const [isSending, setSending] = useState(false);
  const isPending = useSelected(channel.view, (view) =>
    view.pending.some((command) => command.kind === 'request.answer' && command.entry === entry.id),
  );
  const isFresh = useGrace(entry);
  const send = (answer: Answer) => {
    if (isSending || isPending || isFresh) return;
    setSending(true);
    setFault(undefined);
    channel
      .send({ kind: 'request.answer', entry: entry.id, shown: entry.request.shown, answer })
      .catch((error) => setFault(faultText(error)))
      .finally(() => setSending(false));
  };
  return { isFresh, isWaiting: isSending || isPending, fault, send };
}
