import { afterAll, beforeAll, expect, test } from 'vitest';
import { ATTACKS } from './attacks.ts';
import { FINDINGS, hasTest } from './findings.ts';
import { World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world?.close());

test.for(ATTACKS)('X1 a $who $name: refused', async ({ run, skipped }, { skip }) => {
  const why = skipped?.();
  if (why !== undefined) skip(why);
  expect(await run(world)).toEqual([]);
});

test('X1 every finding of the review has an attack or a test with the listed name', () => {
  expect(FINDINGS.map(({ id }) => id)).toEqual(Array.from({ length: 19 }, (_, at) => `V${at + 1}`));
  for (const { attacks = [], tests = [] } of FINDINGS) {
    expect(attacks.length + tests.length).toBeGreaterThan(0);
    expect(attacks.filter((start) => !ATTACKS.some(({ name }) => name.startsWith(start)))).toEqual([]);
    expect(tests.filter((held) => !hasTest(held))).toEqual([]);
  }
});
