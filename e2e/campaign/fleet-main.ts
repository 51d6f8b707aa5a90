/** Runs a fleet campaign from the command line, prints its progress and writes its report. */
import { type FleetCampaign, fleetCampaign } from './fleet-faults.ts';
import { writeReport } from './report.ts';

const WHOLE = 2_000;

export async function runFleetCampaign(options: Omit<FleetCampaign, 'log'>): Promise<boolean> {
  const { seed, faults, machines, sessions } = options;
  const began = performance.now();
  const minutes = () => (performance.now() - began) / 60_000;
  const outcome = await fleetCampaign({
    ...options,
    log: (text) => console.log(`${minutes().toFixed(1)} min: ${text}`),
  });
  const { problems, lines, comparisons, longestLine, catchUps } = outcome;
  const total = Object.values(outcome.faults).reduce((sum, count) => sum + count, 0);
  const sorted = catchUps.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  const file = writeReport({
    name: `faults-fleet${faults >= WHOLE ? '' : '-short'}`,
    title: `A campaign of ${total} faults over a fleet of ${machines} machines with ${machines * sessions} sessions`,
    command: `npm run faults -- --engine --seed ${seed} --faults ${faults} --machines ${machines} --sessions ${sessions}`,
    rows: [
      ...Object.entries(outcome.faults).sort(([, a], [, b]) => b - a),
      ['lines written to journals', lines],
      ['copies compared with their journal, byte for byte', comparisons],
      ['all copies equal after the journals rested, p50 and p95 in ms', `${at(0.5)}, ${at(0.95)}`],
      ['longest time that a line took to be journaled, in ms', longestLine],
      ['minutes', minutes().toFixed(1)],
      ['violated invariants', problems.length],
    ],
    problems,
    notes: [
      'Machines and session hosts are programs that do only what concerns copies: they write journals, copy them and serve links. The server is a real nats-server.',
    ],
    samples: [],
    figures: { seed },
  });
  for (const problem of problems) console.log(`VIOLATED ${problem}`);
  console.log(`${total} faults in ${minutes().toFixed(1)} min: ${file}`);
  return problems.length === 0;
}
