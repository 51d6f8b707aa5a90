/**
 * Syntax of container blocks unknown to the parser: folds (`<details>` with Markdown inside) and footnotes. Pure.
 * An unfinished one extends to the end of the text.
 */
import type { Lexer, Token, TokenizerExtensionFunction, TokenizerStartFunction } from 'marked';
import { allowedTagAt } from './allowed-tags.ts';

export interface FoldToken {
  readonly type: 'fold';
  readonly raw: string;
  readonly isOpen: boolean;
  readonly summary: Token[];
  readonly tokens: Token[];
}

/** A footnote at the place where it is written. */
export interface NoteToken {
  readonly type: 'note';
  readonly raw: string;
  readonly label: string;
  readonly tokens: Token[];
}

/** A reference to a footnote. */
export interface NoteMarkToken {
  readonly type: 'noteMark';
  readonly raw: string;
  readonly label: string;
}

const FOLD_START = /^ {0,3}(?=<details)/i;
const FOLD_EDGE = /<(\/?)details(?=[\s>])[^<>]*>|^ {0,3}(`{3,}|~{3,})/gim;
/** Up to its end, or to the end of a streaming text. */
const SUMMARY = /^\s*<summary>((?:(?!<\/?summary)[\s\S])*)(<\/summary>|$)/i;
const OPEN = /\sopen(?=[\s=]|$)/i;
const NOTE = /^ {0,3}\[\^([^\]\s[]{1,100})\]:[ \t]*/;
/** Lines of the same paragraph, and indented lines after an empty one. */
const NOTE_LINES =
  /^[^\n]*(?:\n(?![ \t]*(?:\n|$|[-*+>#|`~<]|\d{1,9}[.)]|\[\^))[^\n]+|(?:\n[ \t]*){1,3}\n {4}[^\n]+)*(?:\n[ \t]*(?=\n|$))*\n?/;
/** The end of a paragraph, or a footnote that interrupts it, without looking further. */
const NOTE_START = /\n(?:[ \t]*\n| {0,3}(\[\^[^\]\s[]{1,100}\]:))/;
const NOTE_MARK = /^\[\^([^\]\s[]{1,100})\](?!:)/;

interface FoldParts {
  readonly end: number;
  readonly isOpen: boolean;
  readonly summary: string;
  readonly text: string;
}

/** The fold at the start of `source`. */
export function foldAt(source: string): FoldParts | undefined {
  const indent = FOLD_START.exec(source)?.[0].length;
  const opening = indent === undefined ? undefined : allowedTagAt(source, indent);
  if (indent === undefined || opening?.name !== 'details') return undefined;
  const start = indent + opening.raw.length;
  const { inner, end, isClosed } = foldEnd(source, start);
  const body = source.slice(start, inner);
  const [head, summary = '', closing] = SUMMARY.exec(body) ?? [];
  // A bracketed word at the start of a sentence must not hide the rest of the text.
  if (!isClosed && head === undefined) return undefined;
  const text = closing === '' ? '' : body.slice(head?.length ?? 0).replace(/^(?:[ \t]*\n)+/, '');
  return { end, isOpen: OPEN.test(opening.attributes), summary: summary.trim(), text };
}

const fold: TokenizerExtensionFunction = function (source) {
  const found = foldAt(source);
  if (!found) return undefined;
  const { end, isOpen, summary, text } = found;
  return {
    type: 'fold',
    raw: source.slice(0, end),
    isOpen,
    summary: this.lexer.inline(summary),
    tokens: nested(this.lexer, text),
  } satisfies FoldToken;
};

interface FoldEnd {
  readonly inner: number;
  readonly end: number;
  readonly isClosed: boolean;
}

/** The end of the content and of the whole fold; tags in fenced code are code. */
function foldEnd(source: string, start: number): FoldEnd {
  let depth = 1;
  let fence = '';
  FOLD_EDGE.lastIndex = start;
  for (let edge = FOLD_EDGE.exec(source); edge; edge = FOLD_EDGE.exec(source)) {
    const [raw, slash, marker] = edge;
    if (marker !== undefined) {
      if (fence === '') fence = marker;
      else if (marker.startsWith(fence)) fence = '';
    } else if (fence === '') {
      depth += slash === '/' ? -1 : 1;
      if (depth === 0) {
        const end = edge.index + raw.length;
        const rest = /^[ \t]*\n?/.exec(source.slice(end))?.[0].length ?? 0;
        return { inner: edge.index, end: end + rest, isClosed: true };
      }
    }
  }
  return { inner: source.length, end: source.length, isClosed: false };
}

const note: TokenizerExtensionFunction = function (source) {
  const [head, label = ''] = NOTE.exec(source) ?? [];
  if (head === undefined) return undefined;
  const lines = NOTE_LINES.exec(source.slice(head.length))?.[0] ?? '';
  const { lexer } = this;
  // References are looked up like link definitions, none of which starts with a caret.
  lexer.tokens.links[keyOf(label)] ??= { href: '', title: '' };
  const tokens = nested(lexer, lines.replaceAll(/\n {4}/g, '\n'));
  return { type: 'note', raw: head + lines, label, tokens } satisfies NoteToken;
};

const noteMark: TokenizerExtensionFunction = function (source) {
  const [raw, label = ''] = NOTE_MARK.exec(source) ?? [];
  if (raw === undefined || !Object.hasOwn(this.lexer.tokens.links, keyOf(label))) return undefined;
  return { type: 'noteMark', raw, label } satisfies NoteMarkToken;
};

function keyOf(label: string): string {
  return `^${label.toLowerCase()}`;
}

function nested(lexer: Lexer, text: string): Token[] {
  const { top } = lexer.state;
  lexer.state.top = true;
  const tokens = lexer.blockTokens(text, []);
  lexer.state.top = top;
  return tokens;
}

const startNote: TokenizerStartFunction = (source) => {
  const found = NOTE_START.exec(source);
  return found?.[1] === undefined ? undefined : found.index + 1;
};

/** The parser looks at every bracket of a line by itself, so that references need no search for their start. */
export const CONTAINER_SYNTAX = {
  block: [fold, note],
  inline: [noteMark],
  startBlock: [startNote],
};
