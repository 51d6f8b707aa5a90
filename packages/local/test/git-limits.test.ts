import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { git } from '../src/git.ts';
import { limitMemory } from '../src/limited-process.ts';

let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'td-limits-'));
  await git({ directory, args: ['init', '-q', '--template='] });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('X2 stops a git that reads an endless device, with a code and advice', async () => {
  const failed = await git({
    directory,
    args: ['check-attr', '-a', '--', 'a'],
    config: [['core.attributesFile', '/dev/zero']],
    maxMemory: 64 * 1024 * 1024,
  }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining('memory limit') });
  expect((failed as { hint: string }).hint).toContain('device');
});

test('X2 limits the memory of every git, but not of commit hooks', async () => {
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
