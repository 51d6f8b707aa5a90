// Creates files in a temporary folder for the checks.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * @param {Record<string, string>} files
 * @param {string} [parent] inside the clone, its installed packages are found from the tree
 * @returns {string} the root
 */
export function plant(files, parent = tmpdir()) {
  mkdirSync(parent, { recursive: true });
  const root = realpathSync(mkdtempSync(path.join(parent, 'tugdeck-tree-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return root;
}
