/**
 * Property test of whole restores: random histories on disk with overlapping sessions, restores of restores, cuts,
 * changed ignore rules, large files, links, modes, line endings and a submodule. `TUGDECK_CARRY_SEED` starts at another
 * seed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryHome } from '@tugdeck/testkit/temporary-home';
import { beforeAll, expect, test } from 'vitest';
import { World } from './carry-world.ts';

const SEEDS = process.env.TUGDECK_TEST_FULL === '1' ? 200 : 4;
const FIRST = Number(process.env.TUGDECK_CARRY_SEED ?? 1);
const EVENTS = 30;

const root = temporaryHome('td-world-');
const template = join(root, 'template');

beforeAll(() => {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd });
  const module = join(root, 'module');
  for (const directory of [module, template]) mkdirSync(directory);
  writeFileSync(join(module, 'g.txt'), 'user-module\n');
  git(module, 'init', '-q');
  git(module, 'add', '-A');
  git(module, 'commit', '-qm', 'module');
  git(template, 'init', '-q');
  writeFileSync(join(template, '.gitignore'), '*.log\nout/\n');
  for (const name of ['a.txt', 'b.txt', 'c.txt', 'debug.log']) {
    const lines = Array.from({ length: 9 }, (_, at) => `user-${name.charCodeAt(0)}${at}\n`);
    writeFileSync(join(template, name), lines.join(''));
  }
  git(template, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', module, 'module');
  git(template, 'add', '-A');
  git(template, 'commit', '-qm', 'first');
});

test(
  `T4 T14 T19 T20 ${SEEDS} histories with two sessions on disk: no restore or undo loses a line, and undo is exact`,
  async () => {
    const counts = { restores: 0, undos: 0, cuts: 0, changed: 0 };
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
      const directory = join(root, `world-${seed}`);
      mkdirSync(directory);
      const world = new World(directory, seed, template);
      try {
        await world.play(EVENTS);
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
      for (const [key, count] of Object.entries(world.counts)) counts[key as keyof typeof counts] += count;
      rmSync(directory, { recursive: true, force: true });
    }
    // The histories are not trivial.
    expect(counts.changed).toBeGreaterThan(SEEDS / 4);
    expect(counts.undos).toBeGreaterThan(SEEDS / 4);
  },
  30 * 60_000,
);

test('T4 T8 a file is not taken for a new one because another session ignored it (history 74)', async () => {
  const directory = join(root, 'world-ignored');
  mkdirSync(directory);
  const world = new World(directory, 74, template);
  await world.play(EVENTS);
  expect(world.counts.restores).toBeGreaterThan(0);
}, 60_000);
