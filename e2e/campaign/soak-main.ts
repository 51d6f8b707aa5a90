/** `npm run faults -- --hours N [--sessions N] [--real N] [--pause SECONDS] [--seed N]`: a soak without faults, half of it with the real agent. */
import { writeReport } from './report.ts';
import { soak } from './soak.ts';
import type { SoakCall } from './soak-options.ts';

export async function runSoak(options: SoakCall): Promise<boolean> {
  const { sessions, hours, real, seed, pauseMs } = options;
  const [least, most] = pauseMs.map((ms) => ms / 1000);
  const outcome = await soak({
    ...options,
    log: (words) => console.log(words),
  });
  const { prompts, longestMs, restarted, problems, orphans, samples } = outcome;
  const isLong = hours >= 1;
  const file = writeReport({
    name: isLong ? 'soak' : 'soak-short',
    title: `A soak without faults: ${sessions} sessions for ${Math.round(hours * 60)} minutes`,
    command: `npm run faults -- --hours ${hours} --sessions ${sessions} --real ${real} --pause ${least} --seed ${seed}`,
    rows: [
      ['sessions', `${sessions} (${real} of the real agent, the others of the demo agent)`],
      ['prompts', prompts],
      ['pause between two prompts of a session', `${least} to ${most} s`],
      ['longest time from a prompt to the end of its turn', `${Math.round(longestMs / 1000)} s`],
      ['sessions whose host or agent was started again', restarted.length],
      ['violated invariants', problems.length],
      ['processes left over', orphans],
      ['memory of all processes at the end, shared pages once', `${samples.at(-1)?.total ?? 0} MB`],
    ],
    problems: [...problems, ...restarted.map((who) => `started again: ${who}`)],
    notes: [],
    samples,
    figures: { seed, hours },
  });
  console.log(file);
  return problems.length + orphans === 0 && restarted.length <= sessions / 100;
}
