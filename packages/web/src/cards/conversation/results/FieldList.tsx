import type { Field } from '@tugdeck/protocol/conversation/entries';
import { LongTextView } from './LongTextView.tsx';
import { splitLines } from './lines.ts';
import { useLongText } from './use-long-text.ts';

export interface FieldListProps {
  fields: readonly Field[];
  /** A request shows everything: what is allowed must be seen. */
  isWhole?: boolean;
}

/** A tool's input, as its driver made it readable. */
export function FieldList({ fields, isWhole = false }: FieldListProps) {
  return (
    <dl className="fields">
      {fields.map((field) => (
        <div key={field.label} className="field-row" data-form={field.form}>
          <dt>{field.label}</dt>
          <dd>
            <FieldValue field={field} isWhole={isWhole} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function FieldValue({ field, isWhole }: { field: Field; isWhole: boolean }) {
  const { text, load } = useLongText(field.value);
  if (load) return <LongTextView text={field.value} />;
  if (!isWhole && splitLines(text).length > 1) return <LongTextView text={text} />;
  return field.form === 'text' ? (
    <span className="field-text">{text}</span>
  ) : (
    <code className="field-code">{text}</code>
  );
}
