import type { Field } from '@tugdeck/protocol/conversation/entries';
import { visibleExact, visibleText } from '../../kit/visible-text.ts';
import { relativePath, useDirectory } from '../conversation/project-paths.ts';
import { LongTextView } from './LongTextView.tsx';
import { splitLines } from './lines.ts';
import { RequestPathView } from './RequestPathView.tsx';
import { RequestText } from './RequestText.tsx';
import { disguisedHost } from './request-path.ts';
import { useLongText } from './use-long-text.ts';

export interface FieldListProps {
  fields: readonly Field[];
  /** In a request everything is shown, because the user has to see what is allowed. */
  isWhole?: boolean;
}

/** A tool's input as its driver describes it. */
export function FieldList({ fields, isWhole = false }: FieldListProps) {
  if (fields.length === 0) return null;
  return (
    <dl className="fields">
      {fields.map((field, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two fields may have the same name, and none is ever moved
        <div key={index} className="field-row" data-form={field.form}>
          <dt>{visibleText(field.label)}</dt>
          <dd>{isWhole ? <WholeValue field={field} /> : <FieldValue field={field} />}</dd>
        </div>
      ))}
    </dl>
  );
}

function WholeValue({ field: { value, form } }: { field: Field }) {
  if (form === 'path' && typeof value === 'string') return <RequestPathView path={value} />;
  const host = form === 'url' && typeof value === 'string' ? disguisedHost(value) : undefined;
  return (
    <>
      <RequestText text={value} form={form} />
      {host === undefined ? null : <span className="address-host">Goes to {host}</span>}
    </>
  );
}

function FieldValue({ field }: { field: Field }) {
  const { text, load } = useLongText(field.value);
  const directory = useDirectory();
  if (load) return <LongTextView text={field.value} isExact />;
  if (field.form === 'path') {
    return (
      <code className="field-code" title={visibleExact(text)}>
        {relativePath(text, directory)}
      </code>
    );
  }
  if (splitLines(text).length > 1) return <LongTextView text={text} isExact />;
  return field.form === 'text' ? (
    <span className="field-text">{visibleText(text)}</span>
  ) : (
    <code className="field-code">{visibleExact(text)}</code>
  );
}
