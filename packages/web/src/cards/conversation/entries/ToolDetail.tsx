import type { ToolEntry } from '@tugdeck/protocol/conversation/entries';
import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { DiffView } from '../results/DiffView.tsx';
import { FieldList } from '../results/FieldList.tsx';
import { JsonTree } from '../results/JsonTree.tsx';
import { LongTextView } from '../results/LongTextView.tsx';
import { TerminalText } from '../results/TerminalResult.tsx';
import { ToolResultView } from '../results/ToolResultView.tsx';

/** What is inside a tool: input, change or result, error. The raw input is one click away. */
export function ToolDetail({ entry }: { entry: ToolEntry }) {
  const [isRaw, setRaw] = useState(false);
  const { fields, diff, result, error, output, inputText, input } = entry;
  const isEmpty =
    !fields?.length &&
    !diff?.length &&
    !result &&
    error === undefined &&
    !output &&
    !inputText &&
    !entry.denied?.why;
  return (
    <div className="tool-detail">
      {fields?.length ? <FieldList fields={fields} /> : null}
      {!fields?.length && inputText && input === undefined ? <LongTextView text={inputText} /> : null}
      {diff?.length ? <DiffView files={diff} /> : null}
      {result && !diff?.length ? <ToolResultView result={result} /> : null}
      {!result && output ? <TerminalText text={output} /> : null}
      {error === undefined ? null : (
        <div className="tool-error">
          <LongTextView text={error} />
        </div>
      )}
      {entry.denied?.why ? <p className="result-note">{entry.denied.why}</p> : null}
      {isEmpty ? <p className="result-note">Nothing to show yet.</p> : null}
      {isRaw ? <JsonTree value={input} /> : null}
      {input === undefined ? null : (
        <Button look="link" className="raw-toggle" onClick={() => setRaw(!isRaw)}>
          {isRaw ? 'Hide raw input' : `Raw input of ${entry.name}`}
        </Button>
      )}
    </div>
  );
}
