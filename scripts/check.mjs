// `npm run check`: static checks, in seconds. The custom checks are small modules in `checks/`, each with a test
// that plants a violation.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { checkAgentNames } from './checks/agent-names.mjs';
import { checkClassNames } from './checks/class-names.mjs';
import { checkColors } from './checks/colors.mjs';
import { checkCycles } from './checks/cycles.mjs';
import { checkDocs } from './checks/docs.mjs';
import { checkGuardedAnswers } from './checks/guarded-answers.mjs';
import { checkLayers } from './checks/layers.mjs';
import { checkLiteralLengths } from './checks/literal-lengths.mjs';
import { checkLockfiles } from './checks/lockfiles.mjs';
import { checkNotice } from './checks/notice-file.mjs';
import { checkPageReads } from './checks/page-reads.mjs';
import { checkSdkDependencies } from './checks/sdk-dependencies.mjs';
import { checkSizes } from './checks/sizes.mjs';
import { checkVocabulary } from './checks/vocabulary.mjs';
import { isInstalled } from './parts/install.mjs';
import { elapsed, ROOT } from './parts/repository.mjs';
import { runNode } from './parts/run.mjs';

/** @type {Record<string, (root: string) => import('./checks/tree.mjs').Verdict | Promise<import('./checks/tree.mjs').Verdict>>} */
const CUSTOM = {
  layers: checkLayers,
  cycles: checkCycles,
  sizes: checkSizes,
  'agent names': checkAgentNames,
  colors: checkColors,
  'class names': checkClassNames,
  'literal lengths': checkLiteralLengths,
  'agent SDKs': checkSdkDependencies,
  lockfiles: checkLockfiles,
  notice: checkNotice,
  'page reads': checkPageReads,
  'guarded answers': checkGuardedAnswers,
  vocabulary: checkVocabulary,
  docs: checkDocs,
};

const TYPES = [
  'packages/protocol/tsconfig.json',
  'tsconfig.node.json',
  'tsconfig.web.json',
  'tsconfig.test.json',
  'tsconfig.scripts.json',
];
const CONCURRENCY = 2;

if (!isInstalled(ROOT, { dev: true })) {
  console.error(
    'The development tools are not installed. Run `npm install` (or `npm test`, which installs them).',
  );
  process.exit(1);
}

let failed = 0;

/** @param {string} name @param {number} since @param {string[]} problems @param {string} [checked] */
function report(name, since, problems, checked = '') {
  console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${name}${checked}  ${elapsed(since)}`);
  for (const problem of problems) console.log(`     ${problem}`);
  if (problems.length > 0) failed += 1;
}

/** @param {string} name @param {string[]} args */
async function runTool(name, args) {
  const since = performance.now();
  const { code, output } = await runNode(args, { keep: true });
  report(name, since, code === 0 ? [] : output.trimEnd().split('\n'));
}

for (const [name, check] of Object.entries(CUSTOM)) {
  const since = performance.now();
  const { checked, problems } = await check(ROOT);
  report(name, since, problems, ` (${checked} files)`);
}

const queue = [
  () =>
    runTool('format and lint', [
      'node_modules/@biomejs/biome/bin/biome',
      'check',
      '--error-on-warnings',
      '--max-diagnostics=50',
    ]),
  () => runTool('unused files, exports and dependencies', ['node_modules/knip/bin/knip.js', '--no-progress']),
  ...TYPES.filter((file) => existsSync(path.join(ROOT, file))).map(
    (file) => () => runTool(`types ${file}`, ['node_modules/typescript/bin/tsc', '-p', file]),
  ),
];
const workers = Array.from({ length: CONCURRENCY }, async () => {
  for (let next = queue.shift(); next; next = queue.shift()) await next();
});
await Promise.all(workers);

console.log(failed === 0 ? 'Check passed.' : `Check failed: ${failed} parts.`);
process.exitCode = failed === 0 ? 0 : 1;
