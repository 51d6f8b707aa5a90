/**
 * Syntax of formulas: `$$ … $$` and `\\[ … \\]` on separate lines are blocks, `$ … $` and `\\( … \\)` are inline.
 * Pure. Prices and shell variables must stay text: a dollar opens only before and closes only after a non-space,
 * and never beside a letter or digit.
 */
import type { TokenizerExtensionFunction, TokenizerStartFunction, Tokens } from 'marked';

/** TeX allows no empty line in a formula, so an unclosed one ends with its paragraph. */
const BLOCK =
  /^ {0,3}(?:\$\$((?:(?!\n[ \t]*\n)[^$])+)\$\$|\\\[((?:(?!\n[ \t]*\n|\\\])[\s\S])+)\\\])[ \t]*(?:\n|$)/;
/** The end of a paragraph, or a formula that interrupts it, without looking further. */
const BLOCK_START = /\n(?:[ \t]*\n| {0,3}(\$\$|\\\[))/;
const INLINE =
  /^(?:\$\$([^$\n]{1,2000})\$\$|\$(?![\s$])((?:[^$\\\n`]|\\[^\n]){0,1000}(?:[^$\\\s`]|\\[^\s]))\$(?![\p{L}\p{N}$])|\\\(((?:(?!\\\))[^\n]){1,2000})\\\))/u;
const WORD = /[\p{L}\p{N}\\$]/u;

/** An inline formula; `isDisplay` if it uses display delimiters. */
export interface FormulaToken {
  readonly type: 'formula';
  readonly raw: string;
  readonly text: string;
  readonly isDisplay: boolean;
}

/** A block formula is rendered and streamed like a code block in the language `math`. */
const block: TokenizerExtensionFunction = (source) => {
  const [raw, dollars, brackets] = BLOCK.exec(source) ?? [];
  const text = (dollars ?? brackets ?? '').trim();
  if (raw === undefined || text === '') return undefined;
  return { type: 'code', raw, lang: 'math', text } satisfies Tokens.Code;
};

const inline: TokenizerExtensionFunction = (source) => {
  const first = source.charCodeAt(0);
  if (first !== 36 && first !== 92) return undefined;
  const [raw, display, dollars, parentheses] = INLINE.exec(source) ?? [];
  const text = (display ?? dollars ?? parentheses ?? '').trim();
  if (raw === undefined || text === '') return undefined;
  return { type: 'formula', raw, text, isDisplay: display !== undefined } satisfies FormulaToken;
};

const startBlock: TokenizerStartFunction = (source) => {
  const found = BLOCK_START.exec(source);
  return found?.[1] === undefined ? undefined : found.index + 1;
};

const startInline: TokenizerStartFunction = (source) => {
  const bracket = source.indexOf('\\(');
  let dollar = source.indexOf('$');
  while (dollar > 0 && WORD.test(source.charAt(dollar - 1))) dollar = source.indexOf('$', dollar + 1);
  const found = [bracket, dollar].filter((at) => at >= 0);
  return found.length === 0 ? undefined : Math.min(...found);
};

export const MATH_SYNTAX = {
  block: [block],
  inline: [inline],
  startBlock: [startBlock],
  startInline: [startInline],
};

/** The closing delimiter of an unfinished block formula, if any. */
export function openFormula(paragraph: string): string | undefined {
  if (paragraph.startsWith('$$')) return paragraph.includes('$$', 2) ? undefined : '\n$$';
  if (paragraph.startsWith('\\[')) return paragraph.includes('\\]') ? undefined : '\n\\]';
  return undefined;
}
