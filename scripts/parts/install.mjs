// Checks whether node_modules matches the lockfile, and installs if it does not. A stamp in node_modules makes the
// check cheap; without one (the user ran npm by hand), npm's own record is compared with the lockfile. Used by
// `npm start` (without dev tools) and `npm test` (with).
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { elapsed } from './repository.mjs';

const STAMP = 'node_modules/.tugdeck-stamp.json';
/** npm writes this at the end of every change to node_modules. */
const RECORD = 'node_modules/.package-lock.json';
const PLATFORM = `${process.platform}-${process.arch}`;

/** @param {string} file */
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** @param {string} root */
function facts(root) {
  const lock = createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  const record = statSync(path.join(root, RECORD), { throwIfNoEntry: false });
  return { lock, platform: PLATFORM, record: record ? `${record.mtimeMs}-${record.size}` : null };
}

/**
 * @param {string} root
 * @param {{dev: boolean}} wanted
 * @returns {boolean}
 */
export function isInstalled(root, { dev }) {
  const now = facts(root);
  if (now.record === null) return false;
  const file = path.join(root, STAMP);
  if (existsSync(file)) {
    const stamp = readJson(file);
    const same = stamp.lock === now.lock && stamp.platform === now.platform && stamp.record === now.record;
    if (same && (stamp.dev || !dev)) return true;
  }
  if (!recordMatchesLock(root, dev)) return false;
  writeFileSync(file, JSON.stringify({ ...now, dev }));
  return true;
}

/** Ignores optional packages: npm selects them by platform. */
function recordMatchesLock(/** @type {string} */ root, /** @type {boolean} */ dev) {
  const wanted = readJson(path.join(root, 'package-lock.json')).packages;
  const present = readJson(path.join(root, RECORD)).packages;
  for (const [where, entry] of Object.entries(wanted)) {
    if (!where.includes('node_modules/') || entry.optional || entry.devOptional) continue;
    // A workspace package: npm links it, so a new one needs another install.
    if (entry.link) {
      if (!existsSync(path.join(root, where))) return false;
      continue;
    }
    if (entry.dev && !dev) continue;
    if (present[where]?.version !== entry.version) return false;
    if (!existsSync(path.join(root, where))) return false;
  }
  return true;
}

/**
 * Runs `npm ci` without install scripts; none of our dependencies needs one.
 * @param {string} root
 * @param {{dev: boolean}} wanted
 * @returns {boolean} whether it worked
 */
export function install(root, { dev }) {
  const since = performance.now();
  console.error(`Installing packages${dev ? ' and test tools' : ''} ...`);
  const args = ['ci', dev ? '--include=dev' : '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status, error } = runNpm(root, args);
  if (status !== 0) {
    console.error(`npm ${args.join(' ')} failed${error ? `: ${error.message}` : ` (exit ${status})`}.`);
    return false;
  }
  writeFileSync(path.join(root, STAMP), JSON.stringify({ ...facts(root), dev }));
  console.error(`Installed in ${elapsed(since)}.`);
  return true;
}

/** @param {string} root @param {string[]} args */
function runNpm(root, args) {
  // `npm --prefix DIR start` passes its prefix on, and the inner npm would install somewhere else.
  const { npm_config_prefix, npm_config_local_prefix, npm_config_workspace, ...env } = process.env;
  /** @type {import('node:child_process').SpawnSyncOptions} */
  const options = { cwd: root, env, stdio: ['ignore', 2, 2] };
  const npm = process.env.npm_execpath;
  if (npm?.endsWith('.js')) return spawnSync(process.execPath, [npm, ...args], options);
  return spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
}
