// `npm start`: from a fresh clone to a running deck with only Node and npm. Installs and builds what changed, then
// imports the program instead of spawning it, so that signals, exit code and terminal are its own and a second
// start costs one Node start. Node built-ins only; nothing heavy is loaded before that import.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { withLock } from './parts/exclusive.mjs';
import { install, isInstalled } from './parts/install.mjs';
import { DIST, ROOT, requireNode } from './parts/repository.mjs';
import { isBuilt } from './parts/sources.mjs';

requireNode();

const isReady = () => isInstalled(ROOT, { dev: false }) && isBuilt(ROOT, DIST);
if (!isReady()) {
  await withLock('start', async () => {
    if (!isInstalled(ROOT, { dev: false }) && !install(ROOT, { dev: false })) process.exit(1);
    if (isBuilt(ROOT, DIST)) return;
    // In a separate process, so that the bundler's memory does not stay in the server's.
    const { status } = spawnSync(process.execPath, [path.join(ROOT, 'scripts/build.mjs')], {
      stdio: ['ignore', 2, 2],
    });
    if (status !== 0) process.exit(status ?? 1);
  });
}

const program = path.join(DIST, 'tugdeck.mjs');
process.env.TUGDECK_CALLED_FROM = process.env.INIT_CWD ?? process.cwd();
process.argv[1] = program;
await import(pathToFileURL(program).href);
