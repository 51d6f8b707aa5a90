/**
 * Checkpoints: planning and carrying out a restore of 5,000 changed files against git's own commands for the same work,
 * interleaved; and how long a prompt waits for its checkpoint.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beginCarry, planRestore, planUndo, runCarry } from '@tugdeck/trees/carry/carry';
import { recordTree } from '@tugdeck/trees/record-tree';
import type { Shadow } from '@tugdeck/trees/shadow';
import { openShadow } from '@tugdeck/trees/turn-trees';
import { type Benchmark, judge, machineLoad, Samples } from './kit/result.ts';

const run = promisify(execFile);
const PER_FOLDER = 100;
const CHANGED = 5_000;
/** Files that the user edited too, so that contents are merged. */
const MERGED = 300;
const AT_ONCE = 4;

const textOf = (name: string, line = 'same') =>
  `${Array.from({ length: 20 }, (_, at) => (at === 3 ? line : `${name} ${at}`)).join('\n')}\n`;

export const checkpoints: Benchmark = {
  name: 'checkpoints',
  async run({ rounds, quick, log }) {
    const load = machineLoad();
    const large = quick ? 10_000 : 50_000;
    const root = await realpath(await mkdtemp(join(tmpdir(), 'td-bench-points-')));
    const samples = new Samples();
    try {
      const project = await Project.make(root, CHANGED);
      log(`${CHANGED} files`);
      await project.plans(samples, rounds);
      await project.restores(samples, rounds);
      for (const count of [CHANGED, large]) {
        const other = count === CHANGED ? project : await Project.make(root, count);
        await other.prompts(samples, `prompt waits, ${count.toLocaleString('en')} files`, rounds);
      }
      const ratio = (one: string, other: string) => samples.median(one) / samples.median(other);
      const wait = (count: number) => samples.median(`prompt waits, ${count.toLocaleString('en')} files`);
      return {
        name: 'checkpoints',
        about: `restoring ${CHANGED.toLocaleString('en')} changed files, against git's own commands`,
        series: samples.series(),
        judgements: [
          judge('plan against diff-tree and merge-file', ratio('plan', 'diff-tree and merge-file'), 1.5),
          judge('restore against read-tree', ratio('restore', 'read-tree -m -u'), 2),
          judge(`wait of a prompt at ${CHANGED.toLocaleString('en')} files, ms`, wait(CHANGED), 50),
          judge(`wait of a prompt at ${large.toLocaleString('en')} files, ms`, wait(large), 400),
        ],
        load,
        rounds,
      };
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
};

class Project {
  readonly #root: string;
  readonly #directory: string;
  readonly #names: readonly string[];
  readonly #shadow: Shadow;

  private constructor(root: string, directory: string, names: readonly string[], shadow: Shadow) {
    this.#root = root;
    this.#directory = directory;
    this.#names = names;
    this.#shadow = shadow;
  }

  static async make(root: string, count: number): Promise<Project> {
    const directory = join(root, `project-${count}`);
    const names = Array.from({ length: count }, (_, at) => `d${Math.floor(at / PER_FOLDER)}/f${at}.txt`);
    for (let at = 0; at < count; at += PER_FOLDER) {
      await mkdir(join(directory, `d${at / PER_FOLDER}`), { recursive: true });
      await Promise.all(
        names.slice(at, at + PER_FOLDER).map((name) => writeFile(join(directory, name), textOf(name))),
      );
    }
    // No maintenance in the background: it takes time, and files are removed at the end.
    const settings = ['user.name=b', 'user.email=b@example.org', 'gc.auto=0', 'maintenance.auto=false'];
    const git = (...args: string[]) =>
      run('git', [...settings.flatMap((one) => ['-c', one]), ...args], { cwd: directory });
    await git('init', '-q');
    await git('add', '-A');
    await git('commit', '-qm', 'all');
    const shadow = await openShadow({ home: join(root, 'shadows'), project: directory });
    return new Project(root, directory, names, shadow);
  }

  async #record(): Promise<string> {
    return (await recordTree({ shadow: this.#shadow, writer: 'bench' })).tree;
  }

  /** An agent changes every file; returns the trees before and after. */
  async #turn(): Promise<{ start: string; end: string }> {
    const start = await this.#record();
    await this.#write(this.#names, 'agent');
    return { start, end: await this.#record() };
  }

  async #write(names: readonly string[], line: string): Promise<void> {
    for (let at = 0; at < names.length; at += PER_FOLDER) {
      const part = names.slice(at, at + PER_FOLDER);
      await Promise.all(part.map((name) => writeFile(join(this.#directory, name), textOf(name, line))));
    }
  }

  async plans(samples: Samples, rounds: number): Promise<void> {
    const { start, end } = await this.#turn();
    const touched = this.#names.slice(0, MERGED);
    for (const name of touched) {
      const path = join(this.#directory, name);
      await writeFile(path, `${await readFile(path, 'utf8')}typed by the user\n`);
    }
    const now = await this.#record();
    const shadow = this.#shadow;
    const checkpoint = { at: Date.now() - 60_000, tree: start };
    for (let round = 0; round < rounds; round++) {
      let since = performance.now();
      await planRestore({ shadow, now, checkpoint, pairs: [{ start, end }] });
      samples.add('plan', 'ms', performance.now() - since);
      since = performance.now();
      await shadow.run(['diff-tree', '-r', '-z', start, end], { maxBytes: 1e8 });
      await shadow.run(['diff-tree', '-r', '-z', end, now], { maxBytes: 1e8 });
      await this.#mergeEach(touched);
      samples.add('diff-tree and merge-file', 'ms', performance.now() - since);
    }
    await this.#write(this.#names, 'same');
  }

  /** One `git merge-file` per file. */
  async #mergeEach(names: readonly string[]): Promise<void> {
    const [base, theirs] = [join(this.#root, 'base'), join(this.#root, 'theirs')];
    const left = [...names];
    const work = async () => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) {
        const files = [
          join(this.#directory, name),
          `${base}-${left.length}`,
          `${theirs}-${left.length}`,
        ] as const;
        await writeFile(files[1], textOf(name, 'agent'));
        await writeFile(files[2], textOf(name));
        await run('git', ['merge-file', '-p', '-q', ...files]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  async restores(samples: Samples, rounds: number): Promise<void> {
    const { start, end } = await this.#turn();
    const shadow = this.#shadow;
    const directory = join(this.#root, 'operations');
    const worktree = join(this.#root, 'reference');
    const index = join(this.#root, 'reference-index');
    await mkdir(worktree);
    await shadow.run(['read-tree', '-m', '-u', end], { index, worktree });
    for (let round = 0; round < rounds; round++) {
      let since = performance.now();
      const checkpoint = { at: Date.now() - 60_000, tree: start };
      const plan = await planRestore({ shadow, now: end, checkpoint, pairs: [{ start, end }] });
      const begun = await beginCarry({ shadow, plan, directory, session: 'bench', at: Date.now() });
      const ended = await runCarry({ shadow, operation: begun, directory, now: Date.now });
      samples.add('restore', 'ms', performance.now() - since);
      const undo = await planUndo(shadow, ended, await this.#record());
      const back = await beginCarry({ shadow, plan: undo, directory, session: 'bench', at: Date.now() });
      await runCarry({ shadow, operation: back, directory, now: Date.now });
      since = performance.now();
      await shadow.run(['read-tree', '-m', '-u', end, start], { index, worktree });
      samples.add('read-tree -m -u', 'ms', performance.now() - since);
      await shadow.run(['read-tree', '-m', '-u', start, end], { index, worktree });
    }
  }

  async prompts(samples: Samples, name: string, rounds: number): Promise<void> {
    await this.#record();
    for (let round = 0; round < rounds; round++) {
      await writeFile(join(this.#directory, this.#names[0] ?? ''), `${round}\n`);
      const since = performance.now();
      await this.#record();
      samples.add(name, 'ms', performance.now() - since);
    }
  }
}
