import { answerSchema } from '@tugdeck/protocol/conversation/commands';
import type { PlanEntry } from '@tugdeck/protocol/conversation/entries';
import { useState } from 'react';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { StreamedText } from '../conversation/StreamedText.tsx';
import { SettledLine } from './SettledLine.tsx';

const OpenPlan = lazyComponent(() => import('./OpenPlan.tsx').then((part) => part.OpenPlan));

export function PlanView({ entry }: { entry: PlanEntry }) {
  const [isOpen, setOpen] = useState(false);
  if (entry.request.status === 'pending') return <OpenPlan entry={entry} />;
  const parsed = answerSchema.safeParse(entry.request.answer);
  const answer = parsed.success && parsed.data.type === 'plan' ? parsed.data : undefined;
  const mode = entry.request.modes.find(({ id }) => id === answer?.mode)?.label;
  const decided = answer?.approve
    ? `Plan approved${answer.plan ? ' as edited' : ''}${mode ? `, ${mode}` : ''}`
    : 'Sent back for changes';
  return (
    <>
      <SettledLine
        entry={entry}
        decided={decided}
        isRefused={answer?.approve === false}
        about={
          <>
            {answer?.message ? `“${visibleText(answer.message)}” ` : ''}
            <Button look="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Hide plan' : 'Show plan'}
            </Button>
          </>
        }
      />
      {isOpen && answer?.plan ? <pre className="plan-edited">{visibleText(answer.plan)}</pre> : null}
      {isOpen && !answer?.plan ? <StreamedText id={entry.id} /> : null}
    </>
  );
}
