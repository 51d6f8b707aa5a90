import { answerSchema } from '@tugdeck/protocol/conversation/commands';
import type { FormEntry } from '@tugdeck/protocol/conversation/entries';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { visibleText } from '../../kit/visible-text.ts';
import { SettledLine } from './SettledLine.tsx';

const OpenForm = lazyComponent(() => import('./OpenForm.tsx').then((part) => part.OpenForm));

const DECIDED = { accept: 'Accepted', decline: 'Declined', cancel: 'Canceled' } as const;

/** A request of any other kind. The form is preloaded: one that loaded later would move the other requests. */
export function FormView({ entry }: { entry: FormEntry }) {
  if (entry.request.status === 'pending') return <OpenForm entry={entry} />;
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
