import type { LongText } from '@tugdeck/protocol/conversation/entries';
import { useMemo } from 'react';
import { parseAnsi } from './ansi.ts';
import { CutLines } from './CutLines.tsx';
import { splitLines } from './lines.ts';
import { useLongText } from './use-long-text.ts';

export interface TerminalResultProps {
  stdout: LongText;
  stderr: LongText;
}

export function TerminalResult({ stdout, stderr }: TerminalResultProps) {
  const isSilent = stdout === '' && stderr === '';
  if (isSilent) return <p className="result-note">No output.</p>;
  return (
    <>
      {stdout === '' ? null : <TerminalText text={stdout} />}
      {stderr === '' ? null : <TerminalText text={stderr} isError />}
    </>
  );
}

export function TerminalText({ text, isError = false }: { text: LongText; isError?: boolean }) {
  const state = useLongText(text);
  const lines = splitLines(state.text);
  return (
    <CutLines total={lines.length} rest={state}>
      {(shown) => (
        <pre className="terminal" data-error={isError}>
          <AnsiText text={lines.slice(0, shown).join('\n')} />
        </pre>
      )}
    </CutLines>
  );
}

export function AnsiText({ text }: { text: string }) {
  const parts = useMemo(() => parseAnsi(text), [text]);
  let at = 0;
  return parts.map((part) => {
    const key = at;
    at += part.text.length;
    return part.classes === '' ? (
      part.text
    ) : (
      <span key={key} className={part.classes}>
        {part.text}
      </span>
    );
  });
}
