/**
 * The PATH of programs that run inside a project (X2, X6). A relative or empty folder (`PATH=:/usr/bin`, a common slip)
 * means the current directory, so reading a repository would run a `git` file in it.
 */
import { delimiter, isAbsolute } from 'node:path';

/** An empty PATH means the current directory too. */
const USUAL = process.platform === 'win32' ? '' : ['/usr/bin', '/bin'].join(delimiter);

export function absoluteFolders(path: string): string {
  return (
    path
      .split(delimiter)
      .filter((folder) => isAbsolute(folder))
      .join(delimiter) || USUAL
  );
}
