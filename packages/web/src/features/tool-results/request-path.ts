/**
 * Resolves a path in a request: `.` and `..` are applied, and it is relative inside the project. Uses the text
 * only: the page cannot see symbolic links, so it reports where one could matter. Pure.
 */
import { visiblePath } from '../../kit/visible-text.ts';
import { blankText } from './blank-runs.ts';

interface RequestPath {
  readonly text: string;
  /** Outside the project, judging by its text. */
  readonly isOutside: boolean;
  /** Has a `..` after a name: if that name is a symbolic link, the path leads elsewhere. */
  readonly isIndirect: boolean;
}

export function requestPath(path: string, directory: string | undefined): RequestPath {
  const isHome = /^~[^/]*(?:\/|$)/.test(path);
  const isAbsolute = path.startsWith('/');
  const root = directory === undefined ? undefined : resolved(directory.split('/')).names;
  const base = isAbsolute || isHome ? [] : (root ?? []);
  const { names, isIndirect, climbs } = resolved(path.split('/'), base);
  const above = isAbsolute ? '' : '../'.repeat(climbs);
  const whole = `${isAbsolute || (root && !isHome) ? '/' : above}${names.join('/')}`;
  const isInside = root !== undefined && !isHome && root.every((name, at) => names[at] === name);
  const inside = isInside ? names.slice(root.length).join('/') || '.' : whole;
  return {
    text: blankText(visiblePath(inside || '.')),
    isOutside: isHome || (root === undefined ? climbs > 0 : !isInside),
    isIndirect,
  };
}

function resolved(parts: readonly string[], base: readonly string[] = []) {
  const names = [...base];
  let [isIndirect, climbs] = [false, 0];
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    if (part !== '..') names.push(part);
    else if (names.length === 0) climbs += 1;
    else {
      // Leaving the project's folder is unambiguous; leaving a folder named in the path may not be.
      isIndirect ||= names.length > base.length;
      names.pop();
    }
  }
  return { names, isIndirect, climbs };
}

/**
 * The real host of a URL whose text looks like another one: letters of other alphabets resemble Latin ones, and the
 * part before an @ looks like a host. Pure.
 */
export function disguisedHost(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { host, username, password } = new URL(address);
  const isPlain = address.toLowerCase().includes(`//${host}`) && username === '' && password === '';
  return isPlain || host === '' ? undefined : host;
}
