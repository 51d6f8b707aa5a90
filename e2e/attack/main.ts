/**
 * `npm run attack`: runs every attack against the built product and prints its outcome, then each finding of the security
 * review (V1 to V19) with the attacks and tests that hold it.
 */
import { ATTACKS } from './attacks.ts';
import { FINDINGS, runTests } from './findings.ts';
import { World } from './world.ts';

const world = await World.open();
const outcomes = new Map<string, 'refused' | 'not refused' | 'skipped'>();
try {
  for (const { who, name, run, skipped } of ATTACKS) {
    const why = skipped?.();
    if (why !== undefined) {
      outcomes.set(name, 'skipped');
      console.log(`skipped  ${who} ${name}: ${why}`);
      continue;
    }
    const problems = await run(world);
    outcomes.set(name, problems.length === 0 ? 'refused' : 'not refused');
    console.log(`${problems.length === 0 ? 'refused' : 'NOT REFUSED'}  ${who} ${name}`);
    for (const problem of problems) console.log(`  ${problem}`);
  }
} finally {
  await world.close();
}
const count = (outcome: string) => [...outcomes.values()].filter((one) => one === outcome).length;
const [left, broken] = [count('skipped'), count('not refused')];
console.log(
  `\n${count('refused')} of ${ATTACKS.length - left} attacks refused${left > 0 ? `, ${left} skipped` : ''}.\n`,
);

const outcomeOf = await runTests();
let open = 0;
for (const { id, hole, attacks = [], tests = [] } of FINDINGS) {
  const own = [...outcomes].filter(([name]) => attacks.some((start) => name.startsWith(start)));
  const refused = own.filter(([, outcome]) => outcome === 'refused').length;
  const skipped = own.filter(([, outcome]) => outcome === 'skipped').length;
  const ran = tests.map(outcomeOf);
  const sum = (key: 'passed' | 'failed') => ran.reduce((all, one) => all + one[key], 0);
  const isHeld = refused + skipped === own.length && sum('failed') === 0 && refused + sum('passed') > 0;
  open += isHeld ? 0 : 1;
  const parts = [
    ...(own.length > 0 ? [`${refused} of ${own.length - skipped} attacks refused`] : []),
    ...(tests.length > 0 ? [`${sum('passed')} of ${sum('passed') + sum('failed')} tests passed`] : []),
  ];
  console.log(`${isHeld ? 'held' : 'OPEN'}  ${id} ${hole}: ${parts.join(', ')}`);
}
console.log(`\n${FINDINGS.length - open} of ${FINDINGS.length} findings held.`);
process.exit(broken > 0 || open > 0 ? 1 : 0);
