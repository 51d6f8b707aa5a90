/** The four kinds of requests: an open one with its controls, which are loaded when needed, or one line with the answer. */
import { answerSchema } from '@tugdeck/protocol/conversation/commands';
import type {
  FormEntry,
  PermissionEntry,
  PlanEntry,
  QuestionEntry,
} from '@tugdeck/protocol/conversation/entries';
import { useState } from 'react';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { visibleExact, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { useDirectory } from '../conversation/project-paths.ts';
import { StreamedText } from '../conversation/StreamedText.tsx';
import { titleStart } from './long-prose.ts';
import { decidedPermission } from './permission-options.ts';
import { permissionTitle } from './permission-parts.ts';
import { answerText } from './question-answer.ts';
import { SettledLine } from './SettledLine.tsx';

const OpenForm = lazyComponent(() => import('./OpenForm.tsx').then((part) => part.OpenForm));

const FORM_ACTIONS = { accept: 'Accepted', decline: 'Declined', cancel: 'Canceled' } as const;

/** A request of any other kind. The form is preloaded: one that loaded later would move the other requests. */
export function FormView({ entry }: { entry: FormEntry }) {
  if (entry.request.status === 'pending') return <OpenForm entry={entry} />;
  const parsed = answerSchema.safeParse(entry.request.answer);
  const action = parsed.success && parsed.data.type === 'form' ? parsed.data.action : 'accept';
  return (
    <SettledLine
      entry={entry}
      decided={FORM_ACTIONS[action]}
      isRefused={action !== 'accept'}
      about={visibleText(entry.request.title)}
    />
  );
}

const OpenPermission = lazyComponent(() =>
  import('./OpenPermission.tsx').then((part) => part.OpenPermission),
);

export function PermissionView({ entry }: { entry: PermissionEntry }) {
  const { request } = entry;
  const directory = useDirectory();
  if (request.status === 'pending') return <OpenPermission entry={entry} />;
  const { outcome, isRefused, message, changes } = decidedPermission(request);
  const title = titleStart(permissionTitle(request, directory));
  return (
    <SettledLine
      entry={entry}
      decided={outcome}
      isRefused={isRefused}
      about={message ? `${title} — “${visibleText(message)}”` : changes ? visibleExact(changes) : title}
    />
  );
}

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

const OpenQuestion = lazyComponent(() => import('./OpenQuestion.tsx').then((part) => part.OpenQuestion));

export function QuestionView({ entry }: { entry: QuestionEntry }) {
  if (entry.request.status === 'pending') return <OpenQuestion entry={entry} />;
  if (entry.request.status !== 'answered') {
    return (
      <SettledLine entry={entry} decided="" about={visibleText(entry.request.questions[0]?.text ?? '')} />
    );
  }
  return answerText(entry).map(({ id, header, answer }) => (
    <SettledLine key={id} entry={entry} decided={answer} about={visibleText(header)} />
  ));
}
