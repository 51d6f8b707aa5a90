/** `npm run fuzz [-- TARGET ...] [--inputs N] [--seed N]`: runs every parser on invalid input and stores the findings. */
import { fuzz } from './campaign.ts';
import { corpus, keep } from './corpus.ts';
import { TARGETS } from './targets.ts';

const args = process.argv.slice(2);
const number = (name: string, usual: number) => {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? usual : Number(args[at + 1]);
};
const inputs = number('inputs', 1_000_000);
const seed = number('seed', 1);
const wanted = args.filter((arg, at) => !arg.startsWith('--') && !args[at - 1]?.startsWith('--'));
const chosen = TARGETS.filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
);

let found = 0;
for (const target of chosen) {
  const began = performance.now();
  const known = corpus().filter((one) => one.target === target.name);
  const result = fuzz(target, { inputs, seed, known: known.map(({ lines }) => lines) });
  const seconds = (performance.now() - began) / 1000;
  found += result.findings.length;
  const rate = Math.round(result.inputs / seconds);
  console.log(
    `${target.name}: ${result.inputs} inputs in ${seconds.toFixed(1)} s (${rate}/s), slowest ${result.slowestMs.toFixed(0)} ms, ${result.findings.length} found`,
  );
  for (const finding of result.findings) {
    console.log(`  seed ${finding.seed}, kept as ${keep(finding)}: ${finding.what}`);
    for (const line of finding.lines.slice(0, 60)) console.log(`    ${line.slice(0, 300)}`);
  }
}
process.exit(found > 0 ? 1 : 0);
