// Paths in the clone. Node built-ins only: `npm start` loads this before anything is installed.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
export const DIST = path.join(ROOT, 'dist');
export const CACHE = path.join(ROOT, '.cache');

const NEEDED = { major: 20, minor: 19 };

/** Exits with instructions if Node is too old. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)) return;
  console.error(
    `Tugdeck needs Node ${NEEDED.major}.${NEEDED.minor} or newer; this is ${process.versions.node} (${process.execPath}).`,
  );
  process.exit(1);
}

/** @param {number} since a `performance.now()` @returns {string} */
export function elapsed(since) {
  const ms = performance.now() - since;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
