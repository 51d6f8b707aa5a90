/** Every real ACP agent against its scripted model. One core flow by default; all scenes and the matrix in full. */
import { ACP_AGENTS, whyMissing } from '@tugdeck/testkit/agents';
import { afterAll, describe, test } from 'vitest';
import { browserScenes } from './browser-scenes.ts';
import { writeMatrix } from './matrix.ts';
import { scenes } from './scenes.ts';

const isFull = process.env.TUGDECK_TEST_FULL === '1';

for (const agent of ACP_AGENTS) {
  const missing = whyMissing(agent);
  if (missing !== undefined) {
    test.skip(`A20 ${missing}`, () => undefined);
    continue;
  }
  describe(agent, () => {
    describe('behind the driver', () => scenes(agent, isFull));
    if (isFull) describe('in the product', () => browserScenes(agent));
  });
}

afterAll(() => {
  if (isFull) writeMatrix();
});
