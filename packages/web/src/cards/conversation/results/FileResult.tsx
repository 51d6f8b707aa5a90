import type { LongText } from '@tugdeck/protocol/conversation/entries';
import { CutLines } from './CutLines.tsx';
import { splitLines } from './lines.ts';
import { useLongText } from './use-long-text.ts';

export interface FileResultProps {
  text: LongText;
  startLine: number;
}

/** A file's lines with their numbers; the numbers are not copied. */
export function FileResult({ text, startLine }: FileResultProps) {
  const state = useLongText(text);
  const lines = splitLines(state.text);
  return (
    <CutLines total={lines.length} rest={state}>
      {(shown) => (
        <div className="file-lines">
          <pre className="line-numbers" aria-hidden="true">
            {lines
              .slice(0, shown)
              .map((_, index) => startLine + index)
              .join('\n')}
          </pre>
          <pre className="file-text">{lines.slice(0, shown).join('\n')}</pre>
        </div>
      )}
    </CutLines>
  );
}
