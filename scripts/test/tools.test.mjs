// The smaller tools: counting tests, comparing rules, running TypeScript, locking.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { NATIVE } from '../parts/bundle.mjs';
import { isInstalled } from '../parts/install.mjs';
import { ROOT } from '../parts/repository.mjs';
import { count } from '../parts/vitest.mjs';
import { compareRules } from '../rules.mjs';
import { plant } from './temporary-tree.mjs';

test('a test file that fails to load is a failure, and skipped tests are counted separately', () => {
  const tests = (/** @type {string[]} */ ...states) => states.map((status) => ({ status }));
  const testResults = [
    { status: 'passed', assertionResults: tests('passed', 'passed', 'pending', 'todo') },
    { status: 'failed', assertionResults: tests('passed', 'failed') },
    { status: 'failed', assertionResults: [] },
  ];
  expect(count({ testResults })).toEqual({ passed: 3, failed: 2, skipped: 2 });
});

test('L23 the package has the built command, builds before packing, and depends on native packages only', () => {
  const { bin, files, scripts, dependencies } = JSON.parse(
    readFileSync(path.join(ROOT, 'package.json'), 'utf8'),
  );
  expect(bin).toEqual({ tugdeck: 'dist/tugdeck.mjs' });
  expect(files).toEqual(expect.arrayContaining(['dist', 'NOTICE', 'LICENSE']));
  expect(scripts.prepack).toBe('node scripts/build.mjs');
  expect(Object.keys(dependencies).sort()).toEqual([...NATIVE].sort());
});

test('rules without a test and unknown citations are listed', () => {
  const root = plant({
    'docs/spec.md': '# Spec\n- M1 one\n- M2 two\n- **S1** three\n- H5 four\nText about M9.\n',
    'packages/a/test/a.test.ts':
      "test('M1 is kept', f);\nit.each([1])(`S1, H5: are too`, f);\ntest('Z9 is not', f);",
  });
  expect(compareRules(root)).toEqual({ rules: ['M1', 'M2', 'S1', 'H5'], untested: ['M2'], unknown: ['Z9'] });
});

test('run-ts runs a TypeScript program with its arguments and its own import.meta.url', () => {
  const root = plant({
    'a.ts':
      "import { b } from './b.ts';\ntype T = string;\nconst t: T = b;\nconsole.log(t, import.meta.url, process.argv[2]);",
    'b.ts': "export const b = 'b';",
  });
  const { stdout } = spawnSync(
    process.execPath,
    [path.join(ROOT, 'scripts/run-ts.mjs'), path.join(root, 'a.ts'), 'x y'],
    { encoding: 'utf8' },
  );
  expect(stdout.trim()).toBe(`b file://${root}/a.ts x y`);
});

test('an install by hand counts if it matches the lockfile, with dev tools only if present', () => {
  const lock = {
    packages: {
      '': {},
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '2.0.0', dev: true },
      'node_modules/c': { version: '3.0.0', optional: true },
    },
  };
  const installed = (/** @type {Record<string, {version: string}>} */ packages) =>
    plant({
      'package-lock.json': JSON.stringify(lock),
      'node_modules/.package-lock.json': JSON.stringify({ packages }),
      ...Object.fromEntries(Object.keys(packages).map((where) => [`${where}/package.json`, '{}'])),
    });
  const a = { 'node_modules/a': { version: '1.0.0' } };
  const production = installed(a);
  expect([isInstalled(production, { dev: false }), isInstalled(production, { dev: true })]).toEqual([
    true,
    false,
  ]);
  const development = installed({ ...a, 'node_modules/b': { version: '2.0.0' } });
  expect([isInstalled(development, { dev: true }), isInstalled(development, { dev: false })]).toEqual([
    true,
    true,
  ]);
  expect(isInstalled(installed({ 'node_modules/a': { version: '1.0.1' } }), { dev: false })).toBe(false);
  expect(isInstalled(plant({ 'package-lock.json': '{}' }), { dev: false })).toBe(false);
});

test('a workspace package without its link in node_modules needs another install', () => {
  const tree = {
    'package-lock.json': JSON.stringify({ packages: { 'node_modules/@own/a': { link: true } } }),
    'node_modules/.package-lock.json': JSON.stringify({ packages: {} }),
  };
  expect(isInstalled(plant(tree), { dev: false })).toBe(false);
  const linked = plant({ ...tree, 'node_modules/@own/a/package.json': '{}' });
  expect(isInstalled(linked, { dev: false })).toBe(true);
});
