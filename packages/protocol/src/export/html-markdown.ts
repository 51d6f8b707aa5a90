/**
 * Renders Markdown tokens as HTML text, for documents created without a DOM. Elements come only from the cases below;
 * raw HTML is shown as text. The caller provides the lexer, whose tokens are not trusted.
 */
import { escapeHtml, escapeProse, safeAddress } from './html-text.ts';

/** The fields that are read from a token of any kind. */
export interface MarkdownToken {
  readonly type: string;
  readonly raw?: string;
  readonly text?: string;
  readonly tokens?: readonly MarkdownToken[];
  readonly depth?: number;
  readonly lang?: string;
  readonly href?: string;
  readonly ordered?: boolean;
  readonly start?: number | '';
  readonly items?: readonly MarkdownToken[];
  readonly checked?: boolean;
  readonly header?: readonly MarkdownToken[];
  readonly rows?: readonly (readonly MarkdownToken[])[];
}

export type Lex = (text: string) => readonly MarkdownToken[];

const MAX_DEPTH = 60;

export function markdownHtml(text: string, lex: Lex): string {
  try {
    return inner(lex(text), 0);
  } catch (error) {
    // Nested deeper than the parser's stack: shown as source.
    if (error instanceof RangeError) return `<pre>${escapeHtml(text)}</pre>`;
    throw error;
  }
}

function inner(tokens: readonly MarkdownToken[] | undefined, depth: number): string {
  return (tokens ?? []).map((token) => html(token, depth + 1)).join('');
}

/** Renders a token's children, or its own text. */
function within(token: MarkdownToken, depth: number): string {
  return token.tokens ? inner(token.tokens, depth) : escapeProse(token.text ?? '');
}

function html(token: MarkdownToken, depth: number): string {
  if (depth > MAX_DEPTH) return escapeHtml(token.raw ?? '');
  switch (token.type) {
    case 'space':
    case 'def':
      return '';
    case 'paragraph':
      return `<p>${within(token, depth)}</p>\n`;
    case 'heading': {
      // Below the document's own headings.
      const level = Math.min(6, Math.max(1, Math.trunc(token.depth ?? 1)) + 2);
      return `<h${level}>${within(token, depth)}</h${level}>\n`;
    }
    case 'code':
      return `<pre><code>${escapeHtml(token.text ?? '')}</code></pre>\n`;
    case 'blockquote':
      return `<blockquote>${within(token, depth)}</blockquote>\n`;
    case 'hr':
      return '<hr>\n';
    case 'list': {
      const tag = token.ordered ? 'ol' : 'ul';
      const start = token.ordered && Number.isInteger(token.start) ? ` start="${token.start}"` : '';
      return `<${tag}${start}>${inner(token.items, depth)}</${tag}>\n`;
    }
    case 'list_item':
      return `<li>${within(token, depth)}</li>\n`;
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'table':
      return table(token, depth);
    case 'strong':
    case 'em':
    case 'del':
      return `<${token.type}>${within(token, depth)}</${token.type}>`;
    case 'codespan':
      return `<code>${escapeHtml(token.text ?? '')}</code>`;
    case 'br':
      return '<br>';
    case 'link': {
      const address = safeAddress(token.href ?? '');
      const label = within(token, depth);
      return address === undefined
        ? label
        : `<a href="${escapeHtml(address)}" rel="noopener noreferrer">${label}</a>`;
    }
    case 'image':
      return `<span class="quiet">[${escapeHtml(token.text || 'picture')}]</span>`;
    case 'text':
      return within(token, depth);
    case 'escape':
      return escapeHtml(token.text ?? '');
    default:
      return escapeHtml(token.raw ?? '');
  }
}

function table(token: MarkdownToken, depth: number): string {
  const row = (cells: readonly MarkdownToken[], tag: 'th' | 'td') =>
    `<tr>${cells.map((cell) => `<${tag}>${within(cell, depth + 1)}</${tag}>`).join('')}</tr>\n`;
  const rows = (token.rows ?? []).map((cells) => row(cells, 'td')).join('');
  return `<table><thead>${row(token.header ?? [], 'th')}</thead><tbody>${rows}</tbody></table>\n`;
}
