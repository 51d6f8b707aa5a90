/** Runs a campaign from the command line, prints its progress and writes its report. */
import { type CampaignOptions, campaign } from './campaign.ts';
import { writeReport } from './report.ts';

/** A smaller campaign is a trial; its report doesn't replace the full one. */
const WHOLE = 2_000;

export async function runCampaign(options: Omit<CampaignOptions, 'log'>): Promise<boolean> {
  const { seed, sessions, faults, machines = 1 } = options;
  const many = machines > 1;
  const began = performance.now();
  const minutes = () => (performance.now() - began) / 60_000;
  const outcome = await campaign({
    ...options,
    log: (words) => console.log(`${minutes().toFixed(1)} min: ${words}`),
  });
  const { problems, orphans, samples, refused, skipped } = outcome;
  const killed = Object.values(outcome.faults).reduce((sum, count) => sum + count, 0);
  const file = writeReport({
    name: `faults${many ? '-machines' : ''}${faults >= WHOLE ? '' : '-short'}`,
    title: `A campaign of ${killed} faults over ${sessions} sessions${many ? ` on ${machines} machines` : ''}`,
    command: `npm run faults -- --seed ${seed} --faults ${faults} --sessions ${sessions}${many ? ` --machines ${machines}` : ''}`,
    rows: [
      ...Object.entries(outcome.faults).sort(([, a], [, b]) => b - a),
      ['prompts accepted', outcome.delivered],
      ['of them with corrupted output of the agent', outcome.prompts.garbage ?? 0],
      ['of them with a failing model', outcome.prompts.trouble ?? 0],
      ['answers by two pages at once', `${outcome.answers.given} given, ${outcome.answers.taken} taken`],
      ['terminals opened, words echoed', `${outcome.terminals.opened}, ${outcome.terminals.echoes}`],
      ['prompts refused with a reason', refused.length],
      ['minutes', minutes().toFixed(1)],
      ['violated invariants', problems.length],
      ['processes left over', orphans],
    ],
    problems,
    notes: skipped.map((words) => `Left out: ${words}.`),
    samples,
    figures: { seed, sessions, refused: refused.slice(0, 50) },
  });
  for (const problem of problems) console.log(`VIOLATED ${problem.slice(0, 2_000)}`);
  for (const words of refused.slice(0, 20)) console.log(`refused ${words}`);
  console.log(JSON.stringify({ ...outcome, samples: samples.length, refused: refused.length }, null, 2));
  console.log(`${killed} faults in ${minutes().toFixed(1)} min: ${file}`);
  return problems.length + orphans === 0;
}
