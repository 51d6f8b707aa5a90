/**
 * Renders inline tokens and updates them with few changes: equal leading tokens keep their nodes, grown text is
 * appended. One token is one node, except in runs with raw HTML tags, which are rebuilt as a whole.
 */
import type { MarkedToken, Token, Tokens } from 'marked';
import { pictureAddress } from '../../kit/url-policy.ts';
import { visibleProse } from '../../kit/visible-text.ts';
import type { NoteMarkToken } from './container-syntax.ts';
import { decodeEntities } from './entities.ts';
import { formulaSpan } from './formula-span.ts';
import type { FormulaToken } from './math-syntax.ts';
import { pairTags } from './pair-tags.ts';
import { sanitizeTag, setLink } from './raw-html.ts';
import { element, type TagKind } from './tags.ts';

interface DrawnInline {
  readonly type: string;
  raw: string;
  /** What identifies the node besides type and text: the URL of a link or image. */
  readonly detail: string;
  readonly node: Node;
  readonly run: InlineRun | undefined;
}

const CONTAINERS: Readonly<Record<string, TagKind>> = { strong: 'strong', em: 'emphasis', del: 'deleted' };

/** The rendered state of one run of inline tokens in one parent. */
export class InlineRun {
  readonly #parent: Node;
  #drawn: DrawnInline[] = [];
  #hasTags = false;

  constructor(parent: Node) {
    this.#parent = parent;
  }

  update(tokens: readonly Token[]): void {
    if (this.#hasTags || tokens.some((token) => token.type === 'html')) {
      this.#rebuildWithTags(tokens);
      return;
    }
    const drawn = this.#drawn;
    let index = 0;
    for (; index < tokens.length; index += 1) {
      const token = tokens[index] as MarkedToken;
      const old = drawn[index];
      if (old === undefined) {
        drawn.push(this.#append(token));
      } else if (!patch(old, token)) {
        const fresh = draw(token);
        this.#parent.replaceChild(fresh.node, old.node);
        drawn[index] = fresh;
      }
    }
    while (drawn.length > index) {
      const extra = drawn.pop();
      if (extra !== undefined) this.#parent.removeChild(extra.node);
    }
  }

  #append(token: MarkedToken): DrawnInline {
    const fresh = draw(token);
    this.#parent.appendChild(fresh.node);
    return fresh;
  }

