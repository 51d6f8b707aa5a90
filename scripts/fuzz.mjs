// `npm run fuzz [-- TARGET ...] [--inputs N] [--seed N]`: runs all our parsers on invalid input. The program is in
// e2e/fuzz.
import path from 'node:path';
import { ROOT } from './parts/repository.mjs';
import { runTypeScript } from './run-ts.mjs';

await runTypeScript(path.join(ROOT, 'e2e/fuzz/main.ts'), process.argv.slice(2));
