/** The gauge's popover (C14): context usage, tokens and cost per turn and model, limits. */
import type { Limit, Usage, UsageTotals } from '@tugdeck/protocol/conversation/session-info';
import { useEffect, useState } from 'react';
import { useCard } from '../../../features/conversation/card-context.tsx';
import { queryAgent } from '../../../features/conversation/request-control.ts';
import { faultText } from '../../../kit/deck-actions.ts';
import { cost, count, duration, localTime, timeUntil } from '../../../kit/format.ts';
import { useNow } from '../../../kit/use-now.ts';
import { useSelected } from '../../../kit/use-readable.ts';
import { visibleText } from '../../../kit/visible-text.ts';
import './usage-detail.css';

const LIMIT_LABELS = { open: 'available', warning: 'nearly reached', reached: 'reached' } as const;

export interface UsageDetailProps {
  readonly usage: Usage;
  readonly percent: number | undefined;
  readonly limits: readonly Limit[];
}

export function UsageDetail({ usage, percent, limits }: UsageDetailProps) {
  const fault = useFreshContext();
  const now = useNow('half-minute');
  const { contextUsed = 0, contextWindow = 0, contextKinds = [], lastTurn, costUsd } = usage;
  const models = Object.entries(usage.byModel ?? {});
  return (
    <>
      {percent === undefined ? null : (
        <>
          <p>
            <b>{percent}%</b> of the context: {count(contextUsed)} of {count(contextWindow)} tokens
          </p>
          <meter aria-label="Context used" min={0} max={100} value={percent} />
        </>
      )}
      {contextKinds.length === 0 ? null : (
        <dl aria-label="Context by kind">
          {contextKinds.map(({ label, tokens }) => (
            <Fact key={label} name={visibleText(label)} value={count(tokens)} />
          ))}
        </dl>
      )}
      {fault ? <p className="muted">{fault}</p> : null}
      <table>
        <thead>
          <tr>
            <th scope="col">Tokens</th>
            {lastTurn ? <th scope="col">Last turn</th> : null}
            <th scope="col">Session</th>
          </tr>
        </thead>
        <tbody>
          <Line name="Input" of={(spent) => count(spent.inputTokens)} usage={usage} />
          <Line name="Read from cache" of={(spent) => count(spent.cacheReadTokens)} usage={usage} />
          <Line name="Written to cache" of={(spent) => count(spent.cacheWriteTokens)} usage={usage} />
          <Line name="Output" of={(spent) => count(spent.outputTokens)} usage={usage} />
          {costUsd === undefined ? null : (
            <Line name="Cost" of={(spent) => cost(spent.costUsd ?? 0)} usage={usage} />
          )}
        </tbody>
      </table>
      <dl aria-label="By model">
        {models.length < 2
          ? null
          : models.map(([model, spent]) => (
              <Fact key={model} name={visibleText(model)} value={modelText(spent)} />
            ))}
      </dl>
      <dl>
        {usage.inheritedUsd === undefined ? null : (
          <Fact name="Before the fork" value={cost(usage.inheritedUsd)} />
        )}
        {usage.wallMs ? <Fact name="Time" value={timeText(usage)} /> : null}
        {limits.map((limit) => (
          <Fact key={limit.id} name={visibleText(limit.label)} value={limitText(limit, now)} />
        ))}
      </dl>
    </>
  );
}

/** Requests the context usage if the agent is running and supports it. Does not start the agent. */
function useFreshContext(): string | undefined {
  const { channel } = useCard();
  const [fault, setFault] = useState<string>();
  const canTell = useSelected(
    channel.view,
    ({ conversation: { agent, facts } }) =>
      agent.state === 'connected' && facts.controls?.includes('context') === true,
  );
  useEffect(() => {
    if (!canTell) return;
    queryAgent(channel, 'context', { detail: 'summary' }).then(
      ({ ok, text }) => setFault(ok ? undefined : text),
      (error) => setFault(faultText(error)),
    );
  }, [canTell, channel]);
  return fault;
}

function Line({ name, of, usage }: { name: string; of: (spent: UsageTotals) => string; usage: Usage }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {usage.lastTurn ? <td>{of(usage.lastTurn)}</td> : null}
      <td>{of(usage)}</td>
    </tr>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt className="truncate" title={name}>
        {name}
      </dt>
      <dd>{value}</dd>
    </>
  );
}

function modelText({
  inputTokens,
  cacheReadTokens,
  cacheWriteTokens,
  outputTokens,
  costUsd,
}: UsageTotals): string {
  const tokens = count(inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens);
  return costUsd === undefined ? tokens : `${tokens}, ${cost(costUsd)}`;
}

function timeText({ wallMs = 0, apiMs }: Usage): string {
  return apiMs === undefined ? duration(wallMs) : `${duration(wallMs)}, model ${duration(apiMs)}`;
}

function limitText({ state, used, resetsAt }: Limit, now: number): string {
  const share = used === undefined ? LIMIT_LABELS[state] : `${Math.round(used * 100)}%`;
  return resetsAt === undefined
    ? share
    : `${share}, resets ${localTime(resetsAt, now)} ${timeUntil(resetsAt, now) ?? ''}`.trim();
}
