import { afterAll, beforeAll, expect, test } from 'vitest';
import { ATTACKS } from './attacks.ts';
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
