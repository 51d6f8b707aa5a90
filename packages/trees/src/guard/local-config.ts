/**
 * Reads a repository's configuration. Git parses it, but from bytes that we pass: it opens no file that the
 * repository names, follows no include, and cannot block on a pipe. Key names that are not UTF-8 are refused, because
 * a name that cannot be repeated byte for byte cannot be checked (V1).
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
  /** One character per byte; `undefined` if the key has no `=`. */
  readonly value: string | undefined;
}

export interface ConfigPlace {
  readonly gitDirectory: string;
  readonly commonDirectory: string;
}

const MAX_CONFIG = 1024 * 1024;
const MAX_ENTRIES = 20_000;
const PARSE_MS = 10_000;
const HINT = 'Check .git/config in a terminal before you use this repository.';

/**
 * The bytes of the configuration files of the repository and of its worktree; the same bytes parse to the same
 * entries.
 */
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
  if (unknown) throw unsafe(`Unknown repository format: ${unknown.key}.`);
  return entries;
}

async function bytesOf(file: string): Promise<Buffer> {
  const bytes = readBounded(file, { maxBytes: MAX_CONFIG });
  if (bytes) return bytes;
  const isThere = await lstat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => !['ENOENT', 'ENOTDIR'].includes(error.code ?? ''),
  );
  if (isThere) throw unsafe('Its configuration is not a regular file, or is too large.');
  return Buffer.alloc(0);
}

async function parse(bytes: Buffer): Promise<ConfigEntry[]> {
  if (bytes.length === 0) return [];
  // Git ends a name at a NUL, so the rest would be checked but not used.
  if (bytes.includes(0)) throw unsafe('Its configuration contains a NUL byte.');
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
  if (!Buffer.from(key, 'utf8').equals(name)) throw unsafe('A key in its configuration is not UTF-8.');
  return { key, value: end < 0 ? undefined : record.toString('latin1', end + 1) };
}

function unsafe(why: string): CodedError {
  return new CodedError('GIT_UNSAFE', `This repository was not read. ${why}`, HINT);
}
