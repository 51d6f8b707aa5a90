import { useState } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { localTime } from '../../kit/format.ts';
import { openComparison } from '../../kit/open-changes.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { firstLine, type TimelineRow } from './timeline-rows.ts';

type TurnRow = Extract<TimelineRow, { kind: 'turn' }>;

const NOW = '';
const MAX_LABEL = 60;

/** Chooses two checkpoints, or one and the current files, and opens the difference in Changes (T35). */
export function ComparePoints({ session, rows }: { session: string; rows: readonly TimelineRow[] }) {
  const project = useReadable(useClient().deck)?.sessions.find(({ id }) => id === session)?.project;
  const points = rows.filter((row): row is TurnRow => row.kind === 'turn' && row.point.isKept);
  const [chosen, setChosen] = useState<string>();
  const [until, setUntil] = useState(NOW);
  const from = points.some(({ id }) => id === chosen) ? chosen : points.at(-1)?.id;
  const compare = () => {
    if (project === undefined || from === undefined) return;
    if (until === NOW || until === from) {
      openComparison(project, session, { since: 'turn', turn: from });
      return;
    }
    // The older point first, in whatever order they were chosen.
    const order = points.map(({ id }) => id);
    const [turn, later] = order.indexOf(from) > order.indexOf(until) ? [from, until] : [until, from];
    openComparison(project, session, { since: 'between', turn, until: later });
  };
  if (points.length === 0) return <span className="pane-fact">Timeline</span>;
  const options = points.map((row) => (
    <option key={row.id} value={row.id}>
      Before {labelOf(row)}
    </option>
  ));
  return (
    <>
      <label className="timeline-choice">
        <span>Compare</span>
        <select
          className="field"
          aria-label="First point"
          value={from}
          onChange={(event) => setChosen(event.target.value)}
        >
          {options}
        </select>
      </label>
      <label className="timeline-choice">
        <span>with</span>
        <select
          className="field"
          aria-label="Second point"
          value={until}
          onChange={(event) => setUntil(event.target.value)}
        >
          <option value={NOW}>Now</option>
          {options}
        </select>
      </label>
      <Button onClick={compare} disabled={project === undefined}>
        Compare
      </Button>
    </>
  );
}

function labelOf({ entry, number, at }: TurnRow): string {
  const message = entry ? visibleText(firstLine(entry)).slice(0, MAX_LABEL) : '';
  return `${number}. ${message || localTime(at, Date.now())}`;
}
