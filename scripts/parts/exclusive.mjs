// A lock between processes that share this clone: two `npm start` after a pull must not both write node_modules or
// dist. The lock names its owner, so that one left by a killed process is ignored.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CACHE } from './repository.mjs';

const POLL_MS = 150;

/**
 * @template T
 * @param {string} name
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(name, work) {
  mkdirSync(CACHE, { recursive: true });
  const file = path.join(CACHE, `${name}.lock`);
  let isReported = false;
  while (!claim(file)) {
    if (!isReported) console.error(`Waiting for another process (lock: ${file}) ...`);
    isReported = true;
    await delay(POLL_MS);
  }
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

/** @param {string} file */
function claim(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  }
  if (ownerLives(file)) return false;
  rmSync(file, { force: true });
  return false;
}

/** @param {string} file */
function ownerLives(file) {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch (error) {
    // EPERM: alive, but another user's. Otherwise the process or the lock is gone.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
