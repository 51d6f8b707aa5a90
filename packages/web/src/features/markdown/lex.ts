/**
 * The only access to the Markdown parser, with fixed options: tokens of a text, with the link definitions known so
 * far. Input that the parser cannot handle becomes one plain paragraph. Tokens that render nothing are kept,
 * because callers need their length.
 */
import { Lexer, type Links, type MarkedToken, type Token, type Tokens } from 'marked';
import { CONTAINER_SYNTAX } from './container-syntax.ts';
import { MATH_SYNTAX } from './math-syntax.ts';
import { AllowListTokenizer } from './tokenizer.ts';

export interface Lexed {
  readonly tokens: MarkedToken[];
  /** The known definitions plus those of this text. */
  readonly links: Links;
}

const OPTIONS = {
  gfm: true,
  breaks: true,
  silent: true,
  tokenizer: new AllowListTokenizer(),
  extensions: {
    renderers: {},
    childTokens: {},
    block: [...MATH_SYNTAX.block, ...CONTAINER_SYNTAX.block],
    inline: [...MATH_SYNTAX.inline, ...CONTAINER_SYNTAX.inline],
    startBlock: [...MATH_SYNTAX.startBlock, ...CONTAINER_SYNTAX.startBlock],
    startInline: [...MATH_SYNTAX.startInline],
  },
};

/** Deeper nesting would exhaust the stack. */
const MAX_NESTED = 60;

export function lex(text: string, links?: Links): Lexed {
  const lexer = new Lexer(OPTIONS);
  if (links !== undefined) Object.assign(lexer.tokens.links, links);
  try {
    const tokens = lexer.lex(text);
    if (!isTooDeep(tokens, 0)) return { tokens: tokens as MarkedToken[], links: tokens.links };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return { tokens: [plainParagraph(text)], links: links ?? {} };
}

function isTooDeep(tokens: readonly Token[], depth: number): boolean {
  if (depth > MAX_NESTED) return true;
  for (const token of tokens) {
    const inner: Token[] | undefined =
      token.type === 'list' ? token.items : 'tokens' in token ? token.tokens : undefined;
    if (inner !== undefined && isTooDeep(inner, depth + 1)) return true;
  }
  return false;
}

function plainParagraph(text: string): Tokens.Paragraph {
  const plain = text.replace(/\r\n?/g, '\n');
  return { type: 'paragraph', raw: plain, text: plain, tokens: [{ type: 'text', raw: plain, text: plain }] };
}
