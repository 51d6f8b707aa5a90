// `npm run record [-- NAME…]`: records the pinned agent with the test kit into the driver's fixtures (A13).
import path from 'node:path';
import { ROOT } from './parts/repository.mjs';
import { runTypeScript } from './run-ts.mjs';

await runTypeScript(path.join(ROOT, 'testkit/src/record/main.ts'), process.argv.slice(2));
