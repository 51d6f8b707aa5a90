/** Resolves a typed path to a project directory (S4). */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, normalize } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';

export async function resolveProjectPath(typed: string): Promise<string> {
  const path = withHome(typed.trim());
  if (path === '' || path.includes('\0')) throw invalid(typed, 'the path is empty');
  if (!isAbsolute(path)) throw invalid(typed, 'not an absolute path');
  try {
    const real = await realpath(normalize(path));
    if (!(await stat(real)).isDirectory()) throw invalid(typed, 'this is a file, not a folder');
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
      return 'folder not found';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ENOTDIR':
      return 'part of the path is a file';
    case 'ENAMETOOLONG':
      return 'the path is too long';
    default:
      return "can't be read";
  }
}

function invalid(typed: string, why: string): CodedError {
  return new CodedError('PROJECT_PATH_INVALID', `${typed.slice(0, 200)}: ${why}.`);
}
