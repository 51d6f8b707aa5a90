/** How full the context is and what the session cost so far (C14); the rest in a box that opens. */
import type { Limit, Usage } from '@tugdeck/protocol/conversation/session-facts';
import { useId, useRef } from 'react';
import { placeBeside } from '../../../ui/place-beside.ts';
import { cost, count, exactTime } from '../../../ui/words.ts';

const NEARLY_FULL = 80;
const LIMIT_WORDS = { open: 'open', warning: 'nearly used up', reached: 'used up' } as const;

export function UsageGauge({ usage, limits = [] }: { usage: Usage; limits?: readonly Limit[] | undefined }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const { contextUsed, contextWindow, costUsd } = usage;
  const percent =
    contextUsed === undefined || !contextWindow
      ? undefined
      : Math.min(100, Math.round((contextUsed / contextWindow) * 100));
  if (percent === undefined && costUsd === undefined) return null;
  return (
    <>
      <button
        ref={button}
        type="button"
        className="gauge"
        title={
          percent === undefined
            ? 'Usage'
            : `Context: ${count(contextUsed ?? 0)} of ${count(contextWindow ?? 0)} tokens`
        }
        aria-haspopup="dialog"
        popoverTarget={id}
      >
        <span className="visually-hidden">Usage: </span>
        {percent === undefined ? null : (
          <>
            <span className="gauge-bar" aria-hidden="true" data-full={percent >= NEARLY_FULL}>
              <span style={{ width: `${percent}%` }} />
            </span>
            <span>{percent} %</span>
          </>
        )}
        {costUsd === undefined ? null : <span className="card-cost">{cost(costUsd)}</span>}
      </button>
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-label="Usage"
        className="menu usage"
        onToggle={(event) => {
          const from = button.current?.getBoundingClientRect();
          if (event.newState === 'open' && from) placeBeside(event.currentTarget, from);
        }}
      >
        {percent === undefined ? null : (
          <>
            <p>
              <b>{percent} %</b> of the context is used
            </p>
            <meter aria-label="Context used" min={0} max={100} value={percent} />
          </>
        )}
        <dl>
          {percent === undefined ? null : (
            <Fact name="Context" value={`${count(contextUsed ?? 0)} of ${count(contextWindow ?? 0)}`} />
          )}
          <Fact name="Input" value={count(usage.inputTokens)} />
          <Fact name="Read from cache" value={count(usage.cacheReadTokens)} />
          <Fact name="Written to cache" value={count(usage.cacheWriteTokens)} />
          <Fact name="Output" value={count(usage.outputTokens)} />
          {costUsd === undefined ? null : <Fact name="Cost of this session" value={cost(costUsd)} />}
          {usage.inheritedUsd === undefined ? null : (
            <Fact name="Of it before the fork" value={cost(usage.inheritedUsd)} />
          )}
          {limits.map((limit) => (
            <Fact key={limit.id} name={limit.label} value={limitWords(limit)} />
          ))}
        </dl>
      </div>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function limitWords({ state, used, resetsAt }: Limit): string {
  const share = used === undefined ? LIMIT_WORDS[state] : `${Math.round(used * 100)} %`;
  return resetsAt === undefined ? share : `${share}, resets ${exactTime(resetsAt)}`;
}
