import { isFullTier } from '@tugdeck/testkit/tiers';
import { expect, test } from 'vitest';
import { hostKills } from './host-kills.ts';
import type { KilledAgent } from './kill-scripts.ts';

const SIZES: Readonly<Record<KilledAgent, number>> = isFullTier
  ? { claude: 12, codex: 10 }
  : { claude: 2, codex: 1 };

// Beside each other: each mostly waits for its agent to start.
test.concurrent.each(['claude', 'codex'] as const)(
  'H12 after the host of %s was killed, the model was told what is shown, and nothing runs on',
  async (agent) => {
    const { problems, orphans, recovered } = await hostKills({
      agent,
      seed: 20_261_116,
      kills: SIZES[agent],
      // A watchdog ends the agent before it does much: here it is the next host that finds out.
      unwatched: isFullTier ? 0.5 : 1,
      ...(isFullTier ? {} : { moments: ['text', 'subagent'] }),
    });
    expect(problems).toEqual([]);
    expect(orphans).toBe(0);
    expect(recovered).toBeGreaterThan(0);
  },
  900_000,
);
