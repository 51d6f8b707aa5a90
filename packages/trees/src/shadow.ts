/**
 * A shadow repository in our data directory, with trees of projects at certain times. It uses only our configuration,
 * so that nothing from the project runs, and stores bytes unconverted. The project's own `.git` is only read (ignore
 * rules, objects), never written. Shared by all sessions and all worktrees of a repository, so that their trees can be
 * compared and outlive a worktree; each writer has its own index.
 */
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import { type GitAnswer, type GitCall, type GitConfig, git } from '@tugdeck/local/git';
import { adoptShadow } from './adopt-shadow.ts';

export interface ShadowOptions {
  /** The folder of all shadow repositories. */
  readonly home: string;
  /** The project, with links resolved. */
  readonly project: string;
  /** The project's own repository, if it has one. */
  readonly source?: ShadowSource | undefined;
}

export interface ShadowSource {
  /** The top of its worktree: the project, or a folder above it. */
  readonly root: string;
  readonly gitDirectory: string;
  readonly commonDirectory: string;
}

export type ShadowCall = Omit<GitCall, 'directory' | 'args'> & {
  readonly index?: string;
  /** Another directory in place of the project's worktree. */
  readonly worktree?: string;
};

/** Raw bytes, whatever attributes the project has. */
const ATTRIBUTES = '* -text -ident -filter -working-tree-encoding !eol !diff !merge\n';
/** Our temporary files: one that a killed host left behind is not part of the project. */
const TEMPORARY = '.*.tugdeck-????????-????-????-????-????????????';
/** Always excluded: generated files, and files that do not belong to the project. */
const EXCLUDES = [
  '.git',
  'node_modules/',
  '.DS_Store',
  '.venv/',
  '__pycache__/',
  '.tox/',
  '.gradle/',
  TEMPORARY,
];
const MAX_EXCLUDES = 1024 * 1024;
const MAX_POINTER = 8_192;
const CONFIG: GitConfig = [
  ['core.autocrlf', 'false'],
  ['core.symlinks', 'true'],
  ['core.fileMode', 'true'],
  ['core.precomposeUnicode', 'false'],
  ['core.looseCompression', '1'],
  ['core.longPaths', 'true'],
  ['index.threads', '1'],
];

export class Shadow {
  readonly directory: string;
  readonly #options: ShadowOptions;
  #made: Promise<void> | undefined;

  constructor(options: ShadowOptions) {
    this.#options = options;
    this.directory = join(options.home, keyOf(repositoryPath(options)));
  }

  get project(): string {
    return this.#options.project;
  }

  get source(): ShadowSource | undefined {
    return this.#options.source;
  }

  /** The recorded directory: the whole worktree, because ignore rules can be above the project. */
  get root(): string {
    return this.#options.source?.root ?? this.#options.project;
  }

  /** The project's folder inside `root`, with a final slash; empty if it is the same. */
  get prefix(): string {
    const inside = relative(this.root, this.project).split(sep).join('/');
    return inside === '' ? '' : `${inside}/`;
  }

  /** Identifies the recorded folder: trees of different places have different files. */
  get place(): string {
    return keyOf(this.project);
  }

  /** A file that is locked while somebody changes the files of this worktree: other projects can be inside it. */
  get placeLock(): string {
    return join(this.#options.home, `place-${keyOf(this.root)}.lock`);
  }

  index(writer: string): string {
    return join(this.directory, `index-${writer}`);
  }

  /** Creates it if it does not exist, and updates its rules. */
  open(): Promise<void> {
    this.#made ??= this.#make().catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    return this.#made;
  }

  run(
    args: readonly string[],
    { index, worktree = this.root, ...call }: ShadowCall = {},
  ): Promise<GitAnswer> {
    return git({
      ...call,
      directory: worktree,
      args,
      config: [...CONFIG, ...(call.config ?? [])],
      environment: {
        GIT_DIR: this.directory,
        GIT_WORK_TREE: worktree,
        GIT_CONFIG_GLOBAL: devNull,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_ATTR_NOSYSTEM: '1',
        ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
        ...call.environment,
      },
    });
  }

  async text(args: readonly string[], call: ShadowCall = {}): Promise<string> {
    return (await this.run(args, call)).stdout.toString('utf8');
  }

  async #make(): Promise<void> {
    const { home, project, source } = this.#options;
    if (!existsSync(join(this.directory, 'HEAD'))) await this.#create(home);
    // Where earlier versions recorded a folder or worktree of a repository.
    const former = join(home, keyOf(project));
    if (former !== this.directory && existsSync(join(former, 'HEAD')))
      await adoptShadow(former, this.directory);
    await writeFile(join(this.directory, 'info', 'attributes'), ATTRIBUTES, { mode: 0o600 });
    await writeFile(join(this.directory, 'project'), `${project}\n`, { mode: 0o600 });
    const own = source && readIfThere(join(source.commonDirectory, 'info', 'exclude'));
    const excludes = `${EXCLUDES.join('\n')}\n${own ?? ''}`;
    await writeFile(join(this.directory, 'info', 'exclude'), excludes, { mode: 0o600 });
    // Committed objects of the project are not stored twice.
    const alternates = join(this.directory, 'objects', 'info', 'alternates');
    const objects = source && join(source.commonDirectory, 'objects');
    if (objects && !objects.includes('\n') && !objects.startsWith('"')) {
      await writeFile(alternates, `${objects}\n`, { mode: 0o600 });
    } else await rm(alternates, { force: true });
  }

  /** Creates it under a temporary name, so that a concurrent process finds a complete one or none. */
  async #create(home: string): Promise<void> {
    await mkdir(home, { recursive: true, mode: 0o700 });
    const fresh = `${this.directory}.${process.pid}.new`;
    await rm(fresh, { recursive: true, force: true });
    await git({
      directory: home,
      args: ['init', '--quiet', '--bare', '--shared=0600', '--template=', '--', fresh],
      environment: { GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' },
    });
    await git({
      directory: fresh,
      args: ['config', 'core.bare', 'false'],
      environment: { GIT_DIR: fresh, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' },
    });
    for (const name of ['info', 'objects/info'])
      await mkdir(join(fresh, name), { recursive: true, mode: 0o700 });
    try {
      await rename(fresh, this.directory);
    } catch (error) {
      await rm(fresh, { recursive: true, force: true });
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    }
  }
}

function keyOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 24);
}

/** What worktrees of one repository have in common: the path of its main worktree, or of the repository itself. */
function repositoryPath({ project, source }: ShadowOptions): string {
  if (!source) return project;
  const { root, gitDirectory, commonDirectory } = source;
  if (basename(commonDirectory) !== '.git') return commonDirectory;
  // A `.git` file can name any repository; a worktree of it is one that the repository names too.
  const isWorktree = gitDirectory !== commonDirectory && worktreeOf(gitDirectory) === root;
  return isWorktree ? dirname(commonDirectory) : root;
}

function worktreeOf(gitDirectory: string): string | undefined {
  const pointer = readIfThere(join(gitDirectory, 'gitdir'), MAX_POINTER)?.trim();
  if (!pointer) return undefined;
  try {
    return realpathSync(dirname(resolve(gitDirectory, pointer)));
  } catch {
    return undefined;
  }
}

function readIfThere(file: string, maxBytes = MAX_EXCLUDES): string | undefined {
  try {
    return readBoundedText(file, { maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return undefined;
    throw error;
  }
}
