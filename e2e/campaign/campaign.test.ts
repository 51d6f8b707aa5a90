import { expect, test } from 'vitest';
import { campaign } from './campaign.ts';

const IS_FULL = process.env.TUGDECK_TEST_FULL === '1';

test('H5 H6 M5 a campaign of faults loses nothing, doubles nothing and leaves no process', async () => {
  const size = IS_FULL ? { sessions: 4, faults: 100 } : { sessions: 2, faults: 6 };
  const { problems, orphans, delivered } = await campaign({ seed: 20_261_115, mayMount: false, ...size });
  expect(problems).toEqual([]);
  expect(orphans).toBe(0);
  expect(delivered).toBeGreaterThan(0);
}, 900_000);
