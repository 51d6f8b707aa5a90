// What every mechanical check shares: walking a tree, and a verdict that is red when nothing was looked at
// (a check that reads no file always passes, and nobody notices).
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SKIPPED = new Set(['node_modules', 'dist', '.git', '.cache', 'coverage', 'screens', 'generated']);

/**
 * @typedef {{looked: number, problems: string[]}} Verdict
 * @typedef {{name: string, text: string}} SourceFile
 */

/**
 * Names relative to the root, with `/`, in a fixed order. A missing folder is an empty one: trees grow.
 * @param {string} root
 * @param {string[]} folders
 * @param {RegExp} pattern matched against the relative name
 * @returns {string[]}
 */
export function listFiles(root, folders, pattern) {
  /** @type {string[]} */
  const found = [];
  /** @param {string} name */
  const walk = (name) => {
    let entries;
    try {
      entries = readdirSync(path.join(root, name), { withFileTypes: true });
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return;
      throw error;
    }
    for (const entry of entries) {
      const child = name === '.' ? entry.name : `${name}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) walk(child);
      } else if (entry.isFile() && pattern.test(child)) found.push(child);
    }
  };
  for (const folder of folders) walk(folder);
  return found.sort();
}

/** @param {string} root @param {string} name */
export const readText = (root, name) => readFileSync(path.join(root, name), 'utf8');

/** @param {string} text @param {number} offset */
export const lineAt = (text, offset) => text.slice(0, offset).split('\n').length;

/** @param {number} looked @param {string[]} problems @returns {Verdict} */
export const verdict = (looked, problems) =>
  looked > 0 ? { looked, problems } : { looked, problems: ['looked at no file: the check itself is broken'] };
