import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBoundedText } from '../src/bounded-file.ts';

const ROUNDS = process.env.TUGDECK_TEST_FULL === '1' ? 5_000 : 500;
let base: string;
let inside: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'td-bounded-')));
  inside = join(base, 'project');
  mkdirSync(join(inside, 'real'), { recursive: true });
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(inside, 'real/file'), 'mine');
  writeFileSync(join(base, 'outside/file'), 'precious');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

test('X33 returns nothing, at once, for pipes, sockets, devices, folders, circular links and huge files', () => {
  const read = (name: string) => readBoundedText(join(inside, name), { maxBytes: 100 });
  execFileSync('mkfifo', [join(inside, 'pipe')]);
  symlinkSync('/dev/zero', join(inside, 'endless'));
  symlinkSync('circle', join(inside, 'circle'));
  symlinkSync('nowhere', join(inside, 'dangling'));
  writeFileSync(join(inside, 'huge'), '');
  truncateSync(join(inside, 'huge'), 64 * 1024 ** 3);
  writeFileSync(join(inside, 'full'), 'x'.repeat(100));
  writeFileSync(join(inside, 'over'), 'x'.repeat(101));
  for (const name of ['pipe', 'endless', 'circle', 'dangling', 'huge', 'over', 'real', 'none', 'full/x']) {
    expect(read(name), name).toBeUndefined();
  }
  expect(read('full')).toHaveLength(100);
  expect(read('real/file')).toBe('mine');
});

test('X33 follows links inside the directory and none out of it', () => {
  const read = (name: string) => readBoundedText(join(inside, name), { maxBytes: 100, within: inside });
  symlinkSync('real', join(inside, 'way'));
  symlinkSync(join(base, 'outside'), join(inside, 'out'));
  symlinkSync('../outside/file', join(inside, 'file-out'));
  expect(read('way/file')).toBe('mine');
  expect(read('out/file')).toBeUndefined();
  expect(read('file-out')).toBeUndefined();
  expect(read('../outside/file')).toBeUndefined();
  expect(read('/../../outside/file')).toBeUndefined();
});

test('X33 reads nothing from outside while another thread swaps the folder for a link', async () => {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const code = `
    const { workerData: { place, aside, outside, shared } } = require('node:worker_threads');
    const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
    while (Atomics.load(shared, 0) === 0) {
      renameSync(place, aside);
      symlinkSync(outside, place);
      unlinkSync(place);
      renameSync(aside, place);
    }`;
  const place = join(inside, 'swapped');
  mkdirSync(place);
  writeFileSync(join(place, 'file'), 'mine');
  const workerData = { place, aside: join(inside, 'aside'), outside: join(base, 'outside'), shared };
  const worker = new Worker(code, { eval: true, workerData });
  await new Promise((resolve) => worker.once('online', resolve));
  const seen = new Set<string | undefined>();
  for (let round = 0; round < ROUNDS; round++) {
    seen.add(readBoundedText(join(place, 'file'), { maxBytes: 100, within: inside }));
  }
  Atomics.store(shared, 0, 1);
  await new Promise((resolve) => worker.once('exit', resolve));
  expect(seen).not.toContain('precious');
  if (readdirSync(inside).includes('aside')) renameSync(workerData.aside, place);
  expect(readBoundedText(join(place, 'file'), { maxBytes: 100, within: inside })).toBe('mine');
});
