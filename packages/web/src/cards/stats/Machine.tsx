import type { ProcessPurpose, Sample } from '@tugdeck/protocol/stats/stats-messages';
import { useClient } from '../../kit/client-context.tsx';
import { bytes, duration } from '../../kit/format.ts';
import { titleOf } from '../../kit/projects.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Plot } from './Plot.tsx';
import { processTree, seriesOf } from './series.ts';

const ONE: Readonly<Record<Exclude<ProcessPurpose, 'other'>, string>> = {
  server: 'Server',
  reader: 'Reader',
  host: 'Session host',
  agent: 'Agent',
  terminals: 'Terminal host',
};

const percent = (share: number) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)}%`;

export function Machine({ samples }: { samples: readonly Sample[] }) {
  const last = samples.at(-1);
  if (!last) return <p className="stats-note">Collecting data…</p>;
  const loop = [{ name: 'p99', values: samples.map(({ loopMs }) => loopMs) }];
  return (
    <>
      <div className="plots">
        <Plot label="CPU" series={seriesOf(samples, ({ cpu }) => cpu)} format={percent} minTop={0.25} />
        <Plot
          label="Memory"
          series={seriesOf(samples, ({ rss }) => rss)}
          format={bytes}
          minTop={256 * 1024 * 1024}
        />
        <Plot label="Server event loop" series={loop} format={duration} minTop={20} />
      </div>
      <Processes sample={last} />
    </>
  );
}

function Processes({ sample }: { sample: Sample }) {
  const deck = useReadable(useClient().deck);
  const title = (session: string | undefined) => {
    const row = deck?.sessions.find(({ id }) => id === session);
    return row ? titleOf(row) : '';
  };
  return (
    <table className="stats-table stats-processes">
      <caption className="visually-hidden">Processes</caption>
      <thead>
        <tr>
          <th scope="col">Process</th>
          <th scope="col">Session</th>
          <th scope="col" className="number">
            CPU
          </th>
          <th scope="col" className="number">
            Memory
          </th>
          <th scope="col" className="number">
            PID
          </th>
        </tr>
      </thead>
      <tbody>
        {processTree(sample).map(({ process, depth }) => (
          <tr key={process.pid}>
            <td>
              <span className="truncate" style={{ paddingInlineStart: `${Math.min(depth, 8) * 14}px` }}>
                {process.purpose === 'other' ? visibleText(process.name) : ONE[process.purpose]}
              </span>
            </td>
            <td>
              <span className="truncate">{visibleText(title(process.session))}</span>
            </td>
            <td className="number">{percent(process.cpu)}</td>
            <td className="number">{bytes(process.rss)}</td>
            <td className="number">{process.pid}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
