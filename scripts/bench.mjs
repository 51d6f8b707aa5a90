// `npm run bench [-- args]`: runs everything timed or very large against a fresh build. The program is in bench/.
import path from 'node:path';
import { DIST, ROOT } from './parts/repository.mjs';
import { runNode } from './parts/run.mjs';
import { isBuilt } from './parts/sources.mjs';
import { runTypeScript } from './run-ts.mjs';

if (!isBuilt(ROOT, DIST)) {
  const { code } = await runNode([path.join(ROOT, 'scripts/build.mjs')]);
  if (code !== 0) process.exit(code);
}
await runTypeScript(path.join(ROOT, 'bench/src/main.ts'), process.argv.slice(2));
