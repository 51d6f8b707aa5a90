// `npm run check`: everything that can be judged without running the product, in seconds. The mechanical
// checks are small modules in `checks/`, each with a test that plants a violation.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { checkAgentWords } from './checks/agent-words.mjs';
import { checkColours } from './checks/colours.mjs';
import { checkGuardedAnswers } from './checks/guarded-answers.mjs';
import { checkLayers } from './checks/layers.mjs';
import { checkLockfiles } from './checks/lockfiles.mjs';
import { checkNotice } from './checks/notice-file.mjs';
import { checkPageReads } from './checks/page-reads.mjs';
import { checkSdkDependencies } from './checks/sdk-dependencies.mjs';
import { checkSizes } from './checks/sizes.mjs';
import { isInstalled } from './parts/install.mjs';
import { elapsed, ROOT } from './parts/repository.mjs';
import { runNode } from './parts/run.mjs';

/** @type {Record<string, (root: string) => import('./checks/tree.mjs').Verdict | Promise<import('./checks/tree.mjs').Verdict>>} */
const MECHANICAL = {
  layers: checkLayers,
  sizes: checkSizes,
  'agent words': checkAgentWords,
  colours: checkColours,
  'agent SDKs': checkSdkDependencies,
  lockfiles: checkLockfiles,
  notice: checkNotice,
  'page reads': checkPageReads,
  'guarded answers': checkGuardedAnswers,
};

const TYPES = [
  'packages/protocol/tsconfig.json',
  'tsconfig.node.json',
  'tsconfig.web.json',
  'tsconfig.test.json',
  'tsconfig.scripts.json',
];
const AT_ONCE = 2;

if (!isInstalled(ROOT, { dev: true })) {
  console.error('The check needs the development tools: run `npm ci` (or `npm test`, which does it).');
  process.exit(1);
}

let failed = 0;

/** @param {string} name @param {number} since @param {string[]} problems @param {string} [looked] */
function tell(name, since, problems, looked = '') {
  console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${name}${looked}  ${elapsed(since)}`);
  for (const problem of problems) console.log(`     ${problem}`);
  if (problems.length > 0) failed += 1;
}

/** @param {string} name @param {string[]} args */
async function runTool(name, args) {
  const since = performance.now();
  const { code, output } = await runNode(args, { keep: true });
  tell(name, since, code === 0 ? [] : output.trimEnd().split('\n'));
}

for (const [name, check] of Object.entries(MECHANICAL)) {
  const since = performance.now();
  const { looked, problems } = await check(ROOT);
  tell(name, since, problems, ` (${looked} files)`);
}

const queue = [
  () =>
    runTool('format and lint', [
      'node_modules/@biomejs/biome/bin/biome',
      'check',
      '--error-on-warnings',
      '--max-diagnostics=50',
    ]),
  ...TYPES.filter((file) => existsSync(path.join(ROOT, file))).map(
    (file) => () => runTool(`types ${file}`, ['node_modules/typescript/bin/tsc', '-p', file]),
  ),
];
const workers = Array.from({ length: AT_ONCE }, async () => {
  for (let next = queue.shift(); next; next = queue.shift()) await next();
});
await Promise.all(workers);

console.log(failed === 0 ? 'Check passed.' : `Check failed: ${failed} of its parts.`);
process.exitCode = failed === 0 ? 0 : 1;
