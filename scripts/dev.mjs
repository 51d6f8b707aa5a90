// `npm run dev [-- args]`: builds and runs, and repeats both when a source changes. The page is rebuilt too;
// reload it. If a build fails, the old program keeps running.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { DIST, ROOT } from './parts/repository.mjs';
import { runNode } from './parts/run.mjs';
import { fingerprintSources } from './parts/sources.mjs';

// Polls times and sizes, because Node 20 on Linux stops watching a file that an editor replaced.
const POLL_MS = 400;
const args = process.argv.slice(2);
/** @type {import('node:child_process').ChildProcess | null} */
let program = null;
let isBusy = false;
let built = '';

async function stop() {
  if (!program || program.exitCode !== null || program.signalCode !== null) return;
  program.kill('SIGTERM');
  await once(program, 'exit');
}

async function rebuild() {
  if (isBusy) return;
  isBusy = true;
  for (let now = fingerprintSources(ROOT); now !== built; now = fingerprintSources(ROOT)) {
    const isFirst = built === '';
    built = now;
    const { code } = await runNode(['scripts/build.mjs']);
    if (code !== 0) continue;
    await stop();
    const options = isFirst ? args : ['--no-open', ...args];
    const env = { ...process.env, TUGDECK_CALLED_FROM: process.env.INIT_CWD ?? process.cwd() };
    program = spawn(process.execPath, ['--single-threaded-gc', path.join(DIST, 'tugdeck.mjs'), ...options], {
      stdio: 'inherit',
      env,
    });
  }
  isBusy = false;
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, async () => {
    await stop();
    process.exit(0);
  });
}
await rebuild();
setInterval(rebuild, POLL_MS);
