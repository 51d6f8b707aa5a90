/**
 * `npm run faults [-- --faults N] [--sessions N] [--seed N] [--machines N]`, `-- --hours N` for a soak without faults, or
 * `-- --host-kills N [--minutes N]` for kills of session hosts with real agents; `--victim agent` kills the agents instead,
 * `--agents codex,claude` chooses which. `-- --engine` injects faults into a fleet and its NATS server instead.
 */
import { runCampaign } from './campaign-main.ts';
import { runFleetCampaign } from './fleet-main.ts';
import { runHostKills } from './host-kills-main.ts';
import { killsCall } from './kills-options.ts';
import { runSoak } from './soak-main.ts';
import { soakCall } from './soak-options.ts';

const number = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
};
const word = (name: string) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const seed = number('seed', Date.now() % 1_000_000);
console.log(`seed ${seed}`);
const hours = number('hours', 0);
const kills = number('host-kills', 0);
const isGood = process.argv.includes('--engine')
  ? await runFleetCampaign({
      ...{ seed, faults: number('faults', 200) },
      ...{ machines: number('machines', 3), sessions: number('sessions', 4) },
    })
  : kills > 0
    ? await runHostKills(
        killsCall(word, { seed, kills, minutes: number('minutes', Number.POSITIVE_INFINITY) }),
      )
    : hours > 0
      ? await runSoak(soakCall(number, { seed, hours }))
      : await runCampaign({
          ...{ seed, sessions: number('sessions', 8), faults: number('faults', 700) },
          machines: number('machines', 1),
        });
process.exit(isGood ? 0 : 1);
