/**
 * Converts a flat JSON schema to form fields, validates answers and builds the content to send. Undefined for
 * schemas it cannot show (nested objects, unknown types), which are answered as JSON. Pure.
 */
import { plural } from '../../kit/format.ts';

interface Named {
  readonly key: string;
  readonly label: string;
  readonly detail?: string;
  readonly isRequired: boolean;
}

export interface FieldOption {
  readonly value: string;
  readonly label: string;
  readonly detail?: string;
}

export type FormField = Named &
  (
    | {
        readonly kind: 'text';
        readonly input: 'text' | 'email' | 'url' | 'date' | 'password';
        readonly min: number;
        readonly max: number;
      }
    | { readonly kind: 'number'; readonly isInteger: boolean; readonly min?: number; readonly max?: number }
    | { readonly kind: 'boolean' }
    | { readonly kind: 'choice'; readonly isMultiple: boolean; readonly options: readonly FieldOption[] }
  );

/** A string for text and numbers, a boolean, or the chosen values. */
export type FieldValue = string | boolean | readonly string[];
export type FormValues = Readonly<Record<string, FieldValue>>;

const MAX_FIELDS = 50;
const MAX_OPTIONS = 200;
const MAX_LENGTH = 100_000;
const INPUTS = { email: 'email', uri: 'url', date: 'date', password: 'password' } as const;

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

export function formFields(schema: unknown): readonly FormField[] | undefined {
  const properties = Object.entries(fieldsOf(fieldsOf(schema).properties));
  if (properties.length === 0 || properties.length > MAX_FIELDS) return undefined;
  const required = listOf(fieldsOf(schema).required);
  const fields = properties.map(([key, property]) =>
    fieldOf(key, fieldsOf(property), required.includes(key)),
  );
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function fieldOf(key: string, property: Fields, isRequired: boolean): FormField | undefined {
  const detail = textOf(property.description);
  const named: Named = {
    key,
    label: textOf(property.title) ?? key,
    isRequired,
    ...(detail === undefined ? {} : { detail }),
  };
  const [type, options] = [property.type, optionsOf(property)];
  if (options.length > MAX_OPTIONS) return undefined;
  if (type === 'array') {
    const items = optionsOf(fieldsOf(property.items));
    if (items.length === 0 || items.length > MAX_OPTIONS) return undefined;
    return { ...named, kind: 'choice', isMultiple: true, options: items };
  }
  if (options.length > 0) return { ...named, kind: 'choice', isMultiple: false, options };
  if (type === 'boolean') return { ...named, kind: 'boolean' };
  const [min, max] = [numberOf(property.minimum), numberOf(property.maximum)];
  if (type === 'number' || type === 'integer') {
    const bounds = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
    return { ...named, kind: 'number', isInteger: type === 'integer', ...bounds };
  }
  if (type !== 'string') return undefined;
  const format = textOf(property.format) ?? '';
  const lengths = { min: numberOf(property.minLength) ?? 0, max: numberOf(property.maxLength) ?? MAX_LENGTH };
  const input = Object.hasOwn(INPUTS, format) ? INPUTS[format as keyof typeof INPUTS] : 'text';
  return { ...named, kind: 'text', input, ...lengths };
}

function optionsOf(property: Fields): FieldOption[] {
  const titled = [...listOf(property.oneOf), ...listOf(property.anyOf)].flatMap((option): FieldOption[] => {
    const { const: value, title, description } = fieldsOf(option);
    if (typeof value !== 'string') return [];
    const detail = textOf(description);
    return [{ value, label: textOf(title) ?? value, ...(detail === undefined ? {} : { detail }) }];
  });
  if (titled.length > 0) return titled;
  const names = listOf(property.enumNames);
  return listOf(property.enum).flatMap((value, index): FieldOption[] =>
    typeof value === 'string' ? [{ value, label: textOf(names[index]) ?? value }] : [],
  );
}

/** Initial values: the schema's defaults; a single option is preselected. */
export function initialValues(schema: unknown, fields: readonly FormField[]): FormValues {
  const properties = fieldsOf(fieldsOf(schema).properties);
  return Object.fromEntries(
    fields.map((field) => {
      const given = fieldsOf(properties[field.key]).default;
      return [field.key, initialValue(field, given)];
    }),
  );
}

function initialValue(field: FormField, given: unknown): FieldValue {
  if (field.kind === 'boolean') return given === true;
  if (field.kind === 'choice') {
    const wanted = listOf(Array.isArray(given) ? given : [given]);
    const chosen = field.options.map(({ value }) => value).filter((value) => wanted.includes(value));
    const only = field.isRequired && !field.isMultiple && field.options.length === 1;
    return only ? field.options.map(({ value }) => value) : chosen;
  }
  return typeof given === 'string' || typeof given === 'number' ? String(given) : '';
}

/** The validation error of a value; undefined if valid. */
export function fieldFault(field: FormField, value: FieldValue | undefined): string | undefined {
  if (field.kind === 'boolean') return undefined;
  const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  if (isEmpty) return field.isRequired ? 'Required' : undefined;
  if (field.kind === 'choice') return undefined;
  const text = String(value);
  if (field.kind === 'number') return numberFault(field, Number(text));
  if (text.length < field.min) return `Enter at least ${plural(field.min, 'character')}`;
  if (text.length > field.max) return `Enter at most ${plural(field.max, 'character')}`;
  if (field.input === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text)) return 'Enter a valid email address';
  return field.input === 'url' && !URL.canParse(text) ? 'Enter a valid URL' : undefined;
}

function numberFault(field: Extract<FormField, { kind: 'number' }>, value: number): string | undefined {
  if (!Number.isFinite(value)) return 'Enter a number';
  if (field.isInteger && !Number.isInteger(value)) return 'Enter a whole number';
  if (field.min !== undefined && value < field.min) return `Must be at least ${field.min}`;
  return field.max !== undefined && value > field.max ? `Must be at most ${field.max}` : undefined;
}

/** Values in the types of the schema; empty ones are omitted. */
export function formContent(fields: readonly FormField[], values: FormValues): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field): [string, unknown][] => {
      const value = values[field.key];
      if (field.kind === 'boolean') return [[field.key, value === true]];
      if (field.kind === 'choice') {
        const chosen = Array.isArray(value) ? value : [];
        if (field.isMultiple) return [[field.key, chosen]];
        return chosen[0] === undefined ? [] : [[field.key, chosen[0]]];
      }
      if (typeof value !== 'string' || value === '') return [];
      return [[field.key, field.kind === 'number' ? Number(value) : value]];
    }),
  );
}
