// `node scripts/other-nodes.mjs [MAJOR ...]`, part of `npm run test:full`: starts and stops the built product and runs the
// unit tests on the newest releases of other Node versions. npm carries their binaries, so nothing else is downloaded from.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CACHE, DIST, elapsed, ROOT } from './parts/repository.mjs';
import { run } from './parts/run.mjs';

/** The newest releases when the tests were last run on them. */
const VERSIONS = ['22.23.3', '24.21.0', '26.10.0'];
const READY_MS = 60_000;

/** @param {string} version @returns {Promise<string>} the path of its `node` */
async function installed(version) {
  const folder = path.join(CACHE, 'nodes', version);
  const name = `node-${process.platform}-${process.arch}`;
  const node = path.join(folder, 'node_modules', name, 'bin', 'node');
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  const options = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
  const { code, output } = await run('npm', ['install', ...options, `${name}@${version}`], { keep: true });
  if (code !== 0 || !existsSync(node))
    throw new Error(`npm could not install ${name}@${version}:\n${output}`);
  return node;
}

/** Starts the product in an empty HOME, waits for its address and ends everything. @param {string} node */
async function startsAndStops(node) {
  const home = mkdtempSync(path.join(tmpdir(), 'tugdeck-node-'));
  const env = { PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}`, HOME: home };
  const program = path.join(DIST, 'tugdeck.mjs');
  try {
    await new Promise((resolve, reject) => {
      const child = spawn(node, [program, '--no-open', home], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      const timer = setTimeout(() => reject(new Error(`not ready after a minute:\n${output}`)), READY_MS);
      const read = (/** @type {Buffer} */ chunk) => {
        output += chunk;
        if (!output.includes('Tugdeck is ready: http')) return;
        clearTimeout(timer);
        resolve(undefined);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', (code) => reject(new Error(`exit ${code}:\n${output}`)));
    });
  } finally {
    const { code, output } = await run(node, [program, 'stop', '--all'], { keep: true, env });
    if (code !== 0) console.log(output);
    rmSync(home, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
let failed = 0;
for (const version of VERSIONS) {
  if (wanted.length > 0 && !wanted.includes(version.split('.')[0] ?? '')) continue;
  const since = performance.now();
  try {
    const node = await installed(version);
    await startsAndStops(node);
    console.log(`Node ${version}: started and stopped`);
    const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` };
    const vitest = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
    const { code } = await run(node, [vitest, 'run', '--project', 'unit', '--reporter=dot'], { env });
    if (code !== 0) failed += 1;
    console.log(`Node ${version}: unit tests ${code === 0 ? 'passed' : 'FAILED'} in ${elapsed(since)}`);
  } catch (error) {
    failed += 1;
    console.log(`Node ${version}: FAILED: ${/** @type {Error} */ (error).message}`);
  }
}
process.exit(failed === 0 ? 0 : 1);
