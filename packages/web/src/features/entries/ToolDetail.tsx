import type { ToolEntry } from '@tugdeck/protocol/conversation/entries';
import type { LongText } from '@tugdeck/protocol/conversation/long-text';
import { useState } from 'react';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { relativePath, useDirectory } from '../conversation/project-paths.ts';
import { DiffView } from '../tool-results/DiffView.tsx';
import { FieldList } from '../tool-results/FieldList.tsx';
import { JsonTree } from '../tool-results/JsonTree.tsx';
import { LongTextView } from '../tool-results/LongTextView.tsx';
import { shownFields } from '../tool-results/shown-fields.ts';
import { TerminalText } from '../tool-results/TerminalResult.tsx';
import { ToolResultView } from '../tool-results/ToolResultView.tsx';
import { isRunning, isUndone } from './tool-facts.ts';
import { toolTitle } from './tool-title.ts';

/** The details of a tool: input, diff or result, error. The raw input is one click away. */
export function ToolDetail({ entry, hasSteps = false }: { entry: ToolEntry; hasSteps?: boolean }) {
  const [isRaw, setRaw] = useState(false);
  const { diff, result, output, inputText, input } = entry;
  const error = saysTheSame(entry) ? undefined : entry.error;
  const directory = useDirectory();
  const { object } = toolTitle(entry, directory);
  const fields = shownFields(entry.fields ?? [], diff).filter(
    ({ value }) => !isInTitle(value, object, directory),
  );
  const isEmpty =
    !hasSteps &&
    fields.length === 0 &&
    !diff?.length &&
    !result &&
    error === undefined &&
    !output &&
    !inputText &&
    !entry.denied?.why;
  return (
    <div className="tool-detail">
      <FieldList fields={fields} />
      {!entry.fields?.length && inputText && input === undefined ? <LongTextView text={inputText} /> : null}
      {diff?.length && isUndone(entry.state) ? <p className="result-note">Not applied:</p> : null}
      {diff?.length ? <DiffView files={diff} /> : null}
      {result && !diff?.length ? <ToolResultView result={result} /> : null}
      {!result && output ? <TerminalText text={output} /> : null}
      {error === undefined ? null : (
        <div className="tool-error">
          <LongTextView text={error} />
        </div>
      )}
      {entry.denied?.why ? <p className="result-note">{visibleText(entry.denied.why)}</p> : null}
      {isEmpty ? (
        <p className="result-note">{isRunning(entry.state) ? 'No output yet' : 'No output'}</p>
      ) : null}
      {isRaw ? <JsonTree value={input} /> : null}
      {input === undefined ? null : (
        <Button look="link" className="raw-toggle" onClick={() => setRaw(!isRaw)}>
          {isRaw ? 'Hide raw input' : 'Show raw input'}
        </Button>
      )}
    </div>
  );
}

/** Short enough to be fully shown in the title line. */
const SHORT = 40;

function isInTitle(value: LongText, object: string | undefined, directory: string | undefined): boolean {
  return typeof value === 'string' && value.length <= SHORT && relativePath(value, directory) === object;
}

/** Some agents repeat a command's output or exit code as its error. */
function saysTheSame({ error, result, denied }: ToolEntry): boolean {
  if (typeof error === 'string' && denied?.why && error.includes(denied.why)) return true;
  if (typeof error !== 'string' || result?.type !== 'terminal') return false;
  const { stdout, stderr } = result;
  const written = [stdout, stderr].filter((text): text is string => typeof text === 'string' && text !== '');
  const words = error.replace(/^(the command ended with )?exit code \d+\.?\s*/i, '').trim();
  return words === '' || words === written.join('\n').trim() || written.some((text) => text.trim() === words);
}
