// `npm run test:fast [filter ...]`: the unit tests that start no process, without install, check or build. Their imports decide:
// neither the file nor a helper beside it imports what starts one, nor the test kit.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { CACHE, elapsed, ROOT, requireNode } from './parts/repository.mjs';
import { runProject } from './parts/vitest.mjs';

const IS_UNIT = /(?<!\.browser)\.test\.(?:tsx?|mjs)$/;
const STARTS = /["'](?:node:(?:child_process|cluster|worker_threads)|@lydell\/node-pty|@tugdeck\/testkit\/)/;
const BESIDE = /(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g;

/** @param {string} file @param {Set<string>} [seen] @returns {boolean} */
function startsProcesses(file, seen = new Set()) {
  if (seen.has(file) || !existsSync(file)) return false;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  if (STARTS.test(text)) return true;
  return [...text.matchAll(BESIDE)]
    .map(([, to = '']) => path.resolve(path.dirname(file), to))
    .filter((to) => to.includes(`${path.sep}test${path.sep}`))
    .some((to) => startsProcesses(to, seen));
}

function unitTests() {
  const packages = readdirSync(path.join(ROOT, 'packages')).map((name) => path.join('packages', name));
  return [...packages, 'bench', 'scripts']
    .map((name) => path.join(ROOT, name, 'test'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => IS_UNIT.test(name))
        .map((name) => path.join(folder, name)),
    );
}

requireNode();
mkdirSync(CACHE, { recursive: true });
const started = performance.now();
const wanted = process.argv.slice(2);
const files = unitTests()
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .filter((file) => !startsProcesses(file));
// Without a file Vitest would run all of them.
const { passed, failed } =
  files.length > 0
    ? await runProject('unit', { filters: files, env: process.env })
    : { passed: 0, failed: 0 };
console.log(`\n${elapsed(started)}\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
