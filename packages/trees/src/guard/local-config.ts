/**
 * A repository's own configuration, parsed by git but handed to it as bytes: git opens no file that the repository names,
 * follows no include, and cannot wait for a pipe. Key names that are not UTF-8 are refused, because a name that we
 * cannot repeat byte for byte cannot be judged (V1).
 */
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readBounded } from '@tugdeck/local/bounded-file';
import { git } from '@tugdeck/local/git';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { isUnknownExtension } from './config-keys.ts';
import { scratchDirectory } from './scratch-directory.ts';

export interface ConfigEntry {
  readonly key: string;
  /** One character per byte; nothing where the key has no `=`. */
  readonly value: string | undefined;
}

export interface ConfigPlace {
  readonly gitDirectory: string;
  readonly commonDirectory: string;
}

const MAX_CONFIG = 1024 * 1024;
const MAX_ENTRIES = 20_000;
const PARSE_MS = 10_000;
const HINT = 'Look at .git/config in a terminal before you work with this repository.';

/** The bytes of its configuration files, and of those of its worktree: the same bytes parse to the same entries. */
export async function configBytes(place: ConfigPlace): Promise<readonly [Buffer, Buffer]> {
  return [
    await bytesOf(join(place.commonDirectory, 'config')),
    await bytesOf(join(place.gitDirectory, 'config.worktree')),
  ];
}

export async function parseConfig([common, worktree]: readonly [Buffer, Buffer]): Promise<ConfigEntry[]> {
  const entries = await parse(common);
  const hasOwn = entries.findLast(({ key }) => key === 'extensions.worktreeconfig');
  if (hasOwn && !/^(false|no|off|0|)$/i.test(hasOwn.value ?? 'true'))
    entries.push(...(await parse(worktree)));
  const unknown = entries.find(({ key, value }) => isUnknownExtension(key, value));
  if (unknown) throw unsafe(`It has a format that is not known here: ${unknown.key}.`);
  return entries;
}

async function bytesOf(file: string): Promise<Buffer> {
  const bytes = readBounded(file, { maxBytes: MAX_CONFIG });
  if (bytes) return bytes;
  const isThere = await lstat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => !['ENOENT', 'ENOTDIR'].includes(error.code ?? ''),
  );
  if (isThere) throw unsafe('Its configuration is not a plain file of a sensible size.');
  return Buffer.alloc(0);
}

async function parse(bytes: Buffer): Promise<ConfigEntry[]> {
  if (bytes.length === 0) return [];
  // Git takes a zero as the end of a name; what stands behind it would be judged and not used.
  if (bytes.includes(0)) throw unsafe('Its configuration has a zero byte in it.');
  const directory = scratchDirectory();
  const { stdout } = await git({
    directory,
    args: ['config', '--file', '-', '--no-includes', '--list', '-z'],
    input: bytes,
    timeoutMs: PARSE_MS,
    environment: { GIT_CEILING_DIRECTORIES: dirname(directory) },
  });
  const entries: ConfigEntry[] = [];
  for (const record of recordsOf(stdout)) {
    if (entries.length >= MAX_ENTRIES) throw unsafe('Its configuration has too many entries.');
    entries.push(entryOf(record));
  }
  return entries;
}

function* recordsOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0, to = bytes.indexOf(0); to >= 0; from = to + 1, to = bytes.indexOf(0, from)) {
    yield bytes.subarray(from, to);
  }
}

function entryOf(record: Buffer): ConfigEntry {
  const end = record.indexOf(0x0a);
  const name = end < 0 ? record : record.subarray(0, end);
  const key = name.toString('utf8');
  if (!Buffer.from(key, 'utf8').equals(name)) throw unsafe('A key of its configuration is not UTF-8.');
  return { key, value: end < 0 ? undefined : record.toString('latin1', end + 1) };
}

function unsafe(why: string): CodedError {
  return new CodedError('GIT_UNSAFE', `This repository is not read. ${why}`, HINT);
}
