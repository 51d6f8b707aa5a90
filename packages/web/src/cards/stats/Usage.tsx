import type { UsageRow } from '@tugdeck/protocol/stats/stats-messages';
import { useState } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { downloadFile } from '../../kit/download-file.ts';
import { cost, count } from '../../kit/format.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { daysUpTo, GROUPINGS, type Grouping, sumBy, usageCsv } from './usage-groups.ts';

export interface UsageProps {
  readonly rows: readonly UsageRow[] | undefined;
  readonly days: number;
  readonly onDays: (days: number) => void;
}

const LABELS: Readonly<Record<Grouping, string>> = {
  day: 'Day',
  model: 'Model',
  project: 'Project',
  session: 'Session',
};
const SPANS = [7, 30, 90, 365];

export function Usage({ rows, days, onDays }: UsageProps) {
  const deck = useReadable(useClient().deck);
  const [grouping, setGrouping] = useState<Grouping>('day');
  if (!rows) return <p className="stats-note">Loading…</p>;
  const names: Readonly<Record<Grouping, (row: UsageRow) => string>> = {
    day: ({ day }) => day,
    model: ({ model }) => model || 'unknown',
    project: ({ project }) => deck?.projects.find(({ id }) => id === project)?.name ?? 'removed',
    session: ({ title }) => title,
  };
  const sums = sumBy(rows, names[grouping]).sort((a, b) =>
    grouping === 'day' ? b.name.localeCompare(a.name) : b.costUsd - a.costUsd || b.tokens - a.tokens,
  );
  const total = sumBy(rows, () => 'all')[0];
  return (
    <>
      <div className="stats-bar">
        <label>
          Last{' '}
          <select className="field" value={days} onChange={(event) => onDays(Number(event.target.value))}>
            {SPANS.map((span) => (
              <option key={span} value={span}>
                {span} days
              </option>
            ))}
          </select>
        </label>
        <label>
          by{' '}
          <select
            className="field"
            value={grouping}
            onChange={(event) => setGrouping(GROUPINGS.find((one) => one === event.target.value) ?? 'day')}
          >
            {GROUPINGS.map((one) => (
              <option key={one} value={one}>
                {LABELS[one].toLowerCase()}
              </option>
            ))}
          </select>
        </label>
        <span className="stats-total">
          {total ? `${cost(total.costUsd)} · ${count(total.tokens)} tokens` : ''}
        </span>
        <Button
          disabled={rows.length === 0}
          onClick={() => downloadFile('tugdeck-usage.csv', 'text/csv', usageCsv(rows))}
        >
          Export CSV
        </Button>
      </div>
      {rows.length === 0 ? (
        <p className="stats-note">No usage in this period</p>
      ) : (
        <>
          <DayBars rows={rows} days={days} />
          <SumTable label={LABELS[grouping]} sums={sums} />
        </>
      )}
    </>
  );
}

function DayBars({ rows, days }: { rows: readonly UsageRow[]; days: number }) {
  const byDay = new Map(sumBy(rows, ({ day }) => day).map((sum) => [sum.name, sum]));
  const last = [...byDay.keys()].sort().at(-1);
  if (last === undefined) return null;
  const isCosted = rows.some(({ costUsd }) => costUsd > 0);
  const all = daysUpTo(last, Math.min(days, 90)).map((day) => {
    const sum = byDay.get(day);
    return { day, value: (isCosted ? sum?.costUsd : sum?.tokens) ?? 0 };
  });
  const top = Math.max(...all.map(({ value }) => value), Number.MIN_VALUE);
  const format = isCosted ? cost : (value: number) => `${count(value)} tokens`;
  return (
    <figure className="bars" aria-label={`${isCosted ? 'Cost' : 'Tokens'} per day, highest ${format(top)}`}>
      <div className="bars-plot">
        {all.map(({ day, value }) => (
          <span key={day} className="bar" title={`${day}: ${format(value)}`}>
            <span style={{ height: `${(value / top) * 100}%` }} />
          </span>
        ))}
      </div>
      <figcaption>
        <span>{all[0]?.day}</span>
        <span>Highest day {format(top)}</span>
        <span>{last}</span>
      </figcaption>
    </figure>
  );
}

function SumTable({ label, sums }: { label: string; sums: ReturnType<typeof sumBy> }) {
  return (
    <table className="stats-table">
      <caption className="visually-hidden">Usage</caption>
      <thead>
        <tr>
          <th scope="col">{label}</th>
          {['Input', 'Output', 'Cached', 'Cost'].map((head) => (
            <th key={head} scope="col" className="number">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sums.map((sum) => (
          <tr key={sum.name}>
            <td>
              <span className="truncate">{visibleText(sum.name)}</span>
            </td>
            <td className="number">{count(sum.inputTokens)}</td>
            <td className="number">{count(sum.outputTokens)}</td>
            <td className="number">{count(sum.cachedTokens)}</td>
            <td className="number">{cost(sum.costUsd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
