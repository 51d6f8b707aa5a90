import type { LongText } from '@tugdeck/protocol/conversation/long-text';
import type { ToolResult } from '@tugdeck/protocol/conversation/tool-result';
import { useMemo } from 'react';
import { bytes } from '../../kit/format.ts';
import { visibleExact } from '../../kit/visible-text.ts';
import { parseAnsi } from './ansi.ts';
import { CutLines } from './CutLines.tsx';
import { splitLines } from './lines.ts';
import { PreviewLinks } from './PreviewLinks.tsx';
import { useLongText } from './use-long-text.ts';

export function TerminalResult({ result }: { result: Extract<ToolResult, { type: 'terminal' }> }) {
  const { stdout, stderr, exitCode, interrupted, task, cut } = result;
  const isFailed = exitCode !== undefined && exitCode !== 0;
  const isSilent = stdout === '' && stderr === '';
  const facts = [
    // Other codes are shown in the title line.
    ...(exitCode === 0 ? ['exit 0'] : []),
    ...(interrupted ? ['interrupted'] : []),
    ...(task === undefined ? [] : [`still running in the background as ${task}`]),
  ];
  return (
    <>
      {stdout === '' ? null : <TerminalText text={stdout} isCut={cut !== undefined} />}
      <PreviewLinks text={stdout} />
      {cut ? (
        <p className="result-note">
          The agent kept only the start of {bytes(cut.size)}.
          {cut.path === undefined ? null : (
            <>
              {' '}
              The full output is in <code>{visibleExact(cut.path)}</code>
            </>
          )}
        </p>
      ) : null}
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
          {[...(isSilent ? ['No output'] : []), ...facts].join(' · ')}
        </p>
      ) : null}
    </>
  );
}

export interface TerminalTextProps {
  text: LongText;
  isError?: boolean;
  /** The agent kept only the beginning. */
  isCut?: boolean;
}

export function TerminalText({ text, isError = false, isCut = false }: TerminalTextProps) {
  const state = useLongText(text);
  const lines = splitLines(state.text);
  return (
    <CutLines total={lines.length} rest={state} {...(isCut ? { what: 'the first' } : {})}>
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
