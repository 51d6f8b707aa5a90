// Extracts the prose of a source file or a Markdown page: comments, strings, labels, paragraphs. Uses a real parser
// for code, because a regular expression would confuse strings, comments and regular expressions.
import { loadParser } from '../parts/bundle.mjs';
import { lineAt } from './tree.mjs';

/**
 * `label`: the value of a property or attribute that the user reads as a label.
 * @typedef {{kind: 'comment' | 'string' | 'label' | 'paragraph', text: string, line: number}} Prose
 */

const LABELS = new Set(['label', 'title', 'placeholder', 'aria-label', 'ariaLabel']);

/** @returns {Promise<(file: string, text: string) => Prose[]>} */
export async function proseReader() {
  const { parseAst } = await loadParser();
  return (file, text) => {
    if (file.endsWith('.md')) return paragraphs(text);
    const lang = file.endsWith('x') ? 'tsx' : file.endsWith('ts') ? 'ts' : 'js';
    /** @type {Literal[]} */
    const literals = [];
    const program = parseAst(text, { lang, astType: 'ts' }, file);
    collect(program, false, literals);
    const strings = literals
      .filter(({ kind }) => kind !== 'other')
      .map(({ kind, start, value }) => ({ kind, text: plain(value), line: lineAt(text, start) }));
    return [.../** @type {Prose[]} */ (strings), ...comments(text, literals)];
  };
}

/**
 * @typedef {{kind: 'string' | 'label' | 'other', start: number, end: number, value: string}} Literal
 * @param {any} node
 * @param {boolean} isLabel
 * @param {Literal[]} found
 */
function collect(node, isLabel, found) {
  if (Array.isArray(node)) {
    for (const child of node) collect(child, isLabel, found);
    return;
  }
  if (node === null || typeof node !== 'object') return;
  const { type, start, end } = node;
  if (type === 'Literal' || type === 'JSXText') {
    const isText = typeof node.value === 'string';
    found.push({
      kind: isText ? (isLabel ? 'label' : 'string') : 'other',
      start,
      end,
      value: String(node.value),
    });
    return;
  }
  if (type === 'TemplateElement') {
    found.push({ kind: 'string', start, end, value: node.value.cooked ?? '' });
    return;
  }
  if (type === 'Property' || type === 'JSXAttribute') {
    const name = (node.key ?? node.name)?.name ?? node.key?.value;
    collect(node.key, false, found);
    collect(node.value, LABELS.has(name), found);
    return;
  }
  const passesOn =
    type === 'ConditionalExpression' || type === 'LogicalExpression' || type === 'JSXExpressionContainer';
  for (const key in node) if (key !== 'parent') collect(node[key], isLabel && passesOn, found);
}

/**
 * Comments are what remains after hiding the literals. Adjacent line comments are one.
 * @param {string} text
 * @param {readonly Literal[]} literals
 * @returns {Prose[]}
 */
function comments(text, literals) {
  let code = text;
  for (const { start, end } of literals) {
    code = code.slice(0, start) + '.'.repeat(end - start) + code.slice(end);
  }
  return [...code.matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g)].map(
    ({ 0: hidden, index }) => ({
      kind: 'comment',
      text: plain(
        text
          .slice(index, index + hidden.length)
          .replace(/^\/\*+|\*\/$/g, '')
          .replace(/^[ \t]*(\*|\/\/)/gm, ''),
      ),
      line: lineAt(text, index),
    }),
  );
}

/** @param {string} text @returns {Prose[]} */
function paragraphs(text) {
  const prose = text.replace(/^```[\s\S]*?^```/gm, (fence) => fence.replace(/[^\n]/g, ''));
  return [
    ...prose.matchAll(
      /(?:^[ \t]*(?:[-*|#>]|\d+\.).*|^[^\n]*\S[^\n]*)(?:\n(?![ \t]*(?:[-*|#>]|\d+\.)\s)[^\n]*\S[^\n]*)*/gm,
    ),
  ].map(({ 0: found, index }) => ({
    kind: 'paragraph',
    text: plain(found.replace(/\]\([^)]*\)/g, ']')),
    line: lineAt(text, index),
  }));
}

/** Without code spans, and with single spaces. */
const plain = (/** @type {string} */ text) =>
  text
    .replace(/`[^`]*`/g, '`…`')
    .replace(/\s+/g, ' ')
    .trim();
