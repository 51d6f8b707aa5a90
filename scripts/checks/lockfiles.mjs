// No lockfile of ours names a download address: a clone must install from whatever registry its user has.
import { listFiles, readText, verdict } from './tree.mjs';

/** @param {string} root @returns {import('./tree.mjs').Verdict} */
export function checkLockfiles(root) {
  const files = listFiles(root, ['.'], /(^|\/)package-lock\.json$/);
  const problems = files
    .filter((file) => /"resolved":\s*"(https?|git|ssh)/.test(readText(root, file)))
    .map((file) => `${file} names a download address (see omit-lockfile-registry-resolved in .npmrc)`);
  return verdict(files.length, problems);
}
