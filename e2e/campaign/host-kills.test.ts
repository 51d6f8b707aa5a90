import { closeBrowser } from '@tugdeck/testkit/browser';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { afterAll, expect, test } from 'vitest';
import { hostKills } from './host-kills.ts';
import type { KilledAgent } from './kill-scripts.ts';

afterAll(() => closeBrowser());

const SIZES: Readonly<Record<KilledAgent, number>> = isFullTier
  ? { claude: 12, codex: 10, 'codex-acp': 10 }
  : { claude: 2, codex: 1, 'codex-acp': 0 };
const AGENTS = (['claude', 'codex', 'codex-acp'] as const).filter((agent) => SIZES[agent] > 0);

// In parallel: each mostly waits for its agent to start.
test.concurrent.each(AGENTS)(
  'H12 after a kill of the %s host, the page shows what the model knows, and no process is left',
  async (agent) => {
    const { problems, orphans, recovered } = await hostKills({
      agent,
      seed: 20_261_116,
      kills: SIZES[agent],
      // Kills the watchdog too, so that the next host has to recover the agent's work.
      unwatched: isFullTier ? 0.5 : 1,
      // So few kills would recover nothing on a machine on which the agent is slow.
      finishes: !isFullTier,
      ...(isFullTier ? {} : { moments: ['text', 'subagent'] }),
    });
    expect(problems).toEqual([]);
    expect(orphans).toBe(0);
    expect(recovered).toBeGreaterThan(0);
  },
  900_000,
);

const MOMENTS = ['text', 'command', 'permission'] as const;

// The same code draws the result for both victims, so one moment of the agent is enough by default.
test.each([
  ['host', MOMENTS],
  ['agent', isFullTier ? MOMENTS : (['command'] as const)],
] as const)(
  'H12 after a kill of the %s a browser draws what the model knows',
  async (victim, moments) => {
    const { problems, orphans } = await hostKills({
      agent: 'claude',
      victim,
      inBrowser: true,
      isSteady: !isFullTier,
      ...(isFullTier ? {} : { unwatched: 0 }),
      seed: 20_261_117,
      kills: moments.length,
      moments,
    });
    expect(problems).toEqual([]);
    expect(orphans).toBe(0);
  },
  900_000,
);
