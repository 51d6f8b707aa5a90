/** `npm run attack`: runs every attack against the built product and prints its outcome. */
import { ATTACKS } from './attacks.ts';
import { World } from './world.ts';

const world = await World.open();
let broken = 0;
let left = 0;
try {
  for (const { who, name, run, skipped } of ATTACKS) {
    const why = skipped?.();
    if (why !== undefined) {
      left += 1;
      console.log(`skipped  ${who} ${name}: ${why}`);
      continue;
    }
    const problems = await run(world);
    broken += problems.length > 0 ? 1 : 0;
    console.log(`${problems.length === 0 ? 'refused' : 'NOT REFUSED'}  ${who} ${name}`);
    for (const problem of problems) console.log(`  ${problem}`);
  }
} finally {
  await world.close();
}
console.log(
  `\n${ATTACKS.length - broken - left} of ${ATTACKS.length - left} attacks refused${left > 0 ? `, ${left} skipped` : ''}.`,
);
process.exit(broken > 0 ? 1 : 0);
