/** From what a user typed to the one path that names a directory (S4). */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, normalize } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';

export async function resolveProjectPath(typed: string): Promise<string> {
  const path = withHome(typed.trim());
  if (path === '' || path.includes('\0')) throw invalid(typed, 'it is empty');
  if (!isAbsolute(path)) throw invalid(typed, 'it is not an absolute path');
  try {
    const real = await realpath(normalize(path));
    if (!(await stat(real)).isDirectory()) throw invalid(typed, 'it is a file, not a folder');
    await access(real, constants.R_OK | constants.X_OK);
    return real;
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw invalid(typed, reasonOf(error));
  }
}

function withHome(path: string): string {
  if (path === '~') return homedir();
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}

function reasonOf(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'there is no such folder';
    case 'EACCES':
    case 'EPERM':
      return 'it may not be read';
    case 'ENOTDIR':
      return 'a part of it is a file, not a folder';
    case 'ENAMETOOLONG':
      return 'it is too long';
    default:
      return 'it cannot be read';
  }
}

function invalid(typed: string, why: string): CodedError {
  return new CodedError('PROJECT_PATH_INVALID', `${typed.slice(0, 200)}: ${why}.`);
}
