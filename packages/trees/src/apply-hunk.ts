/**
 * Reverts one hunk in a file: its new lines must be exactly where the hunk says, byte for byte, or nothing changes.
 * Pure; text is bytes as latin1.
 */
import type { PatchHunk } from './patch.ts';

const NO_NEWLINE = '\\';

/** The content without the hunk, or `undefined` if the lines have changed. */
export function revertHunk(content: string, hunk: PatchHunk): string | undefined {
  const lines = content.split('\n');
  const isEnded = lines.at(-1) === '';
  if (isEnded) lines.pop();
  const { before, after, beforeEnded, afterEnded } = sides(hunk);
  // A hunk without new lines comes after the line that it names.
  const at = hunk.newLines === 0 ? hunk.newStart : hunk.newStart - 1;
  if (after.some((line, index) => lines[at + index] !== line)) return undefined;
  const isAtEnd = at + after.length === lines.length;
  if (at < 0 || at + after.length > lines.length) return undefined;
  if (!afterEnded && (!isAtEnd || isEnded)) return undefined;
  const result = [...lines.slice(0, at), ...before, ...lines.slice(at + after.length)];
  if (result.length === 0) return '';
  const endsWithBreak = isAtEnd ? beforeEnded : isEnded;
  return `${result.join('\n')}${endsWithBreak ? '\n' : ''}`;
}

function sides(hunk: PatchHunk): {
  before: string[];
  after: string[];
  beforeEnded: boolean;
  afterEnded: boolean;
} {
  const before: string[] = [];
  const after: string[] = [];
  let beforeEnded = true;
  let afterEnded = true;
  let last = ' ';
  for (const line of hunk.lines) {
    const sign = line.charAt(0);
    if (sign === NO_NEWLINE) {
      if (last !== '+') beforeEnded = false;
      if (last !== '-') afterEnded = false;
      continue;
    }
    if (sign !== '+') before.push(line.slice(1));
    if (sign !== '-') after.push(line.slice(1));
    last = sign;
  }
  return { before, after, beforeEnded, afterEnded };
}
