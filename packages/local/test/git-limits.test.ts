import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { git } from '../src/git.ts';
import { limitMemory } from '../src/limited-process.ts';

let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'td-limits-'));
  await git({ directory, args: ['init', '-q', '--template='] });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('X2 W39 stops a git that reads an endless device, with a code and advice', async () => {
  // A pipe that is not quite endless: a git without the limit must not take the memory of the machine.
  const endless = join(directory, 'endless');
  execFileSync('mkfifo', [endless]);
  const writer = spawn('/bin/sh', ['-c', `head -c 400000000 /dev/zero > '${endless}'`], { detached: true });
  try {
    const failed = await git({
      directory,
      args: ['check-attr', '-a', '--', 'a'],
      config: [['core.attributesFile', endless]],
      maxMemory: 64 * 1024 * 1024,
    }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining('memory limit') });
    expect((failed as { hint: string }).hint).toContain('device');
  } finally {
    if (writer.pid !== undefined && writer.exitCode === null) process.kill(-writer.pid, 'SIGKILL');
  }
});

test('X2 stops a git that waits forever when its time is over, with a code', async () => {
  const silent = join(directory, 'silent');
  execFileSync('mkfifo', [silent]);
  const stopped = git({
    directory,
    args: ['check-attr', '-a', '--', 'a'],
    config: [['core.attributesFile', silent]],
    timeoutMs: 500,
  }).catch((error: unknown) => error);
  const late = new Promise((resolve) => setTimeout(resolve, 20_000, 'it still runs').unref());
  const outcome = await Promise.race([stopped, late]);
  // Opens and closes the pipe, which ends a git process that still waits for it.
  execFileSync('/bin/sh', ['-c', `exec 3<>'${silent}'`]);
  expect(outcome).toMatchObject({ code: 'GIT_TIMEOUT' });
});

test('X2 W39 limits the memory of every git, but not of commit hooks', async () => {
  const limits = join(directory, 'git');
  writeFileSync(limits, '#!/bin/sh\nulimit -d\n', { mode: 0o755 });
  symlinkSync('/bin/sh', join(directory, 'sh'));
  const limit = async (withHooks: boolean) => {
    const { stdout } = await git({ directory, args: ['x'], withHooks, environment: { PATH: directory } });
    return stdout.toString('utf8').trim();
  };
  const own = execFileSync('/bin/sh', ['-c', 'ulimit -d'], { encoding: 'utf8' }).trim();
  expect(await limit(false)).toBe(process.platform === 'linux' ? String(1024 * 1024) : own);
  expect(await limit(true)).toBe(own);
});

test('X2 detects a growing process on systems without the limit', async () => {
  const child = spawn(process.execPath, [
    '-e',
    'globalThis.held = Buffer.alloc(1 << 27, 1); setInterval(() => 0, 1e6)',
  ]);
  const gone = new Promise((resolve) => child.once('close', resolve));
  await new Promise<void>((resolve) => limitMemory(child, 64 * 1024 * 1024, resolve, true));
  child.kill('SIGKILL');
  await gone;
});

test.each(['', '.', './bin'])(
  'X2 runs no git of the repository where the PATH has “%s” in it',
  async (relative) => {
    const repository = mkdtempSync(join(directory, 'path-'));
    const mark = join(repository, 'ran');
    for (const folder of [repository, join(repository, 'bin')]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'git'), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
    }
    const path = process.env.PATH;
    process.env.PATH = [relative, path].join(delimiter);
    try {
      await git({ directory: repository, args: ['--version'] });
      await git({ directory: repository, args: ['--version'], withHooks: true });
    } finally {
      process.env.PATH = path;
    }
    expect(existsSync(mark)).toBe(false);
  },
);
