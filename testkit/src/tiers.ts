/** Selects the tests: the default tier, or all of them with every iteration (`npm run test:full`). */
export const isFullTier = process.env.TUGDECK_TEST_FULL === '1';
