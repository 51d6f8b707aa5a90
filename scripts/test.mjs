// `npm test [filter ...]`: everything, from a fresh clone, in one command that ends with the counts. A failed
// preparation step (install, browser, agents) ends the run; a failed test step does not, so that the counts are
// complete. `--full` runs more iterations and lists rules without a test.
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { checkPageModules } from './checks/page-modules.mjs';
import { ensureChromium } from './parts/chromium.mjs';
import { withLock } from './parts/exclusive.mjs';
import { install, isInstalled } from './parts/install.mjs';
import { CACHE, elapsed, ROOT, requireNode } from './parts/repository.mjs';
import { runNode } from './parts/run.mjs';
import { runProject } from './parts/vitest.mjs';

requireNode();
mkdirSync(CACHE, { recursive: true });
const started = performance.now();
const isFull = process.argv.includes('--full');
const filters = process.argv.slice(2).filter((arg) => arg !== '--full');
const total = { passed: 0, failed: 0, skipped: 0 };

/** @param {string} name @param {() => boolean | Promise<boolean>} work @returns {Promise<boolean>} */
async function step(name, work) {
  console.log(`\n== ${name}`);
  const since = performance.now();
  const worked = await work();
  console.log(`== ${name}: ${worked ? 'done' : 'FAILED'} in ${elapsed(since)}`);
  return worked;
}

/** @param {string} name @param {() => boolean | Promise<boolean>} work */
async function prepare(name, work) {
  if (await step(name, work)) return;
  total.failed += 1;
  finish();
}

/** @param {string} name @param {() => boolean | Promise<boolean>} work */
async function judge(name, work) {
  const worked = await step(name, work);
  if (!worked) total.failed += 1;
  return worked;
}

/** @param {string} project @param {NodeJS.ProcessEnv} env */
async function runTests(project, env) {
  await step(`tests: ${project}`, async () => {
    const counts = await runProject(project, { filters, env });
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
    return counts.failed === 0;
  });
}

/** @returns {never} */
function finish() {
  console.log(`\n${elapsed(started)}${isFull ? ', full' : ''}`);
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
  process.exit(total.failed === 0 ? 0 : 1);
}

/** Tests must see neither npm's variables nor the developer's own Tugdeck. */
function testEnvironment(/** @type {string | null} */ chromium) {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|TUGDECK_|INIT_CWD$|NODE_OPTIONS$)/i.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    ...(chromium ? { TUGDECK_CHROMIUM: chromium } : {}),
    ...(isFull ? { TUGDECK_TEST_FULL: '1' } : {}),
  };
}

await prepare('install', () =>
  withLock('start', () => isInstalled(ROOT, { dev: true }) || install(ROOT, { dev: true })),
);
/** @type {string | null} */
let chromium = null;
await prepare('browser', async () => {
  chromium = await ensureChromium();
  return chromium !== null;
});
const agents = 'testkit/install-agents.mjs';
if (existsSync(path.join(ROOT, agents))) {
  await prepare('agents', async () => (await runNode([agents])).code === 0);
}

await judge('check', async () => (await runNode(['scripts/check.mjs'])).code === 0);
const isBuilt = await judge('build', async () => (await runNode(['scripts/build.mjs'])).code === 0);
if (isBuilt) {
  await judge('page modules', () => {
    const { problems } = checkPageModules(ROOT);
    for (const problem of problems) console.log(problem);
    return problems.length === 0;
  });
}

const env = testEnvironment(chromium);
await runTests('unit', env);
// Without a build they would test the previous one; the failed build is already counted.
if (isBuilt) await runTests('e2e', env);
if (isFull && isBuilt) {
  await judge(
    'other Node versions',
    async () => (await runNode(['scripts/other-nodes.mjs'], { env })).code === 0,
  );
}
if (isFull) await step('rules without a test', async () => (await runNode(['scripts/rules.mjs'])).code === 0);
finish();
