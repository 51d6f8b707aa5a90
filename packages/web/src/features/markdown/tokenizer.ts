/** The parser's tokenizer with our allowlist: tags that are not on it become text instead of HTML tokens. */
import { Tokenizer, type Tokens } from 'marked';
import { allowedTagAt } from './allowed-tags.ts';
import { foldAt } from './container-syntax.ts';

const FOLD_TAGS: ReadonlySet<string> = new Set(['details', 'summary']);
/** A line after a paragraph that the parser takes for an HTML block. */
const OTHER_LINE = /^\n( {0,3})</;
const LEADING_SPACE = /^ {0,3}/;

/** Folds are handled by container-syntax.ts; tags of an invalid one must not hide text. */
function isHtmlBlock(source: string, indent: number): boolean {
  const tag = allowedTagAt(source, indent);
  return tag !== undefined && !FOLD_TAGS.has(tag.name);
}

export class AllowListTokenizer extends Tokenizer {
  /** Undefined treats a block with another tag as a paragraph. */
  override html(source: string): Tokens.HTML | undefined {
    const token = super.html(source);
    return token && isHtmlBlock(source, LEADING_SPACE.exec(source)?.[0].length ?? 0) ? token : undefined;
  }

  /** Another tag at the start of a line does not end a paragraph either. */
  override paragraph(source: string): Tokens.Paragraph | undefined {
    const { paragraph, table } = this.rules.block;
    let end = paragraph.exec(source)?.[0].length ?? 0;
    for (
      let next = OTHER_LINE.exec(source.slice(end));
      end > 0 && next;
      next = OTHER_LINE.exec(source.slice(end))
    ) {
      const from = end + 1;
      const rest = source.slice(from);
      if (isHtmlBlock(rest, next[1]?.length ?? 0) || foldAt(rest) || table.test(rest)) break;
      end = from + (paragraph.exec(rest)?.[0].length ?? 0);
    }
    if (end === 0) return undefined;
    const raw = source.slice(0, end);
    const text = raw.endsWith('\n') ? raw.slice(0, -1) : raw;
    return { type: 'paragraph', raw, text, tokens: this.lexer.inline(text) };
  }

  /** A comment or a tag that is not allowed is shown as its source, without Markdown inside. */
  override tag(source: string): Tokens.Tag | undefined {
    const { inLink, inRawBlock } = this.lexer.state;
    const token = super.tag(source);
    if (!token || allowedTagAt(source)) return token;
    Object.assign(this.lexer.state, { inLink, inRawBlock });
    return { type: 'escape', raw: token.raw, text: token.raw } as unknown as Tokens.Tag;
  }
}
