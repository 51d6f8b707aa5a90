import type { PermissionEntry, ToolEntry } from '@tugdeck/protocol/conversation/entries';
import { Check, ChevronDown, ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { duration, elapsed, plural } from '../../kit/format.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { useNow } from '../../kit/use-now.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { visibleExact, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { useCard, useFold } from '../conversation/card-context.tsx';
import { useDirectory } from '../conversation/project-paths.ts';
import { needsUser, type Row } from '../conversation/rows.ts';
import { DiffCounts } from '../diff/DiffCounts.tsx';
import { permissionOutcome } from '../requests/permission-options.ts';
import { PermissionView } from '../requests/RequestViews.tsx';
import { lateAnswers } from '../requests/use-answer.ts';
import { lastLines } from '../tool-results/lines.ts';
import { AnsiText } from '../tool-results/TerminalResult.tsx';
import { toolIcon } from '../tool-results/tool-icons.ts';
import { MissingContext } from './MissingContext.tsx';
import { ToolDetail } from './ToolDetail.tsx';
import {
  hasFailedExit,
  isOpenByDefault,
  isRunning,
  isUndone,
  toolFacts,
  toolStateText,
} from './tool-facts.ts';
import { type ToolTitle, toolTitle } from './tool-title.ts';

const LIVE_LINES = 5;
const TaskControls = lazyComponent(() => import('./TaskControls.tsx').then((part) => part.TaskControls));

interface ToolViewProps {
  entry: ToolEntry;
  /** The steps of its subagent. */
  nested?: readonly Row[] | undefined;
  /** Its permission request, once it is settled. */
  permission?: PermissionEntry | undefined;
  renderRow: (row: Row) => ReactNode;
}

/** One line that expands in place: icon, title, facts, state. */
export function ToolView({ entry, nested = [], permission, renderRow }: ToolViewProps) {
  const outcome = permission && permissionOutcome(permission.request);
  const [isOpen, setOpen] = useFold(entry.id, isOpenByDefault(entry, outcome));
  const directory = useDirectory();
  const stateLabel = toolStateText(entry, outcome);
  const isLate = useSelected(lateAnswers, (late) => permission !== undefined && late.has(permission.id));
  const facts = toolFacts(entry);
  return (
    <div className="tool" data-state={entry.state} data-open={isOpen}>
      <div className="tool-head">
        <button type="button" className="tool-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span className="tool-icon">
            <Icon icon={toolIcon(entry)} />
          </span>
          <ToolTitleText title={toolTitle(entry, directory)} />
          {entry.diff && !isUndone(entry.state) ? <DiffCounts files={entry.diff} /> : null}
          {facts.map(({ text, isFault = false }) => (
            <span key={text} className="tool-fact" data-fault={isFault}>
              {text}
            </span>
          ))}
          {outcome ? (
            <span
              className="tool-fact tool-permission truncate"
              data-entry-id={permission?.id}
              data-request-status={permission?.request.status}
              data-refused={outcome.isRefused}
              title={visibleText(outcome.text)}
            >
              {visibleText(outcome.text)}
            </span>
          ) : null}
          {nested.length > 0 && facts.length === 0 ? (
            <span className="tool-fact">{plural(nested.length, 'step')}</span>
          ) : null}
          {isRunning(entry.state) && entry.progress ? (
            <span className="tool-fact truncate">{entry.progress}</span>
          ) : null}
          <span className="tool-end">
            {isRunning(entry.state) ? <Elapsed since={entry.at} /> : null}
            {entry.durationMs !== undefined && entry.durationMs >= 100 ? (
              <span className="tool-fact">{duration(entry.durationMs)}</span>
            ) : null}
            {stateLabel ? <span className="tool-state">{stateLabel}</span> : null}
            {entry.state === 'done' && !hasFailedExit(entry) ? (
              <span className="tool-done">
                <Icon icon={Check} size={14} />
                <span className="visually-hidden">Done</span>
              </span>
            ) : null}
            <span className="tool-fold">
              <Icon icon={isOpen ? ChevronDown : ChevronRight} size={14} />
            </span>
          </span>
        </button>
        {isRunning(entry.state) && entry.task !== undefined ? <TaskControls entry={entry} /> : null}
      </div>
      {entry.forgotten ? <MissingContext /> : null}
      {!isOpen && entry.output && isRunning(entry.state) ? <LiveOutput output={entry.output} /> : null}
      {nested.length > 0 ? <NestedRows rows={nested} isOpen={isOpen} renderRow={renderRow} /> : null}
      {permission && (isLate || (isOpen && outcome?.hasMore)) ? <PermissionView entry={permission} /> : null}
      {isOpen ? <ToolDetail entry={entry} hasSteps={nested.length > 0} /> : null}
    </div>
  );
}

function Elapsed({ since }: { since: number }) {
  const now = useNow('second');
  return <span className="tool-fact">{elapsed(now - since)}</span>;
}

/** The height is known before the colors: the ANSI renderer is loaded later. */
function LiveOutput({ output }: { output: string }) {
  const text = lastLines(output, LIVE_LINES);
  return (
    <pre
      className="terminal tool-live"
      style={{ minHeight: `min(110px, ${text.split('\n').length}lh + 16px)` }}
    >
      <AnsiText text={text} />
    </pre>
  );
}

/** A subagent may take hundreds of steps; the last ones show its progress. */
const SHOWN = 40;

interface NestedRowsProps {
  rows: readonly Row[];
  isOpen: boolean;
  renderRow: (row: Row) => ReactNode;
}

/** The steps of a subagent inside its tool: all when open, otherwise only those that need the user. */
function NestedRows({ rows, isOpen, renderRow }: NestedRowsProps) {
  const { channel } = useCard();
  const [isWhole, setWhole] = useState(false);
  const wanted = isOpen ? rows : rows.filter((row) => needsUser(row, (id) => channel.entry(id).get()));
  if (wanted.length === 0) return null;
  const shown = isWhole ? wanted : wanted.slice(-SHOWN);
  return (
    <div className="nested">
      {shown.length < wanted.length ? (
        <Button look="link" className="show-all" onClick={() => setWhole(true)}>
          Show {plural(wanted.length - shown.length, 'earlier step')}
        </Button>
      ) : null}
      {shown.map(renderRow)}
    </div>
  );
}

function ToolTitleText({ title }: { title: ToolTitle }) {
  return (
    <span className="tool-title truncate" title={visibleText(title.full)}>
      {visibleText(title.verb)}
      {title.object === undefined ? null : (
        <>
          {' '}
          {title.isCode ? (
            <code className="tool-object">{visibleExact(title.object)}</code>
          ) : (
            visibleText(title.object)
          )}
        </>
      )}
    </span>
  );
}
