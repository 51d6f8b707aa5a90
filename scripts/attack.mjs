// `npm run attack`: runs attacks against a fresh build of the product. The program is in e2e/attack.
import path from 'node:path';
import { DIST, ROOT } from './parts/repository.mjs';
import { runNode } from './parts/run.mjs';
import { isBuilt } from './parts/sources.mjs';
import { runTypeScript } from './run-ts.mjs';

if (!isBuilt(ROOT, DIST)) {
  const { code } = await runNode([path.join(ROOT, 'scripts/build.mjs')]);
  if (code !== 0) process.exit(code);
}
await runTypeScript(path.join(ROOT, 'e2e/attack/main.ts'), process.argv.slice(2));
