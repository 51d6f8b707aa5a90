import { defineConfig } from 'vitest/config';
import { LongestFirst } from './testkit/src/longest-first.ts';

// Two projects. `unit`: packages and tools, in parallel, nothing shared. `e2e`: real browser (in packages
// `*.browser.test.ts`), real agents, real processes: three files at a time, each with its own browser, port and
// sandbox. They mostly wait for an agent or a page, so two cores are enough for three of them.

// The time in which a condition must become true. A loaded machine is slow, not wrong: the default of a second is too short.
const expectation = { poll: { timeout: 60_000 } };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/*/test/**/*.test.{ts,tsx}',
            'bench/test/**/*.test.ts',
            'scripts/test/**/*.test.mjs',
          ],
          exclude: ['**/node_modules/**', '**/*.browser.test.ts'],
          testTimeout: 120_000,
          expect: expectation,
          hookTimeout: 120_000,
          // The longest files wait for processes and timers and use half a core or less, so two cores are enough for four.
          maxWorkers: 4,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['packages/*/test/**/*.browser.test.ts', 'e2e/**/*.test.ts', 'testkit/test/**/*.test.ts'],
          // For tests that hang: a flow with a real agent takes ten seconds alone and a minute under load.
          testTimeout: 240_000,
          expect: expectation,
          hookTimeout: 240_000,
          maxWorkers: 3,
          // After the unit tests, if both are run at once.
          sequence: { groupOrder: 1 },
          pool: 'forks',
        },
      },
    ],
  },
});
