/** Asks for the variables of a saved prompt, above the message box (D49). */
import { type FormEvent, useEffect, useId, useRef } from 'react';
import { filledPrompt, type SavedPrompt, variablesOf } from '../../../../kit/prompts.ts';
import { visibleText } from '../../../../kit/visible-text.ts';
import { Button } from '../../../../ui/Button.tsx';
import './prompts.css';

export interface PromptVariablesProps {
  prompt: SavedPrompt;
  onDone: (text: string) => void;
  onCancel: () => void;
}

export function PromptVariables({ prompt, onDone, onCancel }: PromptVariablesProps) {
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  const names = variablesOf(prompt.text);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    onDone(
      filledPrompt(prompt.text, new Map(names.map((name, at) => [name, String(fields.get(`${at}`) ?? '')]))),
    );
  };
  return (
    <form
      ref={form}
      className="prompt-variables"
      aria-label={`Fill in ${visibleText(prompt.name)}`}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
        event.preventDefault();
        event.stopPropagation();
        onCancel();
      }}
    >
      <p className="prompt-variables-head">
        <strong>{visibleText(prompt.name)}</strong> <span>Empty fields stay as they are</span>
      </p>
      {names.map((name, at) => (
        <p key={name} className="prompt-variable">
          <label htmlFor={`${id}-${at}`}>{visibleText(name)}</label>
          <input
            id={`${id}-${at}`}
            name={`${at}`}
            className="field"
            autoComplete="off"
            spellCheck={false}
            maxLength={4_000}
          />
        </p>
      ))}
      <div className="dialog-actions">
        <Button onClick={onCancel}>Cancel</Button>
        <Button look="primary" type="submit">
          Insert
        </Button>
      </div>
    </form>
  );
}
