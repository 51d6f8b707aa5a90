// The fingerprint of all build inputs, from names, sizes and times only: a second start must not read megabytes to
// find that nothing changed. Must stay free of dependencies.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const STAMP = '.stamp.json';
const LOOSE = [
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'scripts/build.mjs',
  'scripts/parts',
];
/** Folders of a package that no build reads. */
const UNREAD = new Set(['node_modules', 'test', 'fixtures', 'dist']);

/** @param {string} root @returns {string} */
export function fingerprintSources(root) {
  const hash = createHash('sha256');
  /** @param {string} name */
  const add = (name) => {
    const full = path.join(root, name);
    const stat = statSync(full, { throwIfNoEntry: false });
    if (!stat) return;
    if (!stat.isDirectory()) {
      hash.update(`${name}\0${stat.size}\0${stat.mtimeMs}\n`);
      return;
    }
    for (const child of readdirSync(full).sort()) {
      if (!UNREAD.has(child) && !child.startsWith('.')) add(`${name}/${child}`);
    }
  };
  for (const name of ['packages', ...LOOSE]) add(name);
  return hash.digest('hex');
}

/** @param {string} root @param {string} dist @returns {boolean} */
export function isBuilt(root, dist) {
  const file = path.join(dist, STAMP);
  if (!existsSync(file) || !existsSync(path.join(dist, 'tugdeck.mjs'))) return false;
  return JSON.parse(readFileSync(file, 'utf8')).sources === fingerprintSources(root);
}

/** Call with the fingerprint taken *before* the build, so that an edit during the build is not missed. */
export function stampBuild(/** @type {string} */ dist, /** @type {string} */ sources) {
  writeFileSync(path.join(dist, STAMP), JSON.stringify({ sources }));
}
