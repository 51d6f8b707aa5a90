/** Marks a session as one of several attempts (B37), wherever it is listed. */
import './attempts.css';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { Layers } from 'lucide-react';
import { useClient } from '../../kit/client-context.tsx';
import { openCard } from '../../kit/layout/open-card.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { type AttemptPlace, attemptPlace, letterOf } from './attempts.ts';

function useAttempt(row: Pick<SessionRow, 'id' | 'project'>): AttemptPlace | undefined {
  const groups = useSelected(useClient().deck, (deck) => deck?.attempts);
  return attemptPlace(groups, row);
}

function titleOf({ group, number }: AttemptPlace): string {
  return `Attempt ${letterOf(number)} of ${group.attempts.length}: ${visibleText(group.title)}`;
}

export function AttemptMark({ row }: { row: Pick<SessionRow, 'id' | 'project'> }) {
  const attempt = useAttempt(row);
  if (!attempt) return null;
  return (
    <span className="attempt-mark" title={titleOf(attempt)}>
      <Icon icon={Layers} size={11} />
      <span aria-hidden="true">{letterOf(attempt.number)}</span>
      <span className="visually-hidden">{`Attempt ${letterOf(attempt.number)}`}</span>
    </span>
  );
}

/** The same as a button that compares them. */
export function AttemptButton({
  row,
  tabIndex,
}: {
  row: Pick<SessionRow, 'id' | 'project'>;
  tabIndex?: number;
}) {
  const attempt = useAttempt(row);
  if (!attempt) return null;
  const { group, number } = attempt;
  return (
    <button
      type="button"
      className="attempt-mark attempt-button"
      tabIndex={tabIndex}
      title={`${titleOf(attempt)}. Compare`}
      aria-label={`Compare attempts: ${visibleText(group.title)}`}
      onClick={() => openCard('attempts', { project: group.project, item: group.id })}
    >
      <Icon icon={Layers} size={11} />
      {`${letterOf(number)} of ${group.attempts.length}`}
    </button>
  );
}