  /** Raw HTML tags span tokens, so the run is rebuilt as a tree. */
  #rebuildWithTags(tokens: readonly Token[]): void {
    const fragment = drawTags(tokens as MarkedToken[]);
    // Replacing equal content would still notify DOM observers.
    const holder = this.#parent.cloneNode(false);
    holder.appendChild(fragment);
    if (!holder.isEqualNode(this.#parent)) (this.#parent as Element).replaceChildren(...holder.childNodes);
    this.#drawn = [];
    this.#hasTags = true;
  }
}

/** A tag without a counterpart in the same run stays text. */
function drawTags(tokens: readonly MarkedToken[]): DocumentFragment {
  const paired = pairTags(tokens);
  const fragment = document.createDocumentFragment();
  const open: Node[] = [fragment];
  const drawnAt = new Set<number>();
  const top = () => open.at(-1) ?? fragment;
  tokens.forEach((token, index) => {
    if (token.type !== 'html') {
      top().appendChild(draw(token).node);
      return;
    }
    const other = paired.get(index);
    if (other !== undefined && other < index && drawnAt.has(other)) {
      open.pop();
      return;
    }
    const node = other === undefined || other < index ? undefined : sanitizeTag(token.raw);
    if (node === undefined) {
      top().appendChild(document.createTextNode(visibleProse(token.raw)));
      return;
    }
    top().appendChild(node);
    if (other === index) return;
    open.push(node);
    drawnAt.add(index);
  });
  return fragment;
}

function detailOf(token: MarkedToken): string {
  if (token.type === 'link' || token.type === 'image') return `${token.href}\n${token.title ?? ''}`;
  if (token.type === 'checkbox') return String(token.checked);
  return '';
}

function patch(old: DrawnInline, token: MarkedToken): boolean {
  if (old.type !== token.type || old.detail !== detailOf(token)) return false;
  if (old.raw === token.raw && !token.raw.includes('[')) return true;
  if (token.type === 'text' || token.type === 'escape' || token.type === 'codespan') {
    setData(old.node.nodeType === Node.TEXT_NODE ? old.node : old.node.firstChild, plainText(token));
  } else if (old.run !== undefined && 'tokens' in token && token.tokens !== undefined) {
    old.run.update(token.tokens);
  } else if (old.raw !== token.raw) {
    return false;
  }
  old.raw = token.raw;
  return true;
}

function setData(node: Node | null, text: string): void {
  if (!(node instanceof Text) || node.data === text) return;
  const { data } = node;
  if (text.startsWith(data)) node.appendData(text.slice(data.length));
  else node.data = text;
}

function plainText(token: Tokens.Text | Tokens.Escape | Tokens.Codespan): string {
  return visibleProse(token.type === 'text' ? decodeEntities(token.text) : token.text);
}

function draw(token: MarkedToken): DrawnInline {
  const { node, run } = nodeOf(token);
  return { type: token.type, raw: token.raw, detail: detailOf(token), node, run };
}

interface Made {
  node: Node;
  run?: InlineRun;
}

function nodeOf(token: MarkedToken | FormulaToken | NoteMarkToken): Made {
  switch (token.type) {
    case 'formula':
      return { node: formulaSpan(token) };
    case 'noteMark': {
      const node = element('noteMark', 'markdown-note-mark');
      node.append(visibleProse(token.label));
      return { node };
    }
    case 'text':
    case 'escape':
      return { node: document.createTextNode(plainText(token)) };
    case 'codespan': {
      const node = element('codeSpan');
      node.append(document.createTextNode(plainText(token)));
      return { node };
    }
    case 'br':
      return { node: element('lineBreak') };
    case 'strong':
    case 'em':
    case 'del':
      return filled(element(CONTAINERS[token.type] ?? 'refusedLink'), token.tokens);
    case 'checkbox':
      return { node: checkbox(token.checked) };
    case 'link':
      return link(token);
    case 'image':
      return { node: picture(token) };
    default:
      return { node: document.createTextNode(visibleProse(token.raw)) };
  }
}

function filled(node: Element, tokens: readonly Token[]): Required<Made> {
  const run = new InlineRun(node);
  run.update(tokens);
  return { node, run };
}

function checkbox(checked: boolean): HTMLElement {
  const node = element('checkbox');
  node.setAttribute('type', 'checkbox');
  node.setAttribute('disabled', '');
  if (checked) node.setAttribute('checked', '');
  node.setAttribute('aria-label', checked ? 'Done' : 'To do');
  return node;
}

function link(token: Tokens.Link): Made {
  const anchor = element('link');
  const address = token.autolink === true ? token.href : decodeEntities(token.href);
  if (!setLink(anchor, address)) return filled(element('refusedLink'), token.tokens);
  if (token.title) anchor.setAttribute('title', decodeEntities(token.title));
  if (token.autolink !== true) return filled(anchor, token.tokens);
  anchor.append(visibleProse(token.text));
  return { node: anchor };
}

/** A remote image would reveal to its host that it was read, so it becomes a link. */
function picture(token: Tokens.Image): Node {
  const address = decodeEntities(token.href);
  const alt = visibleProse(decodeEntities(token.text));
  const source = pictureAddress(address, document.baseURI);
  if (source === undefined) {
    const anchor = element('link');
    const text = alt === '' ? address : alt;
    if (!setLink(anchor, address)) return document.createTextNode(text);
    anchor.append(text);
    return anchor;
  }
  const node = element('image');
  node.setAttribute('src', source);
  node.setAttribute('alt', alt);
  if (token.title) node.setAttribute('title', decodeEntities(token.title));
  return node;
}
