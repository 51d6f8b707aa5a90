/** Texts of thread items: messages, plans, thoughts, prompts. Pure. */
import { type Fields, listOf, recordOf, textAt } from '../kit/fields.ts';

/** Thoughts come in parts: summaries, and raw ones if the user wants them. */
export function thoughtsOf(item: Fields): string {
  return [...listOf(item.summary), ...listOf(item.content)]
    .flatMap((part) => (typeof part === 'string' ? part : (textAt(part, 'text') ?? [])))
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The user's text; images and files are represented by kind and name. */
export function userText(content: unknown): string {
  return listOf(content)
    .map((part) => {
      const { type, text, name, path } = recordOf(part);
      if (typeof text === 'string') return text;
      const what = typeof name === 'string' ? name : typeof path === 'string' ? path : undefined;
      return `[${typeof type === 'string' ? type : 'part'}${what === undefined ? '' : ` ${what}`}]`;
    })
    .join('\n');
}
