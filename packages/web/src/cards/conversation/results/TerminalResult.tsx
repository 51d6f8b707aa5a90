import type { LongText, ToolResult } from '@tugdeck/protocol/conversation/entries';
import { useMemo } from 'react';
import { parseAnsi } from './ansi.ts';
import { CutLines } from './CutLines.tsx';
import { splitLines } from './lines.ts';
import { useLongText } from './use-long-text.ts';

export function TerminalResult({ result }: { result: Extract<ToolResult, { type: 'terminal' }> }) {
  const { stdout, stderr, exitCode, interrupted, task } = result;
  const isFailed = exitCode !== undefined && exitCode !== 0;
  const isSilent = stdout === '' && stderr === '';
  const facts = [
    // Any other is said in the line above.
    ...(exitCode === 0 ? ['exit 0'] : []),
    ...(interrupted ? ['interrupted'] : []),
    ...(task === undefined ? [] : [`goes on in the background as ${task}`]),
  ];
  return (
    <>
      {stdout === '' ? null : <TerminalText text={stdout} />}
      {stderr === '' ? null : (
        <section
          aria-label="Error output"
          className="terminal-errors"
          title="Error output"
          data-failed={isFailed}
        >
          <TerminalText text={stderr} isError />
        </section>
      )}
      {isSilent || facts.length > 0 ? (
        <p className="result-note terminal-end" data-failed={isFailed}>
          {[...(isSilent ? ['no output'] : []), ...facts].join(' · ')}
        </p>
      ) : null}
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
