/**
 * Closes open constructs of an unfinished line (bold, code, a link), so that it already looks like its likely
 * result. Pure. A guess by design: the full parse at the end decides.
 */
import { allowedTagAt, mayBecomeTag, VOID_TAGS } from './allowed-tags.ts';

interface Open {
  readonly char: string;
  /** The closing characters, if they differ from the opening ones. */
  readonly closer?: string;
  length: number;
  readonly at: number;
}

/** Maximum distance before an opener counts as plain text. */
const REACH = { single: 100, double: 500, code: 300, tag: 200, link: 600 };
const WORD = /[\p{L}\p{N}]/u;

function runLength(text: string, at: number): number {
  let end = at + 1;
  while (text[end] === text[at]) end += 1;
  return end - at;
}

function isSpace(char: string | undefined): boolean {
  return char === undefined || /\s/.test(char);
}

/** Index of the closing bracket that matches the opening one at `at`, or -1. */
function matching(text: string, at: number, open: string, close: string): number {
  let depth = 0;
  for (let index = at; index < text.length; index += 1) {
    const char = text[index];
    if (char === '\\') index += 1;
    else if (char === open) depth += 1;
    else if (char === close) {
      depth -= 1;
      if (depth === 0) return index;
    }
  }
  return -1;
}

function closingRun(text: string, from: number, length: number): number {
  for (let at = text.indexOf('`', from); at !== -1; ) {
    const run = runLength(text, at);
    if (run === length) return at;
    at = text.indexOf('`', at + run);
  }
  return -1;
}

export function closeInline(source: string): string {
  let text = source;
  const stack: Open[] = [];
  let tail = '';
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '\\') {
      at += 2;
    } else if (char === '`') {
      const length = runLength(text, at);
      const end = closingRun(text, at + length, length);
      if (end !== -1) {
        at = end + length;
        continue;
      }
      const content = text.slice(at + length).replace(/`+$/, '');
      if (content.length > REACH.code) {
        at += length;
        continue;
      }
      if (content.trim() === '') text = text.slice(0, at);
      else {
        text = text.slice(0, at + length) + content.trimEnd();
        tail = text.charAt(at).repeat(length);
      }
      break;
    } else if (char === '<') {
      const rest = text.slice(at, at + REACH.tag);
      if (at + rest.length === text.length && mayBecomeTag(rest)) {
        text = text.slice(0, at);
        break;
      }
      at += tag(text, at, stack);
    } else if (char === '[' || (char === '!' && text[at + 1] === '[')) {
      const step = link(text, at);
      text = step.text;
      at = step.at;
    } else if (char === '*' || char === '_' || char === '~') {
      const step = emphasis(text, at, char, stack);
      if (step === undefined) {
        text = text.slice(0, at);
        break;
      }
      at = step;
    } else {
      at += 1;
    }
  }
  return finish(text, tail, stack);
}

function finish(text: string, tail: string, stack: Open[]): string {
  let body = text.trimEnd();
  let closers = tail;
  for (const open of stack.toReversed()) {
    const content = body.slice(open.at + open.length);
    const reach = open.length === 1 ? REACH.single : REACH.double;
    if (content.length > reach || (open.length === 1 && content.includes('\n'))) continue;
    if (content === '' && tail === '') body = body.slice(0, open.at).trimEnd();
    else closers += open.closer ?? open.char.repeat(open.length);
  }
  return body + closers;
}

/** Pushes an allowed tag onto the stack and returns the length of the bracketed text. */
function tag(text: string, at: number, stack: Open[]): number {
  const found = allowedTagAt(text, at);
  if (!found) return /^<[^<>\n]*>/.exec(text.slice(at, at + REACH.tag))?.[0].length ?? 1;
  const { raw, name, isClosing } = found;
  if (isClosing) {
    const opened = stack.findLastIndex(({ char }) => char === name);
    if (opened !== -1) stack.length = opened;
  } else if (!VOID_TAGS.has(name)) {
    stack.push({ char: name, closer: `</${name}>`, length: raw.length, at });
  }
  return raw.length;
}

/** An unfinished link shows only its label, an unfinished image nothing. */
function link(text: string, at: number): { text: string; at: number } {
  const isPicture = text[at] === '!';
  const start = isPicture ? at + 1 : at;
  const isInWord = at > 0 && WORD.test(text.charAt(at - 1));
  const isFar = text.length - at > REACH.link;
  if (isInWord && !isPicture) return { text, at: at + 1 };
  const end = matching(text, start, '[', ']');
  if (end === -1) {
    if (isFar) return { text, at: start + 1 };
    return isPicture ? { text: text.slice(0, at), at } : { text: text.slice(0, at) + text.slice(at + 1), at };
  }
  const label = text.slice(start + 1, end);
  const next = text[end + 1];
  if (next === '(') {
    const close = matching(text, end + 1, '(', ')');
    if (close !== -1) return { text, at: close + 1 };
    if (isFar || text.slice(end).includes('\n')) return { text, at: start + 1 };
    return { text: text.slice(0, at) + (isPicture ? '' : label), at };
  }
  // A short label at the end is more likely an index or a footnote than a link.
  const mayBeLink = next === undefined && !label.startsWith('^') && (isPicture || label.length > 3);
  return mayBeLink ? { text: text.slice(0, at) + (isPicture ? '' : label), at } : { text, at: start + 1 };
}

/** The next position; undefined if a trailing run of delimiters should not be shown yet. */
function emphasis(text: string, at: number, char: string, stack: Open[]): number | undefined {
  let length = runLength(text, at);
  const end = at + length;
  const before = at === 0 ? undefined : text[at - 1];
  const after = text[end];
  const isInWord = before !== undefined && after !== undefined && WORD.test(before) && WORD.test(after);
  if (char === '_' && isInWord) return end;
  const top = stack.findLastIndex((open) => open.char === char);
  if (top !== -1 && !isSpace(before)) {
    const open = stack[top] as Open;
    if (after === undefined && length < open.length) return undefined;
    stack.length = top;
    if (length < open.length) stack.push({ ...open, length: open.length - length });
    length -= open.length;
    if (length <= 0 || after !== undefined) return end;
  }
  if (after === undefined) return char === '~' && length === 1 ? end : undefined;
  const opens = length === 1 ? WORD.test(after) || after === '`' || after === '[' : !isSpace(after);
  if (opens && (char !== '~' || length === 2)) stack.push({ char, length, at });
  return end;
}
