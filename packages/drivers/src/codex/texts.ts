/** The words in items of a thread: what a message, a plan, a thought or the user said. Pure. */
import { type Fields, listOf, recordOf, textAt } from '../kit/fields.ts';

/** Thoughts come in parts: summaries, and where the user wants them the raw ones. */
export function thoughtsOf(item: Fields): string {
  return [...listOf(item.summary), ...listOf(item.content)]
    .flatMap((part) => (typeof part === 'string' ? part : (textAt(part, 'text') ?? [])))
    .filter((part) => part !== '')
    .join('\n\n');
}

/** What the user said; images and files stand in it by their kind and name. */
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
