/**
 * Exports a conversation as one self-contained HTML file (C14): no script, no external URL, and a policy that forbids
 * both. Folding uses `<details>`. Long texts are loaded through `long`.
 */
import type { Entry, ToolEntry } from '../conversation/entries.ts';
import { isShown } from '../conversation/state.ts';
import { entryText, type ResolveText } from './entry-text.ts';
import { type Lex, markdownHtml } from './html-markdown.ts';
import { HTML_STYLE } from './html-style.ts';
import { escapeHtml, pictureData } from './html-text.ts';

export interface HtmlOptions {
  readonly title: string;
  /** Details under the title: agent, model, project, time. */
  readonly about: readonly string[];
  readonly long: ResolveText;
  readonly lex: Lex;
}

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

export function conversationHtml(entries: Iterable<Entry>, options: HtmlOptions): string {
  const nested = new Map<string | undefined, Entry[]>();
  const shown = [...entries].filter(isShown);
  const known = new Set(shown.map(({ id }) => id));
  for (const entry of shown) {
    // An entry whose tool is not included is shown at the top level.
    const parent = entry.parent !== undefined && known.has(entry.parent) ? entry.parent : undefined;
    nested.set(parent, [...(nested.get(parent) ?? []), entry]);
  }
  const write = (entry: Entry): string => {
    const below = nested.get(entry.id) ?? [];
    nested.delete(entry.id);
    return article(entry, options, below.map(write).join(''));
  };
  const body = (nested.get(undefined) ?? []).map(write).join('');
  const title = escapeHtml(options.title);
  const about = options.about.map((fact) => `<span>${escapeHtml(fact)}</span>`).join(' ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>
${HTML_STYLE}</style>
</head>
<body>
<header><h1>${title}</h1><p class="quiet">${about}</p></header>
<main>
${body}</main>
</body>
</html>
`;
}

function article(entry: Entry, options: HtmlOptions, below: string): string {
  const inside = content(entry, options, below);
  return inside === ''
    ? ''
    : `<article class="${entry.kind}" data-status="${entry.status}">\n${inside}\n</article>\n`;
}

function content(entry: Entry, options: HtmlOptions, below: string): string {
  const { heading, body, form } = entryText(entry, options.long);
  const markdown = () => markdownHtml(body, options.lex);
  switch (entry.kind) {
    case 'text':
      return body.trim() === '' ? '' : markdown();
    case 'user':
      return `<p class="plain">${escapeHtml(entry.text)}</p>${attachments(entry, options.long)}`;
    case 'plan':
      return `<h2>${escapeHtml(heading)}</h2>${markdown()}`;
    case 'thinking':
      return body.trim() === '' ? '' : folded(heading, markdown(), false);
    case 'notice':
      return `<p class="quiet">${escapeHtml(entry.text)}</p>`;
    case 'tool':
      return folded(heading, tool(entry, body, options.long) + below, entry.state === 'failed');
    default:
      return form === 'code'
        ? folded(heading, `<pre>${escapeHtml(body)}</pre>`, false)
        : `<p><strong>${escapeHtml(heading)}</strong></p><p class="plain">${escapeHtml(body)}</p>`;
  }
}

function tool(entry: ToolEntry, body: string, long: ResolveText): string {
  const { result } = entry;
  const picture = result?.type === 'image' ? pictureData(result.mimeType, long(result.data)) : undefined;
  if (picture) return `<img src="${picture}" alt="">`;
  return entry.diff?.length
    ? `<pre class="diff">${body.split('\n').map(diffLine).join('')}</pre>`
    : plain(body);
}

function plain(body: string): string {
  return body === '' ? '' : `<pre>${escapeHtml(body)}</pre>`;
}

function diffLine(line: string): string {
  const kind = /^(?:---|\+\+\+|@@)/.test(line)
    ? 'quiet'
    : line.startsWith('+')
      ? 'added'
      : line.startsWith('-')
        ? 'removed'
        : '';
  return `<span${kind === '' ? '' : ` class="${kind}"`}>${escapeHtml(line)}\n</span>`;
}

function folded(summary: string, inside: string, isOpen: boolean): string {
  return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(summary)}</summary>${inside}</details>`;
}

function attachments(entry: Extract<Entry, { kind: 'user' }>, long: ResolveText): string {
  return (entry.attachments ?? [])
    .map(({ name, mimeType, data }) => {
      const picture = pictureData(mimeType, long(data));
      const label = escapeHtml(name);
      return picture ? `<img src="${picture}" alt="${label}">` : `<p class="quiet">Attached: ${label}</p>`;
    })
    .join('');
}
