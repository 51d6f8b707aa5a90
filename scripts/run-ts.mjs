// `node scripts/run-ts.mjs FILE.ts [args]`: runs a TypeScript program of this repository (Node 20 cannot strip
// types). Our own code is bundled, packages stay external. The bundle is inside the clone, so that packages are
// found, and is removed with the process.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleForNode } from './parts/bundle.mjs';
import { CACHE, ROOT } from './parts/repository.mjs';

/** Keeps `import.meta.url` of a bundled file at its original path. */
const ownPlace = {
  name: 'tugdeck-ownership',
  transform(/** @type {string} */ code, /** @type {string} */ id) {
    if (!code.includes('import.meta.')) return null;
    return code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(id)))
      .replaceAll('import.meta.filename', JSON.stringify(id));
  },
};

/** @param {string} id */
const isPackage = (id) => !/^(\.|\/|@tugdeck\/|[a-z]:\\)/i.test(id);

/** @param {string} entry @param {string[]} args */
export async function runTypeScript(entry, args) {
  const file = path.resolve(entry);
  const { code } = await bundleForNode(file, { root: ROOT, external: isPackage, plugins: [ownPlace] });
  mkdirSync(path.join(CACHE, 'run'), { recursive: true });
  const folder = mkdtempSync(path.join(CACHE, 'run', `${path.basename(file, '.ts')}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const program = path.join(folder, 'program.mjs');
  writeFileSync(program, code);
  process.argv.splice(1, Number.POSITIVE_INFINITY, program, ...args);
  await import(pathToFileURL(program).href);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [entry, ...args] = process.argv.slice(2);
  if (!entry) {
    console.error('usage: node scripts/run-ts.mjs FILE.ts [args]');
    process.exit(2);
  }
  await runTypeScript(entry, args);
}
