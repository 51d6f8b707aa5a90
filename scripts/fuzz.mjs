// `npm run fuzz [-- TARGET ...] [--inputs N] [--seed N]`: every parser of ours against wrong input. The program is
// TypeScript in e2e/fuzz; this only runs it.
import path from 'node:path';
import { ROOT } from './parts/repository.mjs';
import { runTypeScript } from './run-ts.mjs';

await runTypeScript(path.join(ROOT, 'e2e/fuzz/main.ts'), process.argv.slice(2));
