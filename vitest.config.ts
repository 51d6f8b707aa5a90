import { defineConfig } from 'vitest/config';

// Unit and contract tests live beside their package, browser tests in e2e/.
// One file at a time per core: the machines have two.
export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'testkit/test/**/*.test.ts', 'scripts/test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
