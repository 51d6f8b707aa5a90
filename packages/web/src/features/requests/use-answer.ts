import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { useState } from 'react';
import { cell } from '../../kit/cell.ts';
import { faultText } from '../../kit/deck-actions.ts';
import { isLimited } from '../../kit/limited.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { type AnswerGuard, useAnswerGuard } from '../../ui/answers/use-answer-guard.ts';
import { useCard } from '../conversation/card-context.tsx';

interface AnswerState {
  /** The click delay: checked by `send`, attached to the frame. */
  readonly guard: AnswerGuard;
  /** The answer was sent; buttons are disabled until the host replies. */
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
  const guard = useAnswerGuard(`${entry.id} ${entry.request.shown}`);
  const send = (answer: Answer) => {
    if (isSending || isPending || !guard.mayAnswer()) return;
    setSending(true);
    setFault(undefined);
    channel
      .send({
        kind: 'request.answer',
        entry: entry.id,
        shown: entry.request.shown,
        answer: isLimited.get() ? plainAnswer(answer) : answer,
      })
      .catch((error) => {
        setFault(faultText(error));
        if (error?.code === 'REQUEST_NOT_OPEN') noteLateAnswer(entry.id);
      })
      .finally(() => setSending(false));
  };
  return { guard, isWaiting: isSending || isPending, fault, send };
}

/** The answer that a device which may only read and answer can give (N55): once, as asked, in the same mode. */
function plainAnswer(answer: Answer): Answer {
  if (answer.type === 'permission') {
    const { type, behavior, message, interrupt } = answer;
    if (behavior === 'allow') return { type, behavior };
    return {
      ...{ type, behavior },
      ...(message === undefined ? {} : { message }),
      ...(interrupt === undefined ? {} : { interrupt }),
    };
  }
  if (answer.type === 'plan' && answer.approve) return { type: 'plan', approve: true };
  return answer;
}

/** The request that this page is answering, until the host replies. */
export function useAnswered(channel: ConversationChannel): string | undefined {
  return useSelected(
    channel.view,
    ({ pending }) => pending.find((command) => command.kind === 'request.answer')?.entry,
  );
}

/** Requests whose answer from this page came too late (M4); their line says so. */
export const lateAnswers = cell<ReadonlySet<string>>(new Set());

function noteLateAnswer(entry: string): void {
  lateAnswers.set(new Set([...lateAnswers.get(), entry]));
}
