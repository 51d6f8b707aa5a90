/**
 * The frozen table of elements that Markdown may create. The renderer creates elements by kind, never by a name
 * found in text; a test compares the table literally.
 */
export const TAGS = Object.freeze({
  section: 'div',
  paragraph: 'p',
  heading1: 'h1',
  heading2: 'h2',
  heading3: 'h3',
  heading4: 'h4',
  heading5: 'h5',
  heading6: 'h6',
  rule: 'hr',
  quote: 'blockquote',
  bulletList: 'ul',
  orderedList: 'ol',
  listItem: 'li',
  checkbox: 'input',
  tableFrame: 'div',
  table: 'table',
  tableHead: 'thead',
  tableBody: 'tbody',
  tableRow: 'tr',
  tableHeader: 'th',
  tableCell: 'td',
  codeFrame: 'figure',
  codeHeader: 'figcaption',
  codeLabel: 'span',
  codeButton: 'button',
  codeScroll: 'pre',
  codeText: 'code',
  codeLines: 'span',
  drawing: 'div',
  formula: 'span',
  rawHtml: 'div',
  fold: 'details',
  foldSummary: 'summary',
  note: 'div',
  noteMark: 'sup',
  noteBody: 'div',
  strong: 'strong',
  emphasis: 'em',
  deleted: 'del',
  codeSpan: 'code',
  lineBreak: 'br',
  link: 'a',
  refusedLink: 'span',
  image: 'img',
} as const);

export type TagKind = keyof typeof TAGS;

export function element<K extends TagKind>(kind: K, className = ''): HTMLElementTagNameMap[(typeof TAGS)[K]] {
  const node = document.createElement(TAGS[kind]);
  if (className !== '') node.className = className;
  return node;
}

/** Removes an empty class attribute: the result must not depend on earlier states. */
export function setClass(node: Element, className: string): void {
  if (className === '') node.removeAttribute('class');
  else if (node.className !== className) node.className = className;
}
