/**
 * The archive of one workspace: its worktree without files that git has byte for byte, git's entry, and a bundle of
 * the commits that only it had (B62). Uses a small separate repository, whose configuration
 * converts nothing, with the project's objects as an alternate.
 */
import { existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import { type GitAnswer, type GitCall, git } from '@tugdeck/local/git';
import { writePrivate } from '@tugdeck/local/private-file';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';

const RAW = '* -text -ident -filter -working-tree-encoding !eol\n';
const LONG = { maxBytes: 256 * 1024 * 1024, timeoutMs: 10 * 60_000 };
const MAX_LOG = 16 * 1024 * 1024;
const COMMIT_ID = /^[0-9a-f]{40,64}$/;
const AUTHOR = { NAME: 'tugdeck', EMAIL: 'tugdeck@localhost', DATE: '1000000000 +0000' };

const manifestSchema = z.object({
  version: z.literal(1),
  /** The name of git's entry in `.git/worktrees`. */
  entry: z.string().min(1).max(255),
  head: z.string().regex(COMMIT_ID),
  branch: z.string().optional(),
  hasBundle: z.boolean(),
  hasSubmodules: z.boolean(),
});
export type Manifest = z.infer<typeof manifestSchema>;

export class ArchiveFiles {
  /** The worktree's files. */
  readonly tree: string;
  /** Git's entry. */
  readonly entry: string;
  readonly bundle: string;
  readonly #root: string;
  readonly #git: string;
  readonly #objects: string;

  constructor(root: string, commonDirectory: string) {
    this.#root = root;
    this.tree = join(root, 'tree');
    this.entry = join(root, 'entry');
    this.bundle = join(root, 'commits.bundle');
    this.#git = join(root, 'git');
    this.#objects = join(commonDirectory, 'objects');
  }

  get exists(): boolean {
    return existsSync(this.#root);
  }

  async create(): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
  }

  async remove(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
  }

  manifest(): Manifest {
    const text = readBoundedText(join(this.#root, 'archive.json'), { maxBytes: 64 * 1024 });
    if (text === undefined) throw new CodedError('WORKSPACE_MISSING', 'The archive is incomplete.');
    return manifestSchema.parse(JSON.parse(text));
  }

  /** Written last: with it, everything before is on disk. */
  async complete(manifest: Manifest): Promise<void> {
    await sync(this.bundle, manifest.hasBundle);
    writePrivate(join(this.#root, 'archive.json'), JSON.stringify(manifest));
  }

  get isComplete(): boolean {
    return existsSync(join(this.#root, 'archive.json'));
  }

  /**
   * Bundles what only the worktree has: its HEAD, its index and the commits of its reflogs and refs, without those of
   * `kept`. Returns whether there was anything.
   */
  async keepCommits(
    place: { readonly entry: string; readonly logs: readonly string[] },
    head: string,
    kept: readonly string[],
  ): Promise<boolean> {
    await this.#createRepository();
    const index = await this.#indexCommit(place.entry, head);
    const logged = await this.#existing(place.logs.flatMap((file) => commitsIn(file)));
    const refs = [...new Set([head, index, ...logged])];
    const input = refs.map((commit, number) => `update refs/archive/${number} ${commit}\n`).join('');
    await this.#run(['update-ref', '--stdin'], { input });
    const not = kept.map((commit) => `^${commit}`);
    const missing = (await this.#text(['rev-list', '--max-count=1', ...refs, ...not, '--'])).trim();
    if (missing === '') return false;
    await rm(this.bundle, { force: true });
    await this.#run(['bundle', 'create', '--quiet', this.bundle, '--all', ...not]);
    await this.#run(['bundle', 'verify', '--quiet', this.bundle]);
    return true;
  }

  /** The index as a commit, so that its contents are kept like other objects. */
  async #indexCommit(entry: string, head: string): Promise<string> {
    if (!existsSync(join(entry, 'index'))) return head;
    // A copy, beside the shared part of a split index.
    const names = readdirSync(entry).filter((name) => name === 'index' || name.startsWith('sharedindex.'));
    for (const name of names) await copyFile(join(entry, name), join(this.#git, name));
    const environment = { GIT_INDEX_FILE: join(this.#git, 'index') };
    const tree = (await this.#text(['write-tree'], { environment })).trim();
    const author = Object.fromEntries(
      Object.entries(AUTHOR).flatMap(([name, value]) => [
        [`GIT_AUTHOR_${name}`, value],
        [`GIT_COMMITTER_${name}`, value],
      ]),
    );
    return (
      await this.#text(['commit-tree', tree, '-p', head, '-m', 'index'], { environment: author })
    ).trim();
  }

  async #existing(commits: readonly string[]): Promise<string[]> {
    const unique = [...new Set(commits)];
    if (unique.length === 0) return [];
    const input = unique.map((commit) => `${commit}\n`).join('');
    const text = await this.#text(['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input });
    return text
      .split('\n')
      .flatMap((line) => (line.endsWith(' commit') ? [line.slice(0, -' commit'.length)] : []));
  }

  /**
   * Deletes files that are equal to those of `head`, byte for byte. The list is on disk before the first is deleted.
   */
  async shrink(head: string, folders: readonly string[]): Promise<void> {
    const list = join(this.#root, 'dropped');
    if (!existsSync(list)) {
      await this.#createRepository();
      await this.#run(['read-tree', head], LONG);
      await this.#run(['update-index', '-q', '--really-refresh', '--ignore-submodules'], {
        ...LONG,
        answers: [1],
      });
      const changed = new Set(
        split(await this.#text(['diff-files', '-z', '--name-only', '--ignore-submodules=all'], LONG)),
      );
      const staged = split(await this.#text(['ls-files', '-z', '--stage'], LONG));
      const same = staged.flatMap((line) => {
        const [, mode, path = ''] = /^(\d+) [0-9a-f]+ \d\t(.*)$/s.exec(line) ?? [];
        return mode === '160000' || path === '' || changed.has(path) ? [] : [path];
      });
      writePrivate(list, same.map((path) => `${path}\0`).join(''));
      await sync(list, true);
    }
    for (const path of split(await readFile(list, 'utf8'))) await rm(join(this.tree, path), { force: true });
    for (const folder of folders) await rm(join(this.tree, folder), { recursive: true, force: true });
  }

  /** Writes the files again that `shrink` deleted. Never overwrites one. */
  async fill(head: string): Promise<void> {
    const list = join(this.#root, 'dropped');
    if (!existsSync(list)) return;
    await this.#createRepository();
    await this.#run(['read-tree', head], LONG);
    await this.#run(['checkout-index', '-q', '-z', '--stdin'], {
      ...LONG,
      input: await readFile(list),
      answers: [1],
    });
    await this.#run(['update-index', '-q', '--really-refresh', '--ignore-submodules'], {
      ...LONG,
      answers: [1],
    });
    const changed = new Set(
      split(await this.#text(['diff-files', '-z', '--name-only', '--ignore-submodules=all'], LONG)),
    );
    const wrong = split(await readFile(list, 'utf8')).filter((path) => changed.has(path));
    if (wrong.length > 0) {
      throw new CodedError('GIT_FAILED', `${wrong.length} files could not be written, such as ${wrong[0]}.`);
    }
  }

  async #createRepository(): Promise<void> {
    if (existsSync(join(this.#git, 'info', 'attributes'))) return;
    await rm(this.#git, { recursive: true, force: true });
    const environment = { GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };
    const format = await objectFormat(this.#objects);
    await git({
      directory: this.#root,
      args: ['init', '--quiet', '--bare', '--template=', ...format, '--', this.#git],
      environment,
    });
    await mkdir(join(this.#git, 'objects', 'info'), { recursive: true, mode: 0o700 });
    await writeFile(join(this.#git, 'objects', 'info', 'alternates'), `${this.#objects}\n`, { mode: 0o600 });
    // A shallow clone names the commits whose parents it lacks.
    const shallow = join(this.#objects, '..', 'shallow');
    if (existsSync(shallow)) await copyFile(shallow, join(this.#git, 'shallow'));
    await mkdir(join(this.#git, 'info'), { recursive: true, mode: 0o700 });
    await writeFile(join(this.#git, 'info', 'attributes'), RAW, { mode: 0o600 });
  }

  #run(args: readonly string[], call: Partial<GitCall> = {}): Promise<GitAnswer> {
    return git({
      ...LONG,
      ...call,
      directory: existsSync(this.tree) ? this.tree : this.#root,
      args,
      config: [
        ['core.bare', 'false'],
        ['core.autocrlf', 'false'],
        ['core.symlinks', 'true'],
        ['core.fileMode', 'true'],
      ],
      environment: {
        GIT_DIR: this.#git,
        GIT_WORK_TREE: this.tree,
        GIT_CONFIG_GLOBAL: devNull,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_ATTR_NOSYSTEM: '1',
        ...call.environment,
      },
    });
  }

  async #text(args: readonly string[], call: Partial<GitCall> = {}): Promise<string> {
    return (await this.#run(args, call)).stdout.toString('utf8');
  }
}

/** Commit ids in a reflog. */
function commitsIn(file: string): string[] {
  const text = readBoundedText(file, { maxBytes: MAX_LOG }) ?? '';
  return text
    .split('\n')
    .flatMap((line) => line.split(' ', 2).filter((one) => COMMIT_ID.test(one) && !/^0+$/.test(one)));
}

/** A repository with SHA-256 ids needs one of the same kind. */
async function objectFormat(objects: string): Promise<string[]> {
  const config = readBoundedText(join(objects, '..', 'config'), { maxBytes: 1024 * 1024 }) ?? '';
  return /objectformat\s*=\s*sha256/i.test(config) ? ['--object-format=sha256'] : [];
}

async function sync(file: string, exists: boolean): Promise<void> {
  if (!exists) return;
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function split(text: string): string[] {
  return text.split('\0').filter(Boolean);
}
