/**
 * The filtered view of a repository that git gets for reads: the real objects, references and index, and a
 * configuration with only harmless keys. Git reads its configuration from the common directory, so that is a
 * directory that we create, with links to the real one. For git, nothing that `.git/config` names (filters, monitors,
 * converters, attribute files, includes) exists. The user's own configuration applies as always.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writePrivate } from '@tugdeck/local/private-file';
import type { RepositoryPlace } from '../find-repository.ts';
import { isReadable } from './config-keys.ts';
import { type ConfigEntry, configBytes, parseConfig } from './local-config.ts';
import { checkPlainFiles } from './plain-files.ts';
import { scratchDirectory } from './scratch-directory.ts';

export type ViewPlace = Pick<RepositoryPlace, 'root' | 'gitDirectory' | 'commonDirectory'>;

export interface GitView {
  /** Replaces the common directory. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Everything that git needs from the common directory, except `config`, `hooks` and legacy files for remotes. */
const LINKED = [
  'HEAD',
  'objects',
  'refs',
  'packed-refs',
  'reftable',
  'info',
  'logs',
  'worktrees',
  'shallow',
  'lfs',
];
const MAX_KNOWN = 200;

interface Known {
  readonly bytes: readonly [Buffer, Buffer];
  readonly view: Promise<GitView>;
}

const known = new Map<string, Known>();

/** Throws `GIT_UNSAFE` if the configuration cannot be checked, or a pipe would block git. */
export async function gitView(place: ViewPlace): Promise<GitView> {
  await checkPlainFiles(place);
  const { root, gitDirectory, commonDirectory } = place;
  const id = createHash('sha256').update([root, gitDirectory, commonDirectory].join('\0')).digest('hex');
  const bytes = await configBytes(place);
  const last = known.get(id);
  if (last && bytes.every((one, at) => last.bytes[at]?.equals(one))) {
    const view = await last.view;
    if (existsSync(join(view.directory, 'config'))) return view;
  }
  const view = make(place, bytes, id.slice(0, 24));
  known.delete(id);
  known.set(id, { bytes, view });
  for (const [oldest] of known) if (known.size > MAX_KNOWN) known.delete(oldest);
  view.catch(() => known.delete(id));
  return view;
}

async function make(place: ViewPlace, bytes: readonly [Buffer, Buffer], name: string): Promise<GitView> {
  const { root, gitDirectory, commonDirectory } = place;
  const entries = await parseConfig(bytes);
  const directory = join(scratchDirectory(), name);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const one of LINKED) {
    await symlink(join(commonDirectory, one), join(directory, one)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  const kept = entries.filter(({ key }) => isReadable(key));
  writePrivate(join(directory, 'config'), Buffer.from(written(kept), 'latin1'));
  return {
    directory,
    environment: {
      GIT_DIR: gitDirectory,
      GIT_COMMON_DIR: directory,
      GIT_WORK_TREE: root,
      GIT_CEILING_DIRECTORIES: dirname(root),
    },
  };
}

/** In a form that git parses back byte for byte; each entry has its own section header. */
function written(entries: readonly ConfigEntry[]): string {
  return [{ key: 'core.bare', value: 'false' }, ...entries].map(entryText).join('');
}

function entryText({ key, value }: ConfigEntry): string {
  const bytes = Buffer.from(key, 'utf8').toString('latin1');
  const first = bytes.indexOf('.');
  const last = bytes.lastIndexOf('.');
  const section = bytes.slice(0, first);
  const part = first === last ? '' : ` "${bytes.slice(first + 1, last).replace(/["\\]/g, '\\$&')}"`;
  const name = bytes.slice(last + 1);
  return `[${section}${part}]\n\t${name}${value === undefined ? '' : ` = ${quoted(value)}`}\n`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\b': '\\b' };

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&').replace(/[\n\t\b]/g, (one) => ESCAPES[one] ?? one)}"`;
}
