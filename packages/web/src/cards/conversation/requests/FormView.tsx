import { answerSchema } from '@tugdeck/protocol/conversation/commands';
import type { FormEntry } from '@tugdeck/protocol/conversation/entries';
import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { JsonTree } from '../results/JsonTree.tsx';
import { editableText, parseEdited } from './edited-input.ts';
import { RequestFrame } from './RequestFrame.tsx';
import { SettledLine } from './SettledLine.tsx';
import { useAnswer } from './use-answer.ts';

const DECIDED = { accept: 'Accepted', decline: 'Declined', cancel: 'Cancelled' } as const;

/** A request of any other kind: shown as it came, with a way to answer or refuse. */
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

function OpenForm({ entry }: { entry: FormEntry }) {
  const { title, message, schema, raw } = entry.request;
  const { isFresh, isWaiting, fault, send } = useAnswer(entry);
  const [text, setText] = useState(() => editableText({}));
  const edited = parseEdited({}, text);
  return (
    <RequestFrame entry={entry} isFresh={isFresh} tone="primary" label={visibleText(title)}>
      <div className="request-title">{visibleText(title)}</div>
      {message ? <p className="request-reason">{visibleText(message)}</p> : null}
      {(schema ?? raw) === undefined ? null : <JsonTree value={schema ?? raw} />}
      <label className="field-label">
        <span>Answer as JSON</span>
        <textarea
          className="field mono"
          rows={Math.min(10, text.split('\n').length + 1)}
          value={text}
          spellCheck={false}
          aria-invalid={!edited.isValid}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <div className="request-actions">
        <Button
          look="primary"
          disabled={isWaiting || !edited.isValid}
          onClick={() => edited.isValid && send({ type: 'form', action: 'accept', content: edited.value })}
        >
          Accept
        </Button>
        <Button disabled={isWaiting} onClick={() => send({ type: 'form', action: 'decline' })}>
          Decline
        </Button>
      </div>
      {fault ? (
        <p className="fault" role="alert">
          {fault}
        </p>
      ) : null}
    </RequestFrame>
  );
}
