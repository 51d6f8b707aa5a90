// Installs the pinned real agents of ./agents for the tests, once per lockfile and platform. Plain JavaScript with
// Node built-ins only, because scripts/test.mjs calls it before anything is installed. Does not touch the
// workspaces: the agents have their own package.json and lockfile.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = fileURLToPath(new URL('./agents/', import.meta.url));
// In node_modules, which `npm ci` deletes first, so that a failed install never leaves a valid stamp.
const stampFile = join(folder, 'node_modules', '.tugdeck-stamp');

function wantedStamp() {
  const lock = readFileSync(join(folder, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}\n`;
}

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      shell: process.platform === 'win32',
    });
    let trouble = '';
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text) => {
      trouble += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}:\n${trouble}`));
    });
  });
}

/**
 * Installs the pinned agents unless the stamp matches.
 * @param {{ log?: (line: string) => void }} [options]
 * @returns {Promise<boolean>} whether something was installed
 */
export async function installAgents({ log = console.log } = {}) {
  const stamp = wantedStamp();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) {
    log('agents: present');
    return false;
  }
  const start = performance.now();
  log('agents: installing the pinned versions (some 1.2 GB)');
  // Binaries are optional dependencies per platform; install scripts are not needed.
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--include=optional']);
  writeFileSync(stampFile, stamp);
  log(`agents: installed in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return true;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await installAgents();
  } catch (error) {
    console.error(`agents: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
