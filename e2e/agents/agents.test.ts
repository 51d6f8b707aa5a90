/** Every real agent against its scripted model. One core flow by default; all scenes and the matrix in full. */
import { OTHER_AGENTS, REAL_AGENTS, whyMissing } from '@tugdeck/testkit/agents';
import { closeBrowser } from '@tugdeck/testkit/browser';
import { afterAll, describe, test } from 'vitest';
import { driverScenes } from './driver-scenes.ts';
import { killScenes } from './kill-scenes.ts';
import { listedScenes } from './listed-scenes.ts';
import { writeMatrix } from './matrix.ts';
import { productScenes } from './product-scenes.ts';

const isFull = process.env.TUGDECK_TEST_FULL === '1';

// Claude Code has its own tests by default.
for (const agent of isFull ? REAL_AGENTS : OTHER_AGENTS) {
  const missing = whyMissing(agent);
  if (missing !== undefined) {
    test.skip(`A20 ${missing}`, () => undefined);
    continue;
  }
  describe(agent, () => {
    describe('in the product', () => productScenes(agent, isFull));
    if (!isFull) return;
    describe('killed', () => killScenes(agent));
    describe('made by another deck', () => listedScenes(agent));
    describe('behind the driver', () => driverScenes(agent));
  });
}

afterAll(async () => {
  await closeBrowser();
  if (isFull) writeMatrix();
});
