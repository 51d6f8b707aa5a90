/** `npm run faults [-- --faults N] [--sessions N] [--seed N]`. */
import { campaign } from './campaign.ts';

const number = (name: string, usual: number) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? usual : Number(process.argv[at + 1]);
};
const seed = number('seed', Date.now() % 1_000_000);
console.log(`seed ${seed}`);
const outcome = await campaign({
  seed,
  sessions: number('sessions', 8),
  faults: number('faults', 500),
  tell: (words) => console.log(words),
});
console.log(JSON.stringify(outcome, null, 2));
process.exit(outcome.problems.length + outcome.orphans > 0 ? 1 : 0);
