// Shared by all custom checks: listing files, and a verdict that fails if no file was checked (a check that reads
// no file would always pass unnoticed).
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SKIPPED = new Set(['node_modules', 'dist', '.git', '.cache', 'coverage', 'screens', 'generated']);

/**
 * @typedef {{checked: number, problems: string[]}} Verdict
 * @typedef {{name: string, text: string}} SourceFile
 */

/**
 * File names relative to the root, with `/`, in a fixed order. A missing folder counts as empty.
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

/** @param {number} checked @param {string[]} problems @returns {Verdict} */
export const verdict = (checked, problems) =>
  checked > 0
    ? { checked, problems }
    : { checked, problems: ['checked no file: the check itself is broken'] };
