// Finds the system's Chromium for the tests; we never download one. On Debian as root (a CI machine) it is
// installed if missing; elsewhere the user gets instructions.
import { existsSync, readFileSync } from 'node:fs';
import { run } from './run.mjs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** @returns {string | null} */
export function findChromium() {
  const named = process.env.TUGDECK_CHROMIUM;
  if (named) return existsSync(named) ? named : null;
  return PLACES.find((place) => existsSync(place)) ?? null;
}

/** @returns {Promise<string | null>} its path, or null after printing instructions */
export async function ensureChromium() {
  const found = findChromium();
  if (found) return found;
  if (process.env.TUGDECK_CHROMIUM) {
    console.error(`TUGDECK_CHROMIUM is set to ${process.env.TUGDECK_CHROMIUM}, which does not exist.`);
    return null;
  }
  if (!isDebian() || process.getuid?.() !== 0) {
    console.error(
      'The browser tests need Chromium. Install it (Debian: apt-get install chromium) or set TUGDECK_CHROMIUM to its path.',
    );
    return null;
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-q'], { env });
  const { code } = await run('apt-get', ['install', '-y', '-q', 'chromium'], { env });
  if (code !== 0) console.error('apt-get could not install chromium.');
  return code === 0 ? findChromium() : null;
}

function isDebian() {
  const file = '/etc/os-release';
  return existsSync(file) && /^ID=debian$/m.test(readFileSync(file, 'utf8'));
}
