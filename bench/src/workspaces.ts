/**
 * Workspaces of a large repository: creating one against `git worktree add`, interleaved; eight at once against eight
 * worktrees of plain git, with the work of eight agents; archiving, restoring and disk use.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import { Workspaces } from '@tugdeck/machine/workspaces/workspaces';
import { openStore } from '@tugdeck/store/store';
import { type Benchmark, judge, machineLoad, Samples } from './kit/result.ts';

const run = promisify(execFile);
const PER_FOLDER = 100;
const AT_ONCE = 8;
const CHANGED = 500;
const PROJECT = 'p';
const MEGABYTE = 1024 * 1024;

const nothing = () => undefined;
const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export const workspaces: Benchmark = {
  name: 'workspaces',
  async run({ rounds, quick, log }) {
    const load = machineLoad();
    const files = quick ? 5_000 : 50_000;
    const root = await realpath(await mkdtemp(join(tmpdir(), 'td-bench-workspaces-')));
    const project = join(root, 'project');
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=b', '-c', 'user.email=b@example.org', ...args], {
        cwd: project,
        maxBuffer: 1e8,
      });
    const data = dataDirectory(join(root, 'data'));
    await mkdir(data.root, { mode: 0o700 });
    const store = openStore(data.database);
    store.projects.insert({ id: PROJECT, path: project, name: 'project', addedAt: 1 });
    const service = new Workspaces({
      table: store.workspaces,
      projects: {
        get: () => ({ id: PROJECT, path: project, name: 'project', addedAt: 1 }),
        environment: () => ({}),
      },
      data,
      machine: 'bench',
      settings: () => ({ fetch: false }),
      now: Date.now,
      log: silent,
    });
    const samples = new Samples();
    const timed = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
      const since = performance.now();
      const value = await act();
      samples.add(name, 'ms', performance.now() - since);
      return value;
    };
    const create = async (title: string) =>
      service.ready((await service.create(PROJECT, { title })).id).then(({ id }) => id);
    const forget = async (id: string) => {
      await service.archive(id);
      await service.forget(id);
    };
    try {
      await makeFiles(project, files);
      await git('init', '-q', '-b', 'main');
      // Its own packing in the background would be in some measurements and not in others.
      await git('config', 'gc.auto', '0');
      await git('add', '-A');
      await git('commit', '-qm', 'all');
      await git('gc', '-q');
      log(`${files} files`);
      for (let round = 0; round < rounds; round++) {
        const id = await timed('workspace created', () => create(`one ${round}`));
        const plain = join(root, `plain-${round}`);
        await timed('git worktree add', () => git('worktree', 'add', '-q', '-b', `plain-${round}`, plain));
        await git('worktree', 'remove', '--force', plain);
        await timed('archived', () => service.archive(id));
        await timed('restored', () => service.restore(id));
        await forget(id);
      }
      const numbers = Array.from({ length: AT_ONCE }, (_, index) => index);
      const ids = await timed('eight at once', () =>
        Promise.all(numbers.map((one) => create(`many ${one}`))),
      );
      const paths = ids.map((id) => service.get(id).path);
      await timed('work in eight at once', () => Promise.all(paths.map(work)));
      await timed('status of eight at once', () => Promise.all(ids.map((id) => service.status(id))));
      const sizes = await service.sizes(PROJECT);
      const bytes = sizes.reduce((sum, { worktree }) => sum + worktree, 0);
      samples.add('disk per workspace', 'MB', bytes / sizes.length / MEGABYTE);
      await timed('eight archived at once', () => Promise.all(ids.map((id) => service.archive(id))));
      const archives = (await service.sizes(PROJECT)).reduce((sum, { archive }) => sum + archive, 0);
      samples.add('disk per archive', 'MB', archives / ids.length / MEGABYTE);
      await timed('eight worktrees of plain git', async () => {
        for (const one of numbers)
          await git('worktree', 'add', '-q', '-b', `eight-${one}`, join(root, `eight-${one}`));
      });
      const plain = numbers.map((one) => join(root, `eight-${one}`));
      await timed('work in eight of plain git', () => Promise.all(plain.map(work)));
      const ratio = (one: string, other: string) => samples.median(one) / samples.median(other);
      return {
        name: 'workspaces',
        about: `workspaces of a repository with ${files.toLocaleString('en')} files, against git worktree add`,
        series: samples.series(),
        judgements: [
          judge(
            'workspace created against git worktree add',
            ratio('workspace created', 'git worktree add'),
            1.3,
          ),
          judge(
            'eight at once against eight of plain git',
            ratio('eight at once', 'eight worktrees of plain git'),
            1.3,
          ),
          judge(
            'work in eight against work in eight of plain git',
            ratio('work in eight at once', 'work in eight of plain git'),
            1.3,
          ),
          judge('eight archived against eight created', ratio('eight archived at once', 'eight at once'), 1),
          judge(
            'an archive against its worktree, bytes',
            samples.median('disk per archive') / samples.median('disk per workspace'),
            0.2,
          ),
        ],
        load,
        rounds,
      };
    } finally {
      await service.close();
      store.close();
      await rm(root, { recursive: true, force: true });
    }
  },
};

/** An agent's work: changed, new and uncommitted files, and a commit. */
async function work(directory: string): Promise<void> {
  const write = (folder: number, name: string) =>
    writeFile(join(directory, `d${folder}`, name), `changed ${folder}\n`.repeat(100));
  const folders = Array.from({ length: CHANGED }, (_, index) => index % 50);
  await Promise.all(folders.map((folder, index) => write(folder, `f${index % PER_FOLDER}.txt`)));
  const identity = ['-c', 'user.name=b', '-c', 'user.email=b@example.org'];
  await run('git', [...identity, 'commit', '-qam', 'work'], { cwd: directory });
  await Promise.all(folders.map((folder, index) => write(folder, `new-${index}.txt`)));
}

async function makeFiles(directory: string, count: number): Promise<void> {
  for (let folder = 0; folder * PER_FOLDER < count; folder++) {
    await mkdir(join(directory, `d${folder}`), { recursive: true });
    const names = Array.from({ length: PER_FOLDER }, (_, index) =>
      join(directory, `d${folder}`, `f${index}.txt`),
    );
    await Promise.all(names.map((name) => writeFile(name, `${name}\n`.repeat(60))));
  }
}
