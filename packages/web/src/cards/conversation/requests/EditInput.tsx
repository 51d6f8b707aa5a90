import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { useWholeData } from '../results/use-whole-data.ts';
import { editableText, parseEdited } from './edited-input.ts';

export interface EditInputProps {
  input: unknown;
  isWaiting: boolean;
  onAllow: (input: unknown) => void;
}

/** Long parts of the input are fetched before it can be edited: what is not here would be lost by the edit. */
export function EditInput({ input, ...props }: EditInputProps) {
  const { value, load, fault } = useWholeData(input, true);
  if (!load) return <WholeInput input={value} {...props} />;
  return fault ? (
    <p className="fault">
      {fault}{' '}
      <Button look="link" onClick={load}>
        Try again
      </Button>
    </p>
  ) : (
    <p className="result-note">Loading the whole input…</p>
  );
}

function WholeInput({ input, isWaiting, onAllow }: EditInputProps) {
  const [text, setText] = useState(() => editableText(input));
  const edited = parseEdited(input, text);
  return (
    <form
      className="request-extra"
      onSubmit={(event) => {
        event.preventDefault();
        if (edited.isValid) onAllow(edited.value);
      }}
    >
      <textarea
        className="field mono"
        aria-label="Input"
        rows={Math.min(12, text.split('\n').length + 1)}
        value={text}
        spellCheck={false}
        aria-invalid={!edited.isValid}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" disabled={isWaiting || !edited.isValid}>
        Run it like this
      </Button>
      {edited.isValid ? null : <p className="fault">This is not valid JSON yet.</p>}
    </form>
  );
}
