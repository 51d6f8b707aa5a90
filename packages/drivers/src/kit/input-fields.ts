/** Formats an input as readable fields, all of them, in order. Pure. */
import type { Field } from '@tugdeck/protocol/conversation/entries';
import { exactMember } from './exact-json.ts';
import { fieldForm } from './field-form.ts';

/** Maximum number of fields; the page can show the raw input. */
const MAX_FIELDS = 200;

/** `own` formats special fields; undefined for the others. */
export function inputFields(
  input: Readonly<Record<string, unknown>>,
  own: (key: string, value: unknown) => Field | undefined = () => undefined,
): Field[] {
  const fields = Object.entries(input).flatMap(([key, value]): Field[] => {
    if (value === undefined || value === null || value === '') return [];
    const special = own(key, value);
    if (special) return [special];
    const label = labelOf(key);
    if (typeof value === 'string') return [{ label, value, form: fieldForm(key) }];
    return [{ label, value: exactMember(input, key), form: 'code' }];
  });
  return limited(fields);
}

export function limited(fields: Field[]): Field[] {
  if (fields.length <= MAX_FIELDS) return fields;
  const left = fields.length - MAX_FIELDS;
  return [
    ...fields.slice(0, MAX_FIELDS),
    { label: `${left} more fields`, value: 'Only in the raw input', form: 'text' },
  ];
}

/** Keys whose name is an abbreviation. */
const LABELS: Readonly<Record<string, string>> = {
  cwd: 'Working directory',
  url: 'URL',
  uri: 'URI',
  id: 'ID',
};

function labelOf(key: string): string {
  const known = Object.hasOwn(LABELS, key) ? LABELS[key] : undefined;
  if (known !== undefined) return known;
  const words = key.replace(/_/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2');
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}
