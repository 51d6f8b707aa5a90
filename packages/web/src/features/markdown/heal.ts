/**
 * Prepares the tail of a streaming text for rendering: holds back a last line that is only a marker so far, closes
 * open inline constructs, and adds the delimiter row to a first table line. Pure; changes only the last block, so
 * earlier offsets stay valid.
 */
import { closeInline } from './close-inline.ts';
import { openFormula } from './math-syntax.ts';

/** An ambiguous last line. */
const ONLY_MARKER =
  /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:#{1,6}|[-*+_=~`|:$]+|\d{1,9}[.)]?|\[[ xX]?\]?|\|?[ \t:|-]+)?[ \t]*$/;
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})([^\n]*)$/;
/** Held back while its language is incomplete: a code block is created once. */
const OPENING_FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:`{3,}[^`]*|~{3,}.*)$/;
const BLOCK_START = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+|>[ \t]?)+/;
/** A fold is shown once its summary arrives. */
const BARE_FOLD = /(^|\n) {0,3}<details[^<>\n]*>\s*$/i;
const CELL_BORDER = /(?<!\\)\|/;

export interface HealContext {
  /** The tail starts inside a table: its lines are rows, not a header. */
  readonly inTable: boolean;
}

export function heal(tail: string, context: HealContext): string {
  const lineStart = tail.lastIndexOf('\n') + 1;
  const lastLine = tail.slice(lineStart);
  if (isInFence(tail.slice(0, lineStart)))
    return /^[ \t>]*[`~]*[ \t]*$/.test(lastLine) ? tail.slice(0, lineStart) : tail;
  const isMarker = lastLine !== '' && (ONLY_MARKER.test(lastLine) || OPENING_FENCE.test(lastLine));
  const shown = isMarker ? tail.slice(0, lineStart) : tail;
  const body = shown.trimEnd();
  const blank = shown.slice(body.length);
  if (body === '' || /\n[ \t]*\n/.test(blank)) return shown;
  const start = inlineStart(body);
  const line = body.slice(body.lastIndexOf('\n') + 1);
  if (/^ {0,3}\|/.test(line)) return healRow(body, line, blank, context);
  const inline = body.slice(start);
  const formulaEnd = openFormula(inline);
  if (formulaEnd !== undefined) return body + formulaEnd + blank;
  if (/^(?: {4}|\t)/.test(inline)) return shown;
  const healed = body.slice(0, start) + closeInline(inline) + blank;
  return healed.includes('<') ? healed.replace(BARE_FOLD, '$1') : healed;
}

/** The start of the last paragraph, heading or item text. */
function inlineStart(body: string): number {
  let end = body.length;
  for (;;) {
    const start = body.lastIndexOf('\n', end - 1) + 1;
    const line = body.slice(start, end);
    if (line.trim() === '') return end + 1;
    const marker = BLOCK_START.exec(line)?.[0].length ?? 0;
    if (marker > 0 || start === 0) return start + marker;
    end = start - 1;
  }
}

function healRow(body: string, line: string, blank: string, context: HealContext): string {
  const lineAt = body.length - line.length;
  const cellAt = lineAt + line.lastIndexOf('|') + 1;
  const healed = body.slice(0, cellAt) + closeInline(body.slice(cellAt));
  const previous = body.slice(body.lastIndexOf('\n', lineAt - 2) + 1, Math.max(0, lineAt - 1));
  if (context.inTable || /^ {0,3}\|/.test(previous)) return healed + blank;
  const cells = line.trim().replace(/^\|/, '').replace(/\|$/, '').split(CELL_BORDER).length;
  return `${healed}\n|${'---|'.repeat(cells)}\n`;
}

/** Whether the text ends inside a fence, at any depth of lists and quotes. */
function isInFence(text: string): boolean {
  if (!text.includes('```') && !text.includes('~~~')) return false;
  let open = '';
  for (const line of text.split('\n')) {
    const [, marker = '', info = ''] = FENCE.exec(line) ?? [];
    if (marker === '') continue;
    if (open === '') {
      if (marker.startsWith('~') || !info.includes('`')) open = marker;
    } else if (marker.startsWith(open) && info.trim() === '') {
      open = '';
    }
  }
  return open !== '';
}
