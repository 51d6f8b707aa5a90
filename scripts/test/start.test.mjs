// L1 `npm start` in a small clone made of the real scripts and a program that prints its arguments. It has no
// dependencies, so nothing is downloaded.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CACHE, ROOT } from '../parts/repository.mjs';
import { plant } from './temporary-tree.mjs';

const PROGRAM = `
const [, self, ...args] = process.argv;
if (args.includes('--wait')) {
  process.on('SIGTERM', () => process.exit(7));
  setInterval(() => undefined, 1000);
  console.log('waiting');
} else {
  console.log(JSON.stringify({ self, args, from: process.env.TUGDECK_CALLED_FROM }));
  process.exitCode = args.includes('--fail') ? 3 : 0;
}
`;

/** A clone in a folder inside this one, so that the bundler is found without an install. */
function makeClone() {
  const own = { name: '@tugdeck/cli', version: '0.1.0' };
  const root = plant(
    {
      'package.json': JSON.stringify({
        name: 'clone',
        private: true,
        type: 'module',
        workspaces: ['packages/*'],
        scripts: { start: 'node scripts/start.mjs' },
      }),
      'package-lock.json': JSON.stringify({
        name: 'clone',
        lockfileVersion: 3,
        requires: true,
        packages: {
          '': { name: 'clone', workspaces: ['packages/*'] },
          'node_modules/@tugdeck/cli': { resolved: 'packages/cli', link: true },
          'packages/cli': own,
        },
      }),
      'packages/cli/package.json': JSON.stringify(own),
      'packages/cli/src/main.ts': PROGRAM,
      'home/.keep': '',
      'caller/.keep': '',
    },
    path.join(CACHE, 'trees'),
  );
  cpSync(path.join(ROOT, 'scripts'), path.join(root, 'scripts'), {
    recursive: true,
    filter: (source) => !source.includes(`${path.sep}test${path.sep}`),
  });
  return root;
}

/** @param {string} root @param {string[]} args */
function npmStart(root, args) {
  const env = { PATH: process.env.PATH, HOME: path.join(root, 'home') };
  return spawnSync('npm', ['--prefix', root, 'start', '--silent', '--', ...args], {
    cwd: path.join(root, 'caller'),
    env,
    encoding: 'utf8',
  });
}

test('L22 npm start installs and builds once, then only runs, and passes arguments, directory and exit code', async () => {
  const root = makeClone();
  const first = npmStart(root, ['--no-open', '--port', '7800', 'some/dir']);
  expect(first.stderr).toMatch(/Installing/);
  expect(first.stderr).toMatch(/Built in/);
  expect(first.status).toBe(0);
  expect(JSON.parse(first.stdout)).toEqual({
    self: path.join(root, 'dist/tugdeck.mjs'),
    args: ['--no-open', '--port', '7800', 'some/dir'],
    from: path.join(root, 'caller'),
  });

  const second = npmStart(root, ['--fail']);
  expect(second.stderr).not.toMatch(/Installing|Built/);
  expect(JSON.parse(second.stdout).args).toEqual(['--fail']);
  expect(second.status).toBe(3);

  writeFileSync(path.join(root, 'packages/cli/src/added.ts'), '');
  const third = npmStart(root, []);
  expect(third.stderr).not.toMatch(/Installing/);
  expect(third.stderr).toMatch(/Built in/);

  writeFileSync(path.join(root, 'packages/cli/src/main.ts'), 'this is not a program (');
  const broken = npmStart(root, []);
  expect(broken.status).not.toBe(0);
  expect(broken.stdout).toBe('');
});

test('L22 detects node_modules that npm changed since the last install', () => {
  const root = makeClone();
  npmStart(root, []);
  const record = path.join(root, 'node_modules/.package-lock.json');
  utimesSync(record, new Date(0), new Date(0));
  expect(npmStart(root, []).stderr).not.toMatch(/Installing/);
  rmSync(record);
  expect(npmStart(root, []).stderr).toMatch(/Installing/);
});

test('L8 the program receives signals itself', async () => {
  const root = makeClone();
  npmStart(root, []);
  const child = spawn(process.execPath, [path.join(root, 'scripts/start.mjs'), '--wait'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGTERM');
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(7);
});

test('L22 two concurrent first starts do not interfere', async () => {
  const root = makeClone();
  mkdirSync(path.join(root, '.cache'));
  // Left by a killed process: no process has this pid.
  writeFileSync(path.join(root, '.cache/start.lock'), String(2 ** 22 + 1));
  const run = () => {
    const child = spawn(process.execPath, [path.join(root, 'scripts/start.mjs')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
  };
  const both = await Promise.all([run(), run()]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(both.filter(({ output }) => output.includes('Built in'))).toHaveLength(1);
});
