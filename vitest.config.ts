import { defineConfig } from 'vitest/config';

// Two kinds of tests. `unit`: packages and tools, in parallel, nothing shared. `e2e`: real browser (in packages
// `*.browser.test.ts`), real agents, real processes: three files at a time, each with a browser, a port and a
// sandbox of its own. They wait on facts, often for an agent or a page that itself waits, so two cores serve three of them.

// How long a fact may take to come true. A loaded machine is slow, not wrong: the default of a second judges the machine.
const expectation = { poll: { timeout: 30_000 } };

export default defineConfig({
  test: {
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
          // The default leaves a core free, which halves the speed of a machine with two.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['packages/*/test/**/*.browser.test.ts', 'e2e/**/*.test.ts', 'testkit/test/**/*.test.ts'],
          // For what hangs: a flow of a real agent that takes ten seconds alone takes a minute beside other work.
          testTimeout: 240_000,
          expect: expectation,
          hookTimeout: 240_000,
          maxWorkers: 3,
          pool: 'forks',
        },
      },
    ],
  },
});
