import { isAside } from '@tugdeck/protocol/conversation/restore-state';
import type { TurnEnd } from '@tugdeck/protocol/conversation/session-info';
import { Ban, Check, CircleStop, Gauge, type LucideIcon, TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { cost, duration, plural } from '../../kit/format.ts';
import { openChanges } from '../../kit/open-changes.ts';
import { placeOfSession } from '../../kit/place.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { useCard } from '../conversation/card-context.tsx';
import { continuesAfter, turnEndingAt, turnFacts } from '../conversation/turn-facts.ts';
import { useCardView } from '../conversation/use-card-view.ts';
import { useEntry } from '../conversation/use-entry.ts';
import { previewTurnRestore } from '../restore/start-restore.ts';

const RESULTS: Readonly<Record<TurnEnd, { readonly label: string; readonly icon: LucideIcon }>> = {
  completed: { label: 'Turn completed', icon: Check },
  cancelled: { label: 'Stopped', icon: CircleStop },
  refused: { label: 'Refused', icon: Ban },
  limit: { label: 'Limit reached', icon: Gauge },
  error: { label: 'Failed', icon: TriangleAlert },
};

/** Between two rows; `last` is the last entry of the first one. Draws nothing within a turn. */
export function TurnBreak({ last, next }: { last: string; next: string | undefined }) {
  const entry = useEntry(last);
  const turn = turnEndingAt(entry, useEntry(next ?? ''));
  return turn === undefined ? null : <TurnFooter id={turn} last={entry?.seq ?? 0} />;
}

/** The end of a turn that used tools (D19): result, time, changed files, cost, and the way to its changes. */
function TurnFooter({ id, last }: { id: string; last: number }) {
  const card = useCard();
  const { session, channel } = card;
  const { conversation } = useCardView(channel);
  const turn = conversation.turns.findLast((each) => each.id === id);
  const facts = useMemo(() => turn && turnFacts(conversation, turn), [conversation, turn]);
  const project = useSelected(useClient().deck, (deck) => placeOfSession(deck, session));
  if (!facts?.hasTools || !turn?.endedBy || continuesAfter(conversation, id, last)) return null;
  const { endedBy } = turn;
  const { label, icon } = RESULTS[endedBy];
  const { files, added, removed, denied } = facts;
  const canReview = project !== undefined && (files > 0 || facts.hasCommands);
  // Restoring to before an earlier turn would undo the later ones too: that is offered at its message.
  const isLast = conversation.turns.at(-1) === turn && conversation.turn === null;
  const canUndo = canReview && isLast && turn.prompts.length > 0 && !isAside(conversation, turn.firstSeq);
  return (
    <footer className="turn-footer" data-ended={endedBy} data-denied={denied > 0} data-turn={turn.id}>
      <span className="turn-result">
        <Icon icon={icon} size={14} />
        <span className={endedBy === 'completed' ? 'visually-hidden' : undefined}>{label}</span>
      </span>
      <span>{duration(facts.durationMs)}</span>
      {denied > 0 ? <span className="turn-denied">{denied} denied</span> : null}
      {files === 0 ? null : (
        <span className="turn-changes">
          {plural(files, 'file')}
          <span className="diff-counts">
            {added > 0 ? <span className="is-added">+{added}</span> : null}
            {removed > 0 ? <span className="is-removed">−{removed}</span> : null}
          </span>
        </span>
      )}
      {turn.costUsd ? <span className="turn-cost">{cost(turn.costUsd)}</span> : null}
      {canReview ? (
        <Button
          className="turn-review"
          aria-label={files > 0 ? `Review ${plural(files, 'file')}` : 'Review changes'}
          onClick={() => openChanges(project, session, turn.id)}
        >
          Review
        </Button>
      ) : null}
      {canUndo ? (
        <Button look="quiet" aria-label="Undo this turn" onClick={() => previewTurnRestore(card, turn.id)}>
          Undo
        </Button>
      ) : null}
    </footer>
  );
}
