/**
 * A short private directory for sockets, whose paths are limited to about 100 bytes. Its name is derived from the
 * user and the data directory; it is recreated after being deleted. The name is predictable in a shared directory, so
 * if another user has taken it, a random name is used instead and stored in the data directory for the next server
 * (X9).
 */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';
import { makeDataDirectory } from './data-directory.ts';
import { checkAncestors, isClosedToOthers, isOwn, lstatIfExists, readOwnFile } from './ownership.ts';
import { writePrivate } from './private-file.ts';
import { ownUid } from './trusted-owner.ts';

/** Maximum length of a socket's path in bytes, without the final NUL. */
const MAX_SOCKET = process.platform === 'darwin' ? 103 : 107;
const LONGEST_SOCKET = '/h-0123456789abc.sock'.length;

const keptSchema = z.object({ directory: z.string() });

export function runtimeDirectory(dataRoot: string, environment: NodeJS.ProcessEnv): string {
  const chosen = environment.TUGDECK_RUNTIME_DIR;
  if (chosen) return inChosen(dataRoot, resolve(chosen));
  // XDG_RUNTIME_DIR is often that of another user (after `su`) or of a session that has ended.
  for (const base of [environment.XDG_RUNTIME_DIR, tmpdir(), '/tmp', join(dataRoot, 'run')]) {
    if (!base) continue;
    try {
      return within(dataRoot, resolve(base));
    } catch {
      // The next base may work; if none does, the error below explains what to set.
    }
  }
  throw new CodedError(
    'DATA_UNWRITABLE',
    'Could not create a private directory for sockets.',
    'Set TUGDECK_RUNTIME_DIR to a directory with a short path that only you can write to.',
  );
}

function inChosen(dataRoot: string, base: string): string {
  try {
    mkdirSync(base, { recursive: true, mode: 0o700 });
    return within(dataRoot, base);
  } catch (error) {
    if (error instanceof CodedError) throw error;
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new CodedError(
      'DATA_UNWRITABLE',
      `${base}, the value of TUGDECK_RUNTIME_DIR, cannot be written to (${code}).`,
      'Set it to a directory that you can write to, or unset it.',
    );
  }
}

function within(dataRoot: string, base: string): string {
  const name = createHash('sha256').update(resolve(dataRoot)).digest('hex').slice(0, 10);
  const usual = join(base, `tugdeck-${ownUid ?? -1}-${name}`);
  if (Buffer.byteLength(usual) + LONGEST_SOCKET > MAX_SOCKET)
    throw new CodedError(
      'DATA_UNWRITABLE',
      `The path of ${base} is too long for sockets.`,
      'Set TUGDECK_RUNTIME_DIR to a directory with a shorter path.',
    );
  checkAncestors(base, true);
  const run = join(dataRoot, 'run');
  const stored = readStored(join(run, 'runtime.json'));
  if (stored !== undefined && dirname(stored) === base && isUsable(stored)) return stored;
  if (createIfMissing(usual) || isUsable(usual)) return usual;
  const other = mkdtempSync(join(base, `tugdeck-${ownUid ?? -1}-`));
  makeDataDirectory(run);
  writePrivate(join(run, 'runtime.json'), JSON.stringify({ directory: other }));
  return other;
}

function readStored(file: string): string | undefined {
  try {
    return keptSchema.safeParse(JSON.parse(readOwnFile(file) ?? 'null')).data?.directory;
  } catch {
    return undefined; // Damaged or not ours: a new name is chosen.
  }
}

function createIfMissing(directory: string): boolean {
  try {
    mkdirSync(directory, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes others' access to our own directory, and uses it unless another user has put something into it. */
function isUsable(directory: string): boolean {
  const stat = lstatIfExists(directory);
  if (!stat?.isDirectory() || !isOwn(stat)) return false;
  if (isClosedToOthers(stat)) return true;
  chmodSync(directory, 0o700);
  return readdirSync(directory).every((name) => {
    const entry = lstatIfExists(join(directory, name));
    return !entry || isOwn(entry);
  });
}
