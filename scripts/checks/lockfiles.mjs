// Finds lockfiles that work only on our machines. Download URLs tie a clone to our registry. A missing optional
// package (npm omits those that its registry did not have) makes `npm ci` fail on a fresh clone, or install
// without the binary of another platform.
import path from 'node:path';
import { listFiles, readText, verdict } from './tree.mjs';

/** @typedef {Record<string, {optionalDependencies?: Record<string, string>}>} Locked */

/** @param {string} root @returns {import('./tree.mjs').Verdict} */
export function checkLockfiles(root) {
  const files = listFiles(root, ['.'], /(^|\/)package-lock\.json$/).filter(
    (file) => !file.includes('/fixtures/'),
  );
  /** @type {string[]} */
  const problems = [];
  for (const file of files) {
    const text = readText(root, file);
    if (/"resolved":\s*"(https?|git|ssh)/.test(text)) {
      problems.push(`${file} contains a download URL (see omit-lockfile-registry-resolved in .npmrc)`);
    }
    const missing = missingOptional(JSON.parse(text).packages ?? {});
    if (missing.length > 0) problems.push(`${file}: npm ci will fail, not locked: ${missing.join(' ')}`);
  }
  return verdict(files.length, problems);
}

/** @param {Locked} locked */
function missingOptional(locked) {
  /** @type {Set<string>} */
  const missing = new Set();
  for (const [where, { optionalDependencies = {} }] of Object.entries(locked)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (!isLocked(locked, where, name)) missing.add(`${name}@${version}`);
    }
  }
  return [...missing].sort();
}

/** Node's own resolution: from the package's folder upwards. */
function isLocked(/** @type {Locked} */ locked, /** @type {string} */ from, /** @type {string} */ name) {
  for (let folder = from; folder !== '' && folder !== '.'; folder = path.posix.dirname(folder)) {
    if (locked[`${folder}/node_modules/${name}`]) return true;
  }
  return locked[`node_modules/${name}`] !== undefined;
}
