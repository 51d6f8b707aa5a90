import type { LongText } from '@tugdeck/protocol/conversation/long-text';
import { CodeLine } from '../highlight/CodeLine.tsx';
import { languageOfPath } from '../highlight/languages.ts';
import { useLinePieces } from '../highlight/use-line-pieces.ts';
import { CutLines } from './CutLines.tsx';
import { splitLines } from './lines.ts';
import { useLongText } from './use-long-text.ts';

export interface FileResultProps {
  path: string;
  text: LongText;
  startLine: number;
}

/** A file's lines with line numbers, which are not copied. */
export function FileResult({ path, text, startLine }: FileResultProps) {
  const state = useLongText(text);
  const lines = splitLines(state.text);
  const pieces = useLinePieces(state.text, languageOfPath(path));
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
          <pre className="file-text">
            {lines.slice(0, shown).map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
              <span key={index}>
                <CodeLine text={line} pieces={pieces?.[index]} />
                {index < shown - 1 ? '\n' : ''}
              </span>
            ))}
          </pre>
        </div>
      )}
    </CutLines>
  );
}
