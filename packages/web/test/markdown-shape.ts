/**
 * Runs in the browser: reduces our rendering and the reference's HTML to a comparable line of tags and text. Omits
 * intended differences: our frames, paragraphs in list items, line breaks, the URL policy.
 */
import { linkAddress, pictureAddress } from '../src/kit/url-policy.ts';

const UNWRAPPED: ReadonlySet<string> = new Set(['div', 'span', 'figure', 'section', 'body']);
const LEFT_OUT: ReadonlySet<string> = new Set(['figcaption', 'script', 'style']);
const BLOCKS =
  'p|h[1-6]|ul|ol|li|blockquote|table|thead|tbody|tfoot|caption|tr|th|td|pre|hr|div|dl|dt|dd|details|summary';
const AROUND_BLOCKS = new RegExp(`\\s*(</?(?:${BLOCKS})(?: [^<>]*)?>)\\s*`, 'g');

export function shapeOf(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  return shape(body, false)
    .replace(/ +/g, ' ')
    .replace(AROUND_BLOCKS, '$1')
    .replaceAll(' </a>', '</a>')
    .trim();
}

/**
 * All visible characters, with list numbers, without white space and Markdown markers: in corner cases text for one
 * parser starts a list, quote or heading for the other.
 */
export function seenText(html: string): { text: string; notes: string[] } {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const node of body.querySelectorAll('figcaption, .data-footnote-backref, [data-footnote-ref]'))
    node.remove();
  const notes = [...body.querySelectorAll('.footnotes li')].map((note) => squeezed(note.textContent ?? ''));
  // The reference moves footnotes to the end.
  for (const node of body.querySelectorAll('.footnotes')) node.remove();
  for (const list of body.querySelectorAll('ol'))
    [...list.querySelectorAll(':scope > li')].forEach((item, index) => {
      item.prepend(String(list.start + index));
    });
  return { text: squeezed(body.textContent ?? ''), notes };
}

function squeezed(text: string): string {
  return text.replace(/[\s*_~`#|+.)>:=![\]\\-]+/g, '');
}

function shape(node: Node, isExact: boolean): string {
  if (node instanceof Text) return escaped(isExact ? node.data : node.data.replace(/\s+/g, ' '));
  if (!(node instanceof Element) || LEFT_OUT.has(node.localName)) return '';
  const name = node.localName;
  if (name === 'br') return ' ';
  const inner = [...node.childNodes].map((child) => shape(child, isExact || name === 'pre')).join('');
  if (name === 'pre') return `<pre>${inner.replace(/<\/?code>/g, '').trimEnd()}</pre>`;
  if (UNWRAPPED.has(name)) return inner;
  if (name === 'p' && node.parentElement?.localName === 'li') return `${inner} `;
  if (name === 'a') return link(node, node.getAttribute('href') ?? '', inner);
  if (name === 'img') return picture(node);
  if (name === 'input') return `[${node.hasAttribute('checked') ? 'x' : ' '}] `;
  const start = name === 'ol' && node.hasAttribute('start') ? ` start=${node.getAttribute('start')}` : '';
  return `<${name}${start}>${inner}</${name}>`;
}

function link(node: Element, address: string, inner: string): string {
  if (linkAddress(address, document.baseURI) === undefined) return inner;
  const title = node.getAttribute('title');
  return `<a ${sameAddress(address)}${title ? ` "${escaped(title)}"` : ''}>${inner}</a>`;
}

function picture(node: Element): string {
  const address = node.getAttribute('src') ?? '';
  const alt = node.getAttribute('alt') ?? '';
  if (pictureAddress(address, document.baseURI) === undefined)
    return link(document.createElement('a'), address, escaped(alt || address));
  return `<img ${sameAddress(address)} "${escaped(alt)}" "${escaped(node.getAttribute('title') ?? '')}">`;
}

/** Ignores differences in percent-encoding. */
function sameAddress(address: string): string {
  return URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI).href : address;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
