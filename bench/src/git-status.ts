/**
 * Time from a file's change to the published status, against `git status` in the same repository, interleaved; the
 * time to record a turn tree; and the cost of an idle repository.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Log } from '@tugdeck/local/log';
import { GitRegistry } from '@tugdeck/machine/git/git-registry';
import type { GitStatus } from '@tugdeck/protocol/git/git-messages';
import { recordTree } from '@tugdeck/trees/record-tree';
import { openShadow } from '@tugdeck/trees/turn-trees';
import { type Benchmark, judge, machineLoad, Samples } from './kit/result.ts';

const run = promisify(execFile);
const PER_FOLDER = 100;
/** Longer than the pause between two status reads while files keep changing. */
const QUIET_MS = 1_200;
const IDLE_MS = 5_000;

const nothing = () => undefined;
const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export const gitStatus: Benchmark = {
  name: 'git-status',
  async run({ rounds, quick, log }) {
    const load = machineLoad();
    const files = quick ? 5_000 : 50_000;
    const root = await realpath(await mkdtemp(join(tmpdir(), 'td-bench-git-')));
    const directory = join(root, 'project');
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=b', '-c', 'user.email=b@example.org', ...args], {
        cwd: directory,
        maxBuffer: 1e8,
      });
    const rooms = new GitRegistry({
      directoryOf: () => directory,
      environmentOf: () => ({}),
      isTrusted: () => true,
      worktreeHome: root,
      log: silent,
    });
    try {
      await makeFiles(directory, files);
      await git('init', '-q');
      await git('add', '-A');
      await git('commit', '-qm', 'all');
      log(`${files} files`);
      const samples = new Samples();
      const { value: watch } = rooms.hold('p');
      await watch.refresh();
      for (let round = -1; round < rounds * 2; round++) {
        await pause(QUIET_MS);
        const path = `f${round + 1}.txt`;
        const published = until(watch, (status) => status.kind === 'repository' && has(status, path));
        const since = performance.now();
        await writeFile(join(directory, path), 'new\n');
        await published;
        const took = performance.now() - since;
        await pause(QUIET_MS);
        const plainSince = performance.now();
        await git('status');
        const plain = performance.now() - plainSince;
        if (round < 0) continue;
        samples.add('change to status', 'ms', took);
        samples.add('git status', 'ms', plain);
      }
      await pause(QUIET_MS);
      const before = process.cpuUsage();
      await pause(IDLE_MS);
      const { user, system } = process.cpuUsage(before);
      const share = ((user + system) / 1000 / IDLE_MS) * 100;
      samples.add('an idle repository', '% of a core', share);
      const shadow = await openShadow({ home: join(root, 'shadows'), project: directory });
      for (let round = 0; round <= rounds; round++) {
        await writeFile(join(directory, `d0/changed${round}.txt`), `${round}\n`);
        const since = performance.now();
        await recordTree({ shadow, writer: 'bench' });
        samples.add(round === 0 ? 'first tree' : 'tree at a turn boundary', 'ms', performance.now() - since);
      }
      return {
        name: 'git-status',
        about: `from a change to the published status, in ${files.toLocaleString('en')} files, against git status`,
        series: samples.series(),
        judgements: [
          judge(
            'change to status against git status',
            samples.median('change to status') / samples.median('git status'),
            1.5,
          ),
          judge('an idle repository, % of a core', share, 1),
        ],
        load,
        rounds: rounds * 2,
      };
    } finally {
      rooms.close();
      await rm(root, { recursive: true, force: true });
    }
  },
};

async function makeFiles(directory: string, count: number): Promise<void> {
  for (let folder = 0; folder * PER_FOLDER < count; folder++) {
    await mkdir(join(directory, `d${folder}`), { recursive: true });
    const names = Array.from({ length: PER_FOLDER }, (_, index) =>
      join(directory, `d${folder}`, `f${index}.txt`),
    );
    await Promise.all(names.map((name) => writeFile(name, `${name}\n`)));
  }
}

function until(
  watch: { subscribe(listener: (status: GitStatus) => void): () => void },
  fits: (status: GitStatus) => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const end = watch.subscribe((status) => {
      if (!fits(status)) return;
      end();
      resolve();
    });
  });
}

function has(status: Extract<GitStatus, { kind: 'repository' }>, path: string): boolean {
  return status.files.some((file) => file.path === path);
}
