/**
 * Elicitations that are questions: every property is a choice or its free text. Pure, in both directions: schema to
 * questions, answers to content, and back for recordings.
 */

import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { QuestionEntry } from '@tugdeck/protocol/conversation/entries';
import { listOf, recordOf, textAt } from './fields.ts';
import { untrustedText } from './untrusted-text.ts';

type Question = QuestionEntry['request']['questions'][number];
type QuestionAnswer = Extract<Answer, { type: 'question' }>;
type Option = { readonly value: string; readonly label: string; readonly description: string };

interface Choice {
  readonly key: string;
  readonly property: unknown;
  readonly multiple: boolean;
  readonly options: readonly Option[];
  /** The property for free text. */
  readonly free: string | undefined;
}

function optionsOf(property: unknown): Option[] {
  const { oneOf, anyOf, enum: values, items } = recordOf(property);
  const titled = [...listOf(oneOf), ...listOf(anyOf)].flatMap((option): Option[] => {
    const value = textAt(option, 'const');
    if (value === undefined) return [];
    return [
      { value, label: textAt(option, 'title') ?? value, description: textAt(option, 'description') ?? '' },
    ];
  });
  if (titled.length > 0) return titled;
  const plain = listOf(values).flatMap((value): Option[] =>
    typeof value === 'string' ? [{ value, label: value, description: '' }] : [],
  );
  return plain.length > 0 || items === undefined ? plain : optionsOf(items);
}

/** The choices of a schema; undefined if it asks for anything else. */
export function choicesOf(schema: unknown): Choice[] | undefined {
  const properties = Object.entries(recordOf(recordOf(schema).properties));
  const choices = properties.flatMap(([key, property]): Choice[] => {
    const options = optionsOf(property);
    if (options.length === 0) return [];
    const free = properties.find(([other, own]) => other.startsWith(`${key}_`) && isFree(own))?.[0];
    return [{ key, property, options, free, multiple: textAt(property, 'type') === 'array' }];
  });
  const covered = new Set(choices.flatMap(({ key, free }) => (free === undefined ? [key] : [key, free])));
  return choices.length > 0 && covered.size === properties.length ? choices : undefined;
}

function isFree(property: unknown): boolean {
  return textAt(property, 'type') === 'string' && optionsOf(property).length === 0;
}

export function questionsOf(choices: readonly Choice[], message: string): Question[] {
  return choices.map(({ key, property, multiple, options }) => {
    const title = textAt(property, 'title') ?? key;
    const description = textAt(property, 'description');
    // A single question uses the message; several have their own texts.
    const own = description === undefined ? title : longer(title, description);
    const text = choices.length === 1 && description === undefined && message !== '' ? message : own;
    const header = description === undefined ? title : shorter(title, description);
    return {
      id: key,
      header,
      text,
      multiple,
      options: options.map(({ label, description: about }) => ({ label, description: about })),
    };
  });
}

function longer(a: string, b: string): string {
  return a.length >= b.length ? a : b;
}

function shorter(a: string, b: string): string {
  return a.length < b.length ? a : b;
}

/** Our answers as content for the schema. */
export function contentOf(choices: readonly Choice[], { answers }: QuestionAnswer): Record<string, unknown> {
  const content: Record<string, unknown> = {};
  for (const { key, options, multiple, free } of choices) {
    const answer = answers[key];
    if (!answer) continue;
    const values = answer.choices.map(
      (label) => options.find((option) => option.label === label)?.value ?? label,
    );
    const own = [answer.other, answer.notes].filter((text) => text).join('\n');
    if (multiple) content[key] = free === undefined && own !== '' ? [...values, own] : values;
    else if (values[0] !== undefined) content[key] = values[0];
    else if (own !== '' && free === undefined) content[key] = own;
    if (own !== '' && free !== undefined) content[free] = own;
  }
  return content;
}

/** Recorded content as our answers. */
export function answersOf(choices: readonly Choice[], content: unknown): QuestionAnswer {
  const given = recordOf(content);
  const answers: QuestionAnswer['answers'] = {};
  for (const { key, options, free } of choices) {
    const value = given[key];
    const values = Array.isArray(value) ? value : value === undefined ? [] : [value];
    const other = free === undefined ? undefined : given[free];
    answers[key] = {
      choices: values.map(
        (one) => options.find((option) => option.value === one)?.label ?? untrustedText(one),
      ),
      ...(typeof other === 'string' && other !== '' ? { other } : {}),
    };
  }
  return { type: 'question', answers };
}
