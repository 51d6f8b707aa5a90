/** “Getting started 2/5” at the foot of the sidebar (D45): the next things to try, until all are done or it is dismissed. */
import { Check, Circle, X } from 'lucide-react';
import { useEffect } from 'react';
import { runAction } from '../kit/action-runners.ts';
import { useClient } from '../kit/client-context.tsx';
import {
  doneSteps,
  isGettingStartedHidden,
  markTried,
  STEP_LABELS,
  STEPS,
  type Step,
  triedSteps,
} from '../kit/getting-started.ts';
import { layout } from '../kit/layout/dock.ts';
import { reviewed } from '../kit/reviewed.ts';
import { isPanelOpen, panelChoices } from '../kit/session-panel.ts';
import { useReadable, useSelected } from '../kit/use-readable.ts';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import './getting-started.css';

const ACTIONS: Readonly<Record<Step, string>> = {
  session: 'session.new',
  changes: 'panel.changes',
  terminal: 'panel.terminal',
  palette: 'palette.open',
  agent: 'open.settings',
};

export function GettingStarted() {
  const deck = useReadable(useClient().deck);
  const tried = useReadable(triedSteps);
  const isHidden = useReadable(isGettingStartedHidden);
  const hasReviewed = useSelected(reviewed, (all) => Object.keys(all).length > 0);
  useTerminalMark();
  if (!deck || isHidden) return null;
  const done = doneSteps({ deck, tried, hasReviewed });
  if (done.length === STEPS.length) return null;
  return (
    <details className="getting-started">
      <summary>
        <span>Getting started</span>
        <span className="getting-started-count">
          {done.length}/{STEPS.length}
        </span>
        <progress max={STEPS.length} value={done.length} aria-label="Getting started" />
      </summary>
      <ul>
        {STEPS.map((step) => (
          <li key={step} data-done={done.includes(step)}>
            <button type="button" onClick={() => runAction(ACTIONS[step])}>
              <Icon icon={done.includes(step) ? Check : Circle} size={14} />
              {STEP_LABELS[step]}
              {done.includes(step) ? <span className="visually-hidden">, done</span> : null}
            </button>
          </li>
        ))}
      </ul>
      <IconButton
        icon={X}
        label="Hide getting started"
        className="getting-started-hide"
        onClick={() => isGettingStartedHidden.set(true)}
      />
    </details>
  );
}

function useTerminalMark(): void {
  const hasCard = useSelected(layout, ({ cards }) => cards.some(({ kind }) => kind === 'terminal'));
  const hasTab = useSelected(panelChoices, (all) => Object.values(all).some(({ tab }) => tab === 'terminal'));
  const isOpen = useReadable(isPanelOpen);
  useEffect(() => {
    if (hasCard || (hasTab && isOpen)) markTried('terminal');
  }, [hasCard, hasTab, isOpen]);
}
