import { useEffect, useMemo, useState } from 'react';
import { highlight, knownRuns } from './highlighter.ts';
import { lineRuns, type Piece, type Runs } from './runs.ts';

/** The highlighted pieces of each line; undefined until known, or if the text stays plain. */
export function useLinePieces(text: string, language: string): readonly Piece[][] | undefined {
  const [answer, setAnswer] = useState<{ text: string; runs: Runs | undefined }>();
  const runs = answer?.text === text ? answer.runs : knownRuns(text, language);
  useEffect(() => {
    let isWanted = true;
    void highlight(text, language).then((found) => {
      if (isWanted) setAnswer({ text, runs: found });
    });
    return () => {
      isWanted = false;
    };
  }, [text, language]);
  return useMemo(() => (runs ? lineRuns(text, runs) : undefined), [text, runs]);
}
