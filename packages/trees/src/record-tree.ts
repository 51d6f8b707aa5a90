/**
 * Records the current project as a tree in its shadow repository. Limited: large files are skipped and a project with
 * too many changes is not recorded; both are reported. Reads only files that changed since this writer's last tree.
 */
import { constants } from 'node:fs';
import { access, copyFile, lstat, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { gitText } from '@tugdeck/local/git';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { gitView } from './guard/git-view.ts';
import type { Shadow, ShadowSource } from './shadow.ts';

export interface TreeLimits {
  /** Maximum number of changed files per recording. */
  readonly files: number;
  /** Maximum total size of them. */
  readonly bytes: number;
  readonly fileBytes: number;
  readonly timeMs: number;
}

export const TREE_LIMITS: TreeLimits = {
  files: 60_000,
  bytes: 256 * 1024 * 1024,
  fileBytes: 4 * 1024 * 1024,
  timeMs: 60_000,
};

const MAX_SEED = 256 * 1024 * 1024;

export interface RecordedTree {
  readonly tree: string;
  /** Number of files skipped because of their size or unreadable. */
  readonly left: number;
  /** Their names, relative to the project; at most `MAX_LEFT_OUT`. */
  readonly leftOut: LeftOut[];
}

export interface LeftOut {
  readonly path: string;
  readonly size: number;
  readonly mtime: number;
}

/** More names are not listed. */
export const MAX_LEFT_OUT = 1_000;

export interface RecordOptions {
  readonly shadow: Shadow;
  /** The name of the writer; each has its own index, so that several can record at once. */
  readonly writer: string;
  readonly limits?: TreeLimits | undefined;
  /** Files of the project to record even if they are ignored, such as those that a restore created. */
  readonly also?: readonly string[] | undefined;
}

export async function recordTree(options: RecordOptions): Promise<RecordedTree> {
  const { shadow, writer, limits = TREE_LIMITS, also = [] } = options;
  await shadow.open();
  const index = shadow.index(writer);
  await rm(`${index}.lock`, { force: true });
  if (!(await exists(index))) await seedIndex(shadow, index);
  const until = performance.now() + limits.timeMs;
  const remaining = () => Math.max(1, Math.round(until - performance.now()));
  const listed = await candidates(shadow, index, remaining()).catch(async (error: unknown) => {
    // An index that git cannot read (other version, truncated) is recreated.
    if (!(error instanceof CodedError) || error.code !== 'GIT_FAILED') throw error;
    await rm(index, { force: true });
    return candidates(shadow, index, remaining());
  });
  const paths = new Set([...listed, ...(await existing(shadow, also))]);
  const { taken, left, leftOut } = await withinLimits(shadow, [...paths], limits);
  if (taken.length > 0) await update(shadow, index, taken, remaining);
  return { tree: await writeTree(shadow, index, remaining()), left, leftOut };
}

/** Those that are files or links, relative to the recorded directory. */
async function existing({ root, prefix }: Shadow, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const facts = await lstat(join(root, prefix, path)).catch(() => undefined);
    if (facts?.isFile() || facts?.isSymbolicLink()) found.push(`${prefix}${path}`);
  }
  return found;
}

async function writeTree(shadow: Shadow, index: string, timeoutMs: number): Promise<string> {
  const { prefix } = shadow;
  const part = prefix === '' ? [] : [`--prefix=${prefix}`];
  const { code, stdout } = await shadow.run(['write-tree', '--missing-ok', ...part], {
    index,
    timeoutMs,
    answers: prefix === '' ? [] : [128],
  });
  if (code === 0) return stdout.toString('latin1').trim();
  // The project is empty in the index.
  return (await shadow.text(['mktree', '-z'])).trim();
}

/** Paths that differ from the index, deleted and new ones included. Nested repositories end with a slash. */
async function candidates(shadow: Shadow, index: string, timeoutMs: number): Promise<string[]> {
  const args = [
    'ls-files',
    '-z',
    '--modified',
    '--deleted',
    '--others',
    '--exclude-standard',
    '--deduplicate',
  ];
  const text = await shadow.text([...args, '--', ...(shadow.prefix === '' ? [] : [shadow.prefix])], {
    index,
    timeoutMs,
  });
  return text.split('\0').filter((path) => path !== '' && !path.endsWith('/'));
}

