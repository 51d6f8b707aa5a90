/**
 * Converts a tool's input to an editable form and back: text as text, a record field by field, anything else as
 * JSON. Pure.
 */
import { isRecord } from './edit-changes.ts';

export interface EditedField {
  readonly key: string;
  readonly kind: 'text' | 'boolean' | 'json';
  readonly text: string;
}

export type Draft =
  | { readonly form: 'text' | 'json'; readonly text: string }
  | { readonly form: 'fields'; readonly fields: readonly EditedField[] };

export type Edited = { readonly isValid: true; readonly value: unknown } | { readonly isValid: false };

/** The unchanged input in editable form. */
export function draftOf(input: unknown): Draft {
  if (typeof input === 'string') return { form: 'text', text: input };
  if (!isRecord(input) || Object.keys(input).length === 0) return jsonDraft(input);
  const fields = Object.entries(input).map(([key, value]) => fieldOf(key, value));
  // The command comes first, because it is what users edit; the model's description follows.
  return {
    form: 'fields',
    fields: [...fields.filter(isCommand), ...fields.filter((one) => !isCommand(one))],
  };
}

export function jsonDraft(input: unknown): Draft {
  return { form: 'json', text: jsonText(input ?? {}) };
}

export function editedInput(input: unknown, draft: Draft): Edited {
  if (draft.form !== 'fields')
    return draft.form === 'text' ? { isValid: true, value: draft.text } : parseJson(draft.text);
  if (!isRecord(input)) return { isValid: false };
  const texts = new Map(draft.fields.map((field) => [field.key, field]));
  const entries: [string, unknown][] = [];
  for (const [key, before] of Object.entries(input)) {
    const field = texts.get(key);
    const edited = field ? fieldValue(field, before) : { isValid: true as const, value: before };
    if (!edited.isValid) return edited;
    entries.push([key, edited.value]);
  }
  return { isValid: true, value: Object.fromEntries(entries) };
}

/** An untouched field keeps its exact value. */
export function fieldValue(field: EditedField, before: unknown): Edited {
  if (field.text === fieldOf(field.key, before).text) return { isValid: true, value: before };
  return field.kind === 'text' ? { isValid: true, value: field.text } : parseJson(field.text);
}

export function parseJson(text: string): Edited {
  try {
    return { isValid: true, value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { isValid: false };
    throw error;
  }
}

function fieldOf(key: string, value: unknown): EditedField {
  if (typeof value === 'string') return { key, kind: 'text', text: value };
  return { key, kind: typeof value === 'boolean' ? 'boolean' : 'json', text: jsonText(value) };
}

function isCommand({ key, kind }: EditedField): boolean {
  return key === 'command' && kind === 'text';
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}
