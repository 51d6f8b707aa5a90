/** The Stats card (W5): current machine load, agent usage by day, and the user's long commands. */
import { useState } from 'react';
import { MachineSelect } from '../../features/machines/MachineSelect.tsx';
import type { CardProps } from '../../kit/card-kinds.ts';
import { Commands } from './Commands.tsx';
import { Machine } from './Machine.tsx';
import './stats.css';
import { Usage } from './Usage.tsx';
import { useStats } from './use-stats.ts';

const VIEWS = ['machine', 'usage', 'commands'] as const;
type View = (typeof VIEWS)[number];
const LABELS: Readonly<Record<View, string>> = {
  machine: 'Machine',
  usage: 'Usage',
  commands: 'Commands',
};

export default function StatsCard({ params, isVisible, setParams }: CardProps) {
  const view = VIEWS.find((one) => one === params.item) ?? 'machine';
  const [machine, setMachine] = useState<string>();
  return (
    <fieldset className="pane stats" aria-label="Stats">
      <fieldset className="stats-views">
        <legend className="visually-hidden">Show</legend>
        {VIEWS.map((one) => (
          <button
            key={one}
            type="button"
            className="stats-view"
            aria-pressed={one === view}
            onClick={() => setParams({ ...params, item: one })}
          >
            {LABELS[one]}
          </button>
        ))}
      </fieldset>
      <MachineSelect machine={machine} onMachine={setMachine} />
      <StatsBody key={machine ?? ''} machine={machine} view={view} isVisible={isVisible} />
    </fieldset>
  );
}

interface StatsBodyProps {
  machine: string | undefined;
  view: View;
  isVisible: boolean;
}

function StatsBody({ machine, view, isVisible }: StatsBodyProps) {
  const [days, setDays] = useState(30);
  const stats = useStats(isVisible, days, machine);
  return (
    <>
      {stats.fault ? (
        <p className="fault" role="alert">
          {stats.fault}
        </p>
      ) : null}
      <div className="stats-body">
        {view === 'machine' ? <Machine samples={stats.samples} /> : null}
        {view === 'usage' ? <Usage rows={stats.usage} days={days} onDays={setDays} /> : null}
        {view === 'commands' ? (
          <Commands builds={stats.builds} onRun={stats.run} onStop={stats.stop} />
        ) : null}
      </div>
    </>
  );
}
