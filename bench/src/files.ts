/**
 * A project of 50,000 files (W2): time until the tree is watched and searchable by name, against the minimum that
 * lists the same files (`git ls-files` and `find`); quick open key by key; the longest block of the event loop.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ProjectFiles } from '@tugdeck/machine/files/project-files';
import { MAX_FOUND } from '@tugdeck/protocol/files/messages';
import { watchLoop } from './kit/loop-watch.ts';
import { type Benchmark, judge, machineLoad, Samples } from './kit/result.ts';

const run = promisify(execFile);
const MANY = 50_000;
const FEW = 5_000;
const PER_FOLDER = 25;
const WORDS = [
  'server',
  'client',
  'index',
  'watch',
  'model',
  'view',
  'panel',
  'route',
  'stream',
  'token',
  'editor',
];
const TYPED = ['editor', 'srvidx', 'pkgts', 'viewmodel12', 'route-4', 'zzz', 'watch-index'];
const GOAL_MS = 30;
const SHOWN = 'first folder listed';
const READY = 'watch and index, at once';
const HELD = 'longest block of the event loop';
const HELD_MS = 20;
const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export const files: Benchmark = {
  name: 'files',
  async run({ rounds, quick, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const count = quick ? FEW : MANY;
    const root = await makeTree(count);
    try {
      for (let round = 0; round < rounds; round++) {
        samples.add('git ls-files and find', 'ms', await timed(() => listPlainly(root)));
        await startOnce(root, samples);
        log(`round ${round + 1} of ${count.toLocaleString('en')} files`);
      }
    } finally {
      await rm(root, { recursive: true, force: true });
    }
    return {
      name: 'files',
      about: `a project of ${count.toLocaleString('en')} files: tree, index, quick open`,
      series: samples.series(),
      judgements: [
        // The tree shows only open folders: one folder is listed, with its git status.
        judge(
          'tree visible against git ls-files + find',
          samples.median(SHOWN) / samples.median('git ls-files and find'),
          1,
        ),
        // Three walks (ignored files, watch, index) where the reference has two.
        judge(
          'watch and index ready against git ls-files + find',
          samples.median(READY) / samples.median('git ls-files and find'),
          3,
        ),
        judge('quick open, p95 of a key in units of 30 ms', samples.p95('quick open, one key') / GOAL_MS, 1),
        judge('longest block of the event loop in units of 20 ms', samples.median(HELD) / HELD_MS, 1),
      ],
      load,
      rounds,
    };
  },
};

async function startOnce(root: string, samples: Samples): Promise<void> {
  const loop = watchLoop();
  const project = new ProjectFiles({ root, log: silent, marks: () => () => undefined });
  try {
    samples.add(SHOWN, 'ms', await timed(() => project.list('')));
    samples.add(READY, 'ms', await timed(() => Promise.all([project.start(), project.index.files()])));
    for (const word of TYPED) {
      for (let length = 1; length <= word.length; length++) {
        const query = word.slice(0, length);
        const find = () => project.index.find(query, MAX_FOUND, { withFolders: false });
        samples.add('quick open, one key', 'ms', await timed(find));
      }
    }
  } finally {
    samples.add(HELD, 'ms', loop.longest());
    await project.close();
  }
}

async function listPlainly(root: string): Promise<void> {
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
  await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], options);
  await run('find', ['.', '-path', './.git', '-prune', '-o', '-print0'], options);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

/** Creates a tree with typical names, all of it known to git. */
async function makeTree(count: number): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'tugdeck-bench-files-')));
  const word = (at: number) => WORDS[at % WORDS.length] ?? '';
  for (let first = 0; first < count; first += PER_FOLDER) {
    const at = first / PER_FOLDER;
    const folder = join(root, 'packages', word(at), `${word(at >> 2)}-${at % 40}`, `part-${at}`);
    await mkdir(folder, { recursive: true });
    await Promise.all(
      Array.from({ length: PER_FOLDER }, (_, index) =>
        writeFile(
          join(folder, `${word(first + index)}-${word(index)}-${index}.ts`),
          `export const n = ${index};\n`,
        ),
      ),
    );
  }
  await run('git', ['init', '-q'], { cwd: root });
  await run('git', ['add', '-A'], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  return root;
}
