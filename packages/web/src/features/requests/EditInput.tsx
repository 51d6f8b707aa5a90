import { useEffect, useId, useRef } from 'react';
import { visibleExact } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { RequestText } from '../tool-results/RequestText.tsx';
import { Choice } from './Choice.tsx';
import { fieldLabel } from './edit-changes.ts';
import { type Draft, type EditedField, editedInput, jsonDraft, parseJson } from './edited-input.ts';

export interface EditInputProps {
  /** As the agent sent it, complete. */
  input: unknown;
  draft: Draft;
  onChange: (draft: Draft) => void;
}

/** Edits the input before it is allowed: Allow runs what these fields contain. */
export function EditInput({ input, draft, onChange }: EditInputProps) {
  const form = useRef<HTMLDivElement>(null);
  // It was opened for typing.
  useEffect(() => form.current?.querySelector('textarea')?.focus({ preventScroll: true }), []);
  const edited = editedInput(input, draft);
  if (draft.form !== 'fields')
    return (
      <div ref={form} className="request-edit">
        <EditText
          label="Input"
          text={draft.text}
          fault={edited.isValid ? undefined : 'Invalid JSON'}
          onChange={(text) => onChange({ ...draft, text })}
        />
      </div>
    );
  const change = (key: string, text: string) =>
    onChange({
      ...draft,
      fields: draft.fields.map((field) => (field.key === key ? { ...field, text } : field)),
    });
  return (
    <div ref={form} className="request-edit">
      {draft.fields.map((field) => (
        <EditField key={field.key} field={field} onChange={(text) => change(field.key, text)} />
      ))}
      {edited.isValid ? (
        <Button look="link" onClick={() => onChange(jsonDraft(edited.value))}>
          Edit as JSON
        </Button>
      ) : null}
    </div>
  );
}

function EditField({ field, onChange }: { field: EditedField; onChange: (text: string) => void }) {
  const { key, kind, text } = field;
  const label = visibleExact(fieldLabel(key));
  if (kind === 'boolean')
    return (
      <Choice
        type="checkbox"
        name={label}
        label={label}
        isOn={text === 'true'}
        onChange={(isOn) => onChange(String(isOn))}
      />
    );
  const fault = kind === 'json' && !parseJson(text).isValid ? 'Invalid JSON' : undefined;
  return <EditText label={label} text={text} fault={fault} onChange={onChange} />;
}

interface EditTextProps {
  label: string;
  text: string;
  fault: string | undefined;
  onChange: (text: string) => void;
}

function EditText({ label, text, fault, onChange }: EditTextProps) {
  const id = useId();
  return (
    <div className="request-edit-field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="field mono"
        rows={rowsOf(text)}
        value={text}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={fault !== undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {fault === undefined ? null : <p className="fault">{fault}</p>}
      {visibleExact(text) === text ? null : (
        <>
          <p className="result-note">This text contains invisible characters. Written out:</p>
          <RequestText text={text} form="code" />
        </>
      )}
    </div>
  );
}

/** For browsers without `field-sizing`: about as many rows as the text needs. */
function rowsOf(text: string): number {
  const lines = text.split('\n', 12);
  return Math.min(
    12,
    lines.reduce((sum, line) => sum + Math.ceil(Math.max(1, line.length) / 80), 0),
  );
}
