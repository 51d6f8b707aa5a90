import { useState } from 'react';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Choice } from './Choice.tsx';
import { isLongProse } from './long-prose.ts';
import { type ChosenAnswer, type Question, withChoice, withOther } from './question-answer.ts';
import { RequestProse } from './RequestProse.tsx';

export interface QuestionFieldProps {
  entry: string;
  question: Question;
  chosen: ChosenAnswer;
  onChange: (chosen: ChosenAnswer) => void;
}

export function QuestionField({ entry, question, chosen, onChange }: QuestionFieldProps) {
  const type = question.multiple ? 'checkbox' : 'radio';
  const name = `${entry}-${question.id}`;
  const [hasNote, setNote] = useState(false);
  const [isPointed, setPointed] = useState(false);
  return (
    <fieldset className="choices" data-question={question.id}>
      <legend>
        {question.header ? <span className="chip">{visibleText(question.header)}</span> : null}
        {isLongProse(question.text) ? null : <span>{visibleText(question.text)}</span>}
      </legend>
      {isLongProse(question.text) ? <RequestProse text={question.text} /> : null}
      {question.options.map((option, at) => (
        <Choice
          key={option.label}
          type={type}
          name={name}
          label={option.label}
          detail={option.description}
          preview={option.preview}
          digit={at < 9 ? at + 1 : undefined}
          isOn={chosen.choices.includes(option.label)}
          onChange={(isOn) => onChange(withChoice(chosen, question, option.label, isOn))}
        />
      ))}
      <Choice
        type={type}
        name={name}
        label="Other"
        isOn={chosen.isOther}
        onChange={(isOn, byPointer) => {
          setPointed(byPointer);
          onChange(withOther(chosen, question, isOn));
        }}
      />
      {chosen.isOther ? (
        <input
          // biome-ignore lint/a11y/noAutofocus: only after a click on "Other"; arrow keys keep moving
          autoFocus={isPointed}
          className="field choice-other"
          aria-label="Other answer"
          placeholder="Type your own answer"
          value={chosen.other}
          onChange={(event) => onChange({ ...chosen, other: event.target.value })}
        />
      ) : null}
      {hasNote ? (
        <input
          // biome-ignore lint/a11y/noAutofocus: it appears because the user asked to write here
          autoFocus
          className="field choice-other"
          aria-label="Note"
          placeholder="Add context (optional)"
          value={chosen.notes}
          onChange={(event) => onChange({ ...chosen, notes: event.target.value })}
        />
      ) : (
        <Button look="link" className="choice-note" onClick={() => setNote(true)}>
          Add a note
        </Button>
      )}
    </fieldset>
  );
}
