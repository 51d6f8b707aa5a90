import type { RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { Ban, Check, CircleSlash } from 'lucide-react';
import type { ReactNode } from 'react';
import { exactTime } from '../../kit/format.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { lateAnswers } from './use-answer.ts';

export interface SettledLineProps {
  entry: RequestEntry;
  /** The decision; used if the request was answered. */
  decided: string;
  about: ReactNode;
  isRefused?: boolean;
}

/** A settled request: one line with its outcome. */
export function SettledLine({ entry, decided, about, isRefused = false }: SettledLineProps) {
  const { status, answeredBy, answeredAt } = entry.request;
  const outcome =
    status === 'answered' ? decided : status === 'stale' ? 'Expired: the agent stopped' : 'No longer needed';
  const isLate = useSelected(lateAnswers, (late) => late.has(entry.id));
  const icon = status !== 'answered' ? CircleSlash : isRefused ? Ban : Check;
  return (
    <div
      className="settled"
      data-request-status={status}
      data-refused={isRefused}
      title={answeredAt === undefined ? undefined : exactTime(answeredAt)}
    >
      <Icon icon={icon} size={14} />
      <span className="settled-decided">
        {visibleText(outcome)}
        {answeredBy ? ` by ${visibleText(answeredBy)}` : ''}
      </span>
      <span className="settled-about muted">{about}</span>
      {isLate ? (
        <span className="settled-late" role="alert">
          Your answer came too late and wasn’t used
        </span>
      ) : null}
    </div>
  );
}
