import type { FormEntry } from '@tugdeck/protocol/conversation/entries';
import { type FormEvent, useState } from 'react';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { JsonTree } from '../tool-results/JsonTree.tsx';
import { useWholeData } from '../tool-results/use-whole-data.ts';
import { parseJson } from './edited-input.ts';
import { FieldInput } from './FieldInput.tsx';
import { fieldFault, formContent, formFields, initialValues } from './form-fields.ts';
import { isLongProse, titleStart } from './long-prose.ts';
import { rawParts } from './permission-parts.ts';
import { RequestActions } from './RequestActions.tsx';
import { RequestFrame } from './RequestFrame.tsx';
import { RequestProse } from './RequestProse.tsx';
import { useAnswer } from './use-answer.ts';
import { webAddress } from './web-address.ts';

/**
 * An open request of any other kind: its fields as a form, otherwise the raw data, with buttons to answer or
 * decline.
 */
export function OpenForm({ entry }: { entry: FormEntry }) {
  const { value: request, load, fault: loadFault } = useWholeData(entry.request, true);
  const { title, message, schema, raw } = request;
  const { guard, isWaiting, fault, send } = useAnswer(entry);
  const fields = formFields(schema);
  const address = webAddress(raw);
  const [values, setValues] = useState(() => initialValues(schema, fields ?? []));
  const [isTried, setTried] = useState(false);
  const [json, setJson] = useState('{}');
  const edited = parseJson(json);
  const isFilled = fields?.every((field) => fieldFault(field, values[field.key]) === undefined) ?? true;
  // The answer to an unknown kind can only be written as JSON.
  const asksJson = !fields && address === undefined && (schema !== undefined || isUnknown(raw));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (load) return;
    setTried(true);
    if (fields) {
      if (isFilled) send({ type: 'form', action: 'accept', content: formContent(fields, values) });
    } else if (!asksJson) send({ type: 'form', action: 'accept' });
    else if (edited.isValid) send({ type: 'form', action: 'accept', content: edited.value });
  };
  return (
    <RequestFrame entry={entry} guard={guard} tone="primary" label={visibleText(title)}>
      <form className="question-form" aria-label={visibleText(title)} noValidate onSubmit={submit}>
        <div className="request-title">{titleStart(visibleText(title))}</div>
        {isLongProse(title) ? <RequestProse text={title} /> : null}
        {message && message !== title ? <RequestProse text={message} hasLines /> : null}
        {address ? (
          <a href={address} target="_blank" rel="noopener noreferrer">
            {visibleText(address)}
          </a>
        ) : null}
        {fields?.map((field) => (
          <FieldInput
            key={field.key}
            field={field}
            value={values[field.key] ?? ''}
            fault={isTried ? fieldFault(field, values[field.key]) : undefined}
            onChange={(value) => setValues({ ...values, [field.key]: value })}
          />
        ))}
        {asksJson ? (
          <>
            {(schema ?? raw) === undefined ? null : (
              <JsonTree value={entry.request.schema ?? entry.request.raw} />
            )}
            <label className="field-label">
              <span>Answer as JSON</span>
              <textarea
                className="field mono"
                rows={Math.min(10, json.split('\n').length + 1)}
                value={json}
                spellCheck={false}
                aria-invalid={!edited.isValid}
                onChange={(event) => setJson(event.target.value)}
              />
            </label>
          </>
        ) : null}
        <RequestActions guard={guard} raw={rawParts(entry.request)}>
          <Button
            type="submit"
            look="primary"
            disabled={isWaiting || load !== undefined || (asksJson && !edited.isValid)}
          >
            Accept
          </Button>
          <Button disabled={isWaiting} onClick={() => send({ type: 'form', action: 'decline' })}>
            Decline
          </Button>
        </RequestActions>
      </form>
      {loadFault ? <p className="fault">{loadFault}</p> : null}
      {fault ? (
        <p className="fault" role="alert">
          {fault}
        </p>
      ) : null}
    </RequestFrame>
  );
}

/** Sign-in methods are a list and elicitations have a mode; anything else is an unknown kind. */
function isUnknown(raw: unknown): boolean {
  if (raw === null || typeof raw !== 'object' || Array.isArray(raw)) return false;
  return !('mode' in raw) && !('requestedSchema' in raw) && Object.keys(raw).length > 0;
}
