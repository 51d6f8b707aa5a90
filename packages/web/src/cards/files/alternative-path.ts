/** A name beside a taken one, for what comes back from the trash. Pure. */
import { joinPath, nameOf, parentOf } from '@tugdeck/protocol/files/paths';

export function alternativePath(path: string): string {
  const name = nameOf(path);
  // A dot at the very beginning is part of the name.
  const dot = name.lastIndexOf('.');
  const end = dot > 0 ? dot : name.length;
  return joinPath(parentOf(path), `${name.slice(0, end)} (restored)${name.slice(end)}`);
}
