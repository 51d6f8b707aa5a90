/**
 * Writes the project as it is now as a tree into its shadow. Bounded: files too large are left out, a project with too
 * much in it is not recorded at all, and either is said. Reads what changed since this writer's last tree, not all.
 */
import { constants } from 'node:fs';
import { access, copyFile, lstat, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { gitText } from '@tugdeck/local/git';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { gitView } from './guard/git-view.ts';
import type { Shadow, ShadowSource } from './shadow.ts';

export interface TreeLimits {
  /** Changed files that one recording takes. */
  readonly files: number;
  /** Bytes of them, together. */
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
  /** Files that were left out for their size, or could not be read. */
  readonly left: number;
}

export interface RecordOptions {
  readonly shadow: Shadow;
  /** Who records: has an index of its own, so that several may at once. */
  readonly writer: string;
  readonly limits?: TreeLimits | undefined;
}

export async function recordTree(options: RecordOptions): Promise<RecordedTree> {
  const { shadow, writer, limits = TREE_LIMITS } = options;
  await shadow.open();
  const index = shadow.index(writer);
  await rm(`${index}.lock`, { force: true });
  if (!(await isThere(index))) await seedIndex(shadow, index);
  const until = performance.now() + limits.timeMs;
  const remaining = () => Math.max(1, Math.round(until - performance.now()));
  const listed = await candidates(shadow, index, remaining()).catch(async (error: unknown) => {
    // An index that git cannot read (of another version, cut short) is made anew.
    if (!(error instanceof CodedError) || error.code !== 'GIT_FAILED') throw error;
    await rm(index, { force: true });
    return candidates(shadow, index, remaining());
  });
  const { taken, left } = await withinLimits(shadow.root, listed, limits);
  if (taken.length > 0) await update(shadow, index, taken, remaining);
  return { tree: await writeTree(shadow, index, remaining()), left };
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
  // Nothing of the project is in it yet.
  return (await shadow.text(['mktree', '-z'])).trim();
}

/** What differs from the index, gone files too, and what is new. Nested repositories end in a slash. */
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
  root: string,
  paths: readonly string[],
  limits: TreeLimits,
): Promise<{ taken: string[]; left: number }> {
  if (paths.length > limits.files) {
    throw new CodedError('TOO_MANY', `${paths.length} files are too many to record.`);
  }
  const taken: string[] = [];
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
        continue;
      }
      bytes += facts.size;
      if (bytes > limits.bytes) throw new CodedError('TOO_MANY', 'The files are too large to record.');
    }
    taken.push(path);
  }
  return { taken, left };
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
    // One of them was replaced while we looked; the others are taken one half at a time.
    if (!(error instanceof CodedError) || error.code !== 'GIT_FAILED') throw error;
    if (paths.length === 1) return;
    const middle = Math.ceil(paths.length / 2);
    await update(shadow, index, paths.slice(0, middle), remaining);
    await update(shadow, index, paths.slice(middle), remaining);
  }
}

/** The project's index saves reading every file, where what it holds is what lies in the work tree byte for byte. */
async function seedIndex(shadow: Shadow, index: string): Promise<void> {
  const { source } = shadow;
  if (!source) return;
  const seed = join(source.gitDirectory, 'index');
  const facts = await stat(seed).catch(() => undefined);
  if (!facts?.isFile() || facts.size > MAX_SEED) return;
  try {
    await copyFile(seed, index, constants.COPYFILE_FICLONE);
    // Git takes a file as changed that is younger than the index; a copy must not look younger than it is.
    await utimes(index, facts.atime, new Date(Math.floor(facts.mtimeMs)));
    const entries = (await shadow.text(['ls-files', '-z', '-v', '--cached'], { index }))
      .split('\0')
      .filter(Boolean);
    const converted = await convertedFiles(
      source,
      entries.map((entry) => entry.slice(2)),
    );
    // A small letter marks a file whose changes git was told not to see; we want to.
    const hidden = entries.filter((entry) => /^[a-z]/.test(entry)).map((entry) => entry.slice(2));
    if (hidden.length > 0) await updateMarks(shadow, index, '--no-assume-unchanged', hidden);
    if (converted.length > 0) await updateMarks(shadow, index, '--force-remove', converted);
  } catch (error) {
    // A split index, or one in a form that is not ours to read: then every file is read.
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

/** Files that git would change on their way in or out: their committed form is not what lies there. */
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

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