async function withinLimits(
  { root, prefix }: Shadow,
  paths: readonly string[],
  limits: TreeLimits,
): Promise<{ taken: string[]; left: number; leftOut: LeftOut[] }> {
  if (paths.length > limits.files) {
    throw new CodedError('TOO_MANY', `${paths.length} files are too many to record.`);
  }
  const taken: string[] = [];
  const leftOut: LeftOut[] = [];
  let left = 0;
  let bytes = 0;
  for (const path of paths) {
    const facts = await lstat(join(root, path)).catch(() => undefined);
    if (facts?.isFile()) {
      const isReadable = await access(join(root, path), constants.R_OK).then(
        () => true,
        () => false,
      );
      if (facts.size > limits.fileBytes || !isReadable) {
        left += 1;
        const { size, mtimeMs: mtime } = facts;
        if (leftOut.length < MAX_LEFT_OUT) leftOut.push({ path: path.slice(prefix.length), size, mtime });
        continue;
      }
      bytes += facts.size;
      if (bytes > limits.bytes) throw new CodedError('TOO_MANY', 'The files are too large to record.');
    }
    taken.push(path);
  }
  return { taken, left, leftOut };
}

async function update(
  shadow: Shadow,
  index: string,
  paths: readonly string[],
  remaining: () => number,
): Promise<void> {
  const args = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
  const add = (some: readonly string[]) =>
    shadow.run(args, {
      index,
      input: some.map((path) => `${path}\0`).join(''),
      timeoutMs: remaining(),
    });
  try {
    await add(paths);
  } catch (error) {
    // A file was replaced during the call: add the others in smaller batches.
    if (!(error instanceof CodedError) || error.code !== 'GIT_FAILED') throw error;
    if (paths.length === 1) return;
    const middle = Math.ceil(paths.length / 2);
    await update(shadow, index, paths.slice(0, middle), remaining);
    await update(shadow, index, paths.slice(middle), remaining);
  }
}

/**
 * Starts from the project's index, which saves reading every file whose committed form equals the worktree byte for
 * byte.
 */
async function seedIndex(shadow: Shadow, index: string): Promise<void> {
  const { source } = shadow;
  if (!source) return;
  const seed = join(source.gitDirectory, 'index');
  const facts = await stat(seed).catch(() => undefined);
  if (!facts?.isFile() || facts.size > MAX_SEED) return;
  try {
    await copyFile(seed, index, constants.COPYFILE_FICLONE);
    // Git treats files newer than the index as changed, so the copy keeps the time of the original.
    await utimes(index, facts.atime, new Date(Math.floor(facts.mtimeMs)));
    const entries = (await shadow.text(['ls-files', '-z', '-v', '--cached'], { index }))
      .split('\0')
      .filter(Boolean);
    const converted = await convertedFiles(
      source,
      entries.map((entry) => entry.slice(2)),
    );
    // A lowercase letter marks a file whose changes git was configured to ignore; we want them.
    const hidden = entries.filter((entry) => /^[a-z]/.test(entry)).map((entry) => entry.slice(2));
    if (hidden.length > 0) await updateMarks(shadow, index, '--no-assume-unchanged', hidden);
    if (converted.length > 0) await updateMarks(shadow, index, '--force-remove', converted);
  } catch (error) {
    // A split index, or an unsupported format: read every file instead.
    if (!(error instanceof CodedError)) throw error;
    await rm(index, { force: true });
  }
}

async function updateMarks(
  shadow: Shadow,
  index: string,
  how: string,
  paths: readonly string[],
): Promise<void> {
  const input = paths.map((path) => `${path}\0`).join('');
  await shadow.run(['update-index', how, '-z', '--stdin'], { index, input });
}

/** Files that git converts on checkin or checkout: their committed form differs from the worktree. */
async function convertedFiles(source: ShadowSource, paths: readonly string[]): Promise<string[]> {
  const { environment } = await gitView(source);
  const args = ['check-attr', '-z', '--stdin', 'filter', 'eol', 'ident', 'working-tree-encoding'];
  const input = paths.map((path) => `${path}\0`).join('');
  const text = await gitText({ directory: source.root, args, input, environment });
  const parts = text.split('\0');
  const found = new Set<string>();
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [path = '', , value = ''] = parts.slice(at, at + 3);
    if (value !== 'unspecified' && value !== 'unset' && value !== 'lf') found.add(path);
  }
  return [...found];
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
