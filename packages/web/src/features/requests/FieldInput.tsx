import { useId } from 'react';
import { visibleText } from '../../kit/visible-text.ts';
import { Choice } from './Choice.tsx';
import type { FieldValue, FormField } from './form-fields.ts';

export interface FieldInputProps {
  field: FormField;
  value: FieldValue;
  fault: string | undefined;
  onChange: (value: FieldValue) => void;
}

/** One field of a form requested by an agent or MCP server. */
export function FieldInput({ field, value, fault, onChange }: FieldInputProps) {
  const id = useId();
  const label = `${visibleText(field.label)}${field.isRequired ? '' : ' (optional)'}`;
  const detail = field.detail === undefined ? undefined : visibleText(field.detail);
  if (field.kind === 'choice') {
    const chosen = Array.isArray(value) ? value : [];
    const choose = (option: string, isOn: boolean): void => {
      if (!field.isMultiple) onChange(isOn ? [option] : []);
      else onChange(isOn ? [...chosen, option] : chosen.filter((one) => one !== option));
    };
    return (
      <fieldset className="choices">
        <legend>
          <span>{label}</span>
        </legend>
        {detail ? <p className="request-reason">{detail}</p> : null}
        {field.options.map((option) => (
          <Choice
            key={option.value}
            type={field.isMultiple ? 'checkbox' : 'radio'}
            name={id}
            label={visibleText(option.label)}
            {...(option.detail === undefined ? {} : { detail: visibleText(option.detail) })}
            isOn={chosen.includes(option.value)}
            onChange={(isOn) => choose(option.value, isOn)}
          />
        ))}
      </fieldset>
    );
  }
  if (field.kind === 'boolean') {
    return (
      <fieldset className="choices">
        <Choice
          type="checkbox"
          name={id}
          label={visibleText(field.label)}
          {...(detail === undefined ? {} : { detail })}
          isOn={value === true}
          onChange={onChange}
        />
      </fieldset>
    );
  }
  return (
    <label className="field-label" htmlFor={id}>
      <span>{label}</span>
      <input
        id={id}
        className="field"
        type={field.kind === 'number' ? 'text' : field.input}
        inputMode={field.kind === 'number' ? 'decimal' : undefined}
        autoComplete="off"
        spellCheck={false}
        value={String(value)}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-detail`}
        onChange={(event) => onChange(event.target.value)}
      />
      <span id={`${id}-detail`} className={fault ? 'fault' : 'field-detail'}>
        {fault ?? detail}
      </span>
    </label>
  );
}
