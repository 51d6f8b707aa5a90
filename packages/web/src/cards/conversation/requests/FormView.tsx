import { answerSchema } from '@tugdeck/protocol/conversation/commands';
import type { FormEntry } from '@tugdeck/protocol/conversation/entries';
import { lazy, Suspense } from 'react';
import { visibleText } from '../../../ui/visible-text.ts';
import { SettledLine } from './SettledLine.tsx';

const OpenForm = lazy(() => import('./OpenForm.tsx'));

const DECIDED = { accept: 'Accepted', decline: 'Declined', cancel: 'Cancelled' } as const;

/** A request of any other kind. The form is loaded when one is open. */
export function FormView({ entry }: { entry: FormEntry }) {
  if (entry.request.status === 'pending') {
    return (
      <Suspense fallback={<p className="request-title">{visibleText(entry.request.title)}</p>}>
        <OpenForm entry={entry} />
      </Suspense>
    );
  }
  const parsed = answerSchema.safeParse(entry.request.answer);
  const action = parsed.success && parsed.data.type === 'form' ? parsed.data.action : 'accept';
  return (
    <SettledLine
      entry={entry}
      decided={DECIDED[action]}
      isRefused={action !== 'accept'}
      about={visibleText(entry.request.title)}
    />
  );
}
