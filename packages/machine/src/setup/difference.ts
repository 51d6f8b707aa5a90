/** The difference of two texts by lines, for a change in few places: a longest common subsequence of the part between. Pure. */
import type { SetupPreview } from '@tugdeck/protocol/areas/agent-setup';

type Line = SetupPreview['lines'][number];

const CONTEXT = 3;
/** Above this, the part between is shown as removed and added. */
const MAX_CELLS = 1_000_000;
const MAX_LINES = 2_000;

export function differenceOf(before: string, after: string): Line[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const all: Line[] = [
    ...a.slice(0, start).map(same),
    ...between(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
  return shortened(all).slice(0, MAX_LINES);
}

const same = (text: string): Line => ({ mark: ' ', text });

function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push('\\ No newline at end of file');
  return lines;
}

function between(a: readonly string[], b: readonly string[]): Line[] {
  const removed = (text: string): Line => ({ mark: '-', text });
  const added = (text: string): Line => ({ mark: '+', text });
  if (a.length * b.length > MAX_CELLS) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const down = lengths[(i + 1) * width + j] ?? 0;
      const right = lengths[i * width + j + 1] ?? 0;
      lengths[i * width + j] =
        a[i] === b[j] ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(down, right);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push(same(left));
      i++;
      j++;
    } else if (
      left !== undefined &&
      (right === undefined || (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    ) {
      lines.push(removed(left));
      i++;
    } else {
      lines.push(added(right ?? ''));
      j++;
    }
  }
  return lines;
}

/** Keeps lines near a change. */
function shortened(lines: readonly Line[]): Line[] {
  const isNear = lines.map((_line, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ mark }) => mark !== ' '),
  );
  return lines.flatMap((line, at): Line[] => {
    if (isNear[at]) return [line];
    return at === 0 || isNear[at - 1] ? [{ mark: '…', text: '' }] : [];
  });
}
