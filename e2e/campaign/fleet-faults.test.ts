import { whyNoNatsServer } from '@tugdeck/testkit/nats-server';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { expect, test } from 'vitest';
import { fleetCampaign } from './fleet-faults.ts';

test.skipIf(whyNoNatsServer() !== undefined)(
  'N30 N32 a campaign of faults in a fleet leaves every copy equal to its journal',
  async () => {
    const size = isFullTier
      ? { faults: 120, machines: 3, sessions: 3 }
      : { faults: 5, machines: 1, sessions: 1 };
    const { problems, lines, comparisons } = await fleetCampaign({ seed: 20_261_119, ...size });
    expect(problems).toEqual([]);
    expect(lines).toBeGreaterThan(0);
    expect(comparisons).toBeGreaterThan(0);
  },
  600_000,
);
