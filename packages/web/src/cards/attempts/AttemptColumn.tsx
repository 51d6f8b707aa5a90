/** One attempt: state, time, tokens, cost, changed files and the result of the check (B39). */
import type { AttemptFigures, AttemptsRow } from '@tugdeck/protocol/attempts/attempts';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { letterOf } from '../../features/workspaces/attempts.ts';
import { useClient } from '../../kit/client-context.tsx';
import { cost, count, elapsed, exactTime, plural } from '../../kit/format.ts';
import { openCard } from '../../kit/layout/open-card.ts';
import { STATE_LABELS, stateText } from '../../kit/session-state.ts';
import { useAgent } from '../../kit/use-agent.ts';
import { useNow } from '../../kit/use-now.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { useSessionState } from '../../kit/use-session-state.ts';
import { useWorkspace } from '../../kit/use-workspace.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { AgentMark } from '../../ui/AgentMark.tsx';
import { Button } from '../../ui/Button.tsx';
import { StateGlyph } from '../../ui/StateGlyph.tsx';

export interface AttemptColumnProps {
  attempt: AttemptsRow['attempts'][number];
  number: number;
  group: AttemptsRow;
  figures: AttemptFigures | undefined;
  hasCheck: boolean;
  onChoose: () => void;
}

export function AttemptColumn(props: AttemptColumnProps) {
  const { attempt, number, group, figures, hasCheck, onChoose } = props;
  const { session, fault } = attempt;
  const row = useSelected(useClient().deck, (deck) => deck?.sessions.find(({ id }) => id === session));
  const agent = useAgent(attempt.agent);
  const workspace = useWorkspace(attempt.workspace);
  const letter = letterOf(number);
  const model = row?.summary?.model ?? attempt.model;
  const isChosen = group.chosen === session;
  const usage = row?.summary?.usage;
  const tokens = usage
    ? usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
    : 0;
  const isReady = workspace?.state === 'ready' && attempt.isWaiting !== true && fault === undefined;
  return (
    <li className="attempt-column" data-chosen={isChosen}>
      <h3 className="attempt-name">
        <span className="attempt-column-letter">{letter}</span>
        <AgentMark mark={agent?.mark} />
        <span title={visibleText(workspace?.name ?? '')}>
          {visibleText([agent?.label ?? attempt.agent, model].filter(Boolean).join(' · '))}
        </span>
      </h3>
      <dl className="attempt-figures">
        <Figure name="State">
          {fault !== undefined ? (
            <span className="fault">{visibleText(fault)}</span>
          ) : row ? (
            <State row={row} isArchived={workspace?.state === 'archived'} />
          ) : attempt.isWaiting ? (
            'Waiting for its workspace'
          ) : (
            'Deleted'
          )}
        </Figure>
        <Figure name="Time">{row ? <Time row={row} since={group.createdAt} /> : '–'}</Figure>
        <Figure name="Tokens">{tokens > 0 ? count(tokens) : '–'}</Figure>
        <Figure name="Cost">{usage?.costUsd === undefined ? '–' : cost(usage.costUsd)}</Figure>
        <Figure name="Files">
          {figures?.files === undefined ? (
            '–'
          ) : (
            <>
              {plural(figures.files, 'file')}
              {figures.added ? <span className="is-added">{` +${figures.added}`}</span> : null}
              {figures.removed ? <span className="is-removed">{` −${figures.removed}`}</span> : null}
            </>
          )}
        </Figure>
        {hasCheck ? (
          <Figure name="Check">
            <CheckText check={figures?.check} />
          </Figure>
        ) : null}
      </dl>
      <div className="attempt-acts">
        <Button look="quiet" disabled={!row} onClick={() => openCard('conversation', { session })}>
          Open
          <span className="visually-hidden">{` attempt ${letter}`}</span>
        </Button>
        {isChosen ? (
          <span className="attempt-chosen">Chosen</span>
        ) : group.chosen === undefined && isReady ? (
          <Button onClick={onChoose}>
            Choose…
            <span className="visually-hidden">{` attempt ${letter}`}</span>
          </Button>
        ) : null}
      </div>
    </li>
  );
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function State({ row, isArchived }: { row: SessionRow; isArchived: boolean }) {
  const state = useSessionState(row);
  if (isArchived) return 'Archived';
  // The number of files has its own row.
  const text = state === 'review' ? STATE_LABELS.review : stateText(row, state);
  return (
    <span className="attempt-state">
      <StateGlyph state={state} isSilent />
      <span className="attempt-state-text" title={text}>
        {text}
      </span>
    </span>
  );
}

/** The time that its turns took, or since the start, if the agent doesn't report it. */
function Time({ row: { summary, live }, since }: { row: SessionRow; since: number }) {
  const now = useNow('second');
  if (!summary || (summary.lastTurn === undefined && summary.turnStartedAt === undefined)) return '–';
  const startedAt = live ? summary.turnStartedAt : undefined;
  const wallMs = summary.usage?.wallMs;
  if (wallMs === undefined) return elapsed(Math.max(0, (startedAt ? now : summary.changedAt) - since));
  return elapsed(wallMs + (startedAt ? Math.max(0, now - startedAt) : 0));
}

function CheckText({ check }: { check: AttemptFigures['check'] }) {
  if (!check) return '–';
  if (check.state === 'running') return 'Running…';
  const result =
    check.code === undefined ? 'Stopped' : check.code === 0 ? 'Passed' : `Failed, exit code ${check.code}`;
  return (
    <span data-result={check.code === 0 ? 'passed' : 'failed'} title={exactTime(check.at)}>
      {check.isOld ? `${result}, files changed since` : result}
    </span>
  );
}
