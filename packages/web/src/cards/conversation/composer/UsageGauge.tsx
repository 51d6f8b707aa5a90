/** Context usage and cost of the session (C14), with a popover for details. */
import type { Limit, Usage } from '@tugdeck/protocol/conversation/session-info';
import { useId, useRef, useState } from 'react';
import { cost, count } from '../../../kit/format.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { placeBeside } from '../../../ui/place-beside.ts';
import { contextPercent } from './context-percent.ts';

const UsageDetail = lazyComponent(() => import('./UsageDetail.tsx').then((part) => part.UsageDetail));

const NEARLY_FULL = 80;

export function UsageGauge({ usage, limits = [] }: { usage: Usage; limits?: readonly Limit[] | undefined }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const { contextUsed, contextWindow, costUsd } = usage;
  const percent = contextPercent(usage);
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
            <svg
              className="gauge-ring"
              viewBox="0 0 16 16"
              aria-hidden="true"
              data-full={percent >= NEARLY_FULL}
            >
              <circle cx="8" cy="8" r="6" />
              <circle cx="8" cy="8" r="6" pathLength={100} strokeDasharray={`${percent} 100`} />
            </svg>
            <span className="gauge-text">{percent}%</span>
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
          setOpen(event.newState === 'open');
          if (event.newState === 'open' && from) placeBeside(event.currentTarget, from);
        }}
      >
        {isOpen ? <UsageDetail usage={usage} percent={percent} limits={limits} /> : null}
      </div>
    </>
  );
}
