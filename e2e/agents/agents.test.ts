/** Every real ACP agent against its scripted model. One core flow by default; all scenes and the matrix in full. */
import { ACP_AGENTS, whyMissing } from '@tugdeck/testkit/agents';
import { afterAll, describe, test } from 'vitest';
import { writeMatrix } from './matrix.ts';
import { scenes } from './scenes.ts';

const isFull = process.env.TUGDECK_TEST_FULL === '1';

for (const agent of ACP_AGENTS) {
  const missing = whyMissing(agent);
  if (missing !== undefined) {
    test.skip(`A20 ${missing}`, () => undefined);
    continue;
  }
  describe(agent, () => scenes(agent, isFull));
}

afterAll(() => {
  if (isFull) writeMatrix();
});
