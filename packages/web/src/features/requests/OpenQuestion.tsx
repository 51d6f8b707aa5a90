import type { QuestionEntry } from '@tugdeck/protocol/conversation/entries';
import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { rawParts } from './permission-parts.ts';
import { QuestionField } from './QuestionField.tsx';
import { type ChosenAnswer, chosenOf, isAnswered, questionAnswer, withDigit } from './question-answer.ts';
import { RequestActions } from './RequestActions.tsx';
import { RequestFrame } from './RequestFrame.tsx';
import { useAnswer } from './use-answer.ts';

/** Open questions. Loaded when there are any. */
export function OpenQuestion({ entry }: { entry: QuestionEntry }) {
  const { questions } = entry.request;
  const { guard, isWaiting, fault, send } = useAnswer(entry);
  const [chosen, setChosen] = useState<Readonly<Record<string, ChosenAnswer>>>({});
  const answered = questions.filter(({ id }) => isAnswered(chosenOf(chosen, id))).length;
  const isComplete = answered === questions.length;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete) send(questionAnswer(questions, chosen));
  };
  const onDigit = (digit: number, target: HTMLElement) => {
    const focused = target.closest<HTMLElement>('[data-question]')?.dataset.question;
    const next = withDigit(questions, chosen, { digit, focused });
    if (next) setChosen(next);
    return next !== undefined;
  };
  return (
    <RequestFrame entry={entry} guard={guard} tone="primary" role="none" label="Question" onDigit={onDigit}>
      <form aria-label="Question" className="question-form" onSubmit={submit}>
        {questions.map((question) => (
          <QuestionField
            key={question.id}
            entry={entry.id}
            question={question}
            chosen={chosenOf(chosen, question.id)}
            onChange={(next) => setChosen({ ...chosen, [question.id]: next })}
          />
        ))}
        <RequestActions guard={guard} raw={rawParts(entry.request)}>
          <Button type="submit" look="primary" disabled={isWaiting || !isComplete}>
            Submit
          </Button>
          {answered > 0 && !isComplete ? (
            <span className="request-reason">
              {answered} of {questions.length} answered
            </span>
          ) : null}
        </RequestActions>
        {fault ? (
          <p className="fault" role="alert">
            {fault}
          </p>
        ) : null}
      </form>
    </RequestFrame>
  );
}
