import type { ToolEntry } from '@tugdeck/protocol/conversation/entries';
import { Check, ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Icon } from '../../../ui/Icon.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { duration, elapsed } from '../../../ui/words.ts';
import { DiffCounts } from '../results/DiffCounts.tsx';
import { lastLines } from '../results/lines.ts';
import { AnsiText } from '../results/TerminalResult.tsx';
import { ToolDetail } from './ToolDetail.tsx';
import { isRunning, opensByItself, stateWords, toolFacts } from './tool-facts.ts';
import { TOOL_ICONS } from './tool-icons.ts';

const LIVE_LINES = 5;

/** One line: icon, what, facts, state. Opens in place. */
export function ToolView({ entry }: { entry: ToolEntry }) {
  const [chosen, setOpen] = useState<boolean>();
  const isOpen = chosen ?? opensByItself(entry);
  const words = stateWords(entry);
  return (
    <div className="tool" data-state={entry.state} data-open={isOpen}>
      <button type="button" className="tool-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="tool-icon">
          <Icon icon={TOOL_ICONS[entry.toolKind]} />
        </span>
        <span className="tool-title truncate" title={entry.title}>
          {entry.title || entry.name}
        </span>
        {entry.diff ? <DiffCounts files={entry.diff} /> : null}
        {toolFacts(entry).map((fact) => (
          <span key={fact} className="tool-fact">
            {fact}
          </span>
        ))}
        <span className="tool-end">
          {isRunning(entry.state) ? <Elapsed since={entry.at} /> : null}
          {entry.durationMs !== undefined && entry.durationMs >= 100 ? (
            <span className="tool-fact">{duration(entry.durationMs)}</span>
          ) : null}
          {words ? <span className="tool-state">{words}</span> : null}
          {entry.state === 'done' ? (
            <span className="tool-done">
              <Icon icon={Check} size={14} />
              <span className="visually-hidden">done</span>
            </span>
          ) : null}
          <span className="tool-fold">
            <Icon icon={isOpen ? ChevronDown : ChevronRight} size={14} />
          </span>
        </span>
      </button>
      {!isOpen && entry.output && isRunning(entry.state) ? (
        <pre className="terminal tool-live">
          <AnsiText text={lastLines(entry.output, LIVE_LINES)} />
        </pre>
      ) : null}
      {isOpen ? <ToolDetail entry={entry} /> : null}
    </div>
  );
}

function Elapsed({ since }: { since: number }) {
  const now = useNow('second');
  return <span className="tool-fact">{elapsed(now - since)}</span>;
}
