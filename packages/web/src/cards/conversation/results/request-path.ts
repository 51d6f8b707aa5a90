/**
 * The path in a request as the file that it means: `.` and `..` worked out, in the project relative to it. By its text
 * alone: the page cannot see where symbolic links lead, so it says where one could make a difference. Pure.
 */
import { visiblePath } from '../../../ui/visible-text.ts';
import { blankText } from './blank-runs.ts';

export interface RequestPath {
  readonly text: string;
  /** Not below the project, as far as the text tells. */
  readonly isOutside: boolean;
  /** A `..` behind a name: were that name a symbolic link, the path would lead elsewhere. */
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
      // Out of the project's own folder is plain; out of a folder that the path names may not be.
      isIndirect ||= names.length > base.length;
      names.pop();
    }
  }
  return { names, isIndirect, climbs };
}
