/** The difference of two texts as the preview of a change shows it: changed lines with some context. Pure. */
import type { SetupPreview } from '@tugdeck/protocol/areas/agent-setup';
import { lineEdits, NO_NEWLINE } from '@tugdeck/protocol/files/line-edits';

type Line = SetupPreview['lines'][number];

const CONTEXT = 3;
const MAX_LINES = 2_000;

export function differenceOf(before: string, after: string): Line[] {
  const lines = lineEdits(before, after).flatMap(([mark, line]): Line[] =>
    line.endsWith('\n')
      ? [{ mark, text: line.slice(0, -1) }]
      : [
          { mark, text: line },
          { mark, text: NO_NEWLINE },
        ],
  );
  const shown = shortened(lines);
  const more = shown.length - MAX_LINES;
  return more > 0 ? [...shown.slice(0, MAX_LINES), { mark: '…', text: `${more} more lines` }] : shown;
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
