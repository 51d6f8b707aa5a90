/** Splits a command line into arguments. Only quotes and backslashes have a meaning: no shell ever sees it. */
import { UsageError } from './command-line.ts';

export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (quote !== undefined) {
      if (sign === quote) quote = undefined;
      else if (sign === '\\' && quote === '"') word += text.charAt(++at);
      else word += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= '';
    } else if (sign === '\\') word = (word ?? '') + text.charAt(++at);
    else if (/\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + sign;
  }
  if (quote !== undefined) throw new UsageError(`--command: the quote ${quote} is not closed`);
  if (word !== undefined) words.push(word);
  return words;
}
