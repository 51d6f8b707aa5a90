/**
 * The only door to the markdown parser: options fixed, block and inline tokens of a piece of text, with the
 * link definitions known so far. Tokens that draw nothing are kept: callers need their length.
 */
import { Lexer, type Links, type MarkedToken, Tokenizer } from 'marked';

export interface Lexed {
  readonly tokens: MarkedToken[];
  /** Definitions known before plus those of this text. */
  readonly links: Links;
}

const OPTIONS = { gfm: true, breaks: true, silent: true, tokenizer: new Tokenizer() };

export function lex(text: string, links?: Links): Lexed {
  const lexer = new Lexer(OPTIONS);
  if (links !== undefined) Object.assign(lexer.tokens.links, links);
  const tokens = lexer.lex(text);
  return { tokens: tokens as MarkedToken[], links: tokens.links };
}
