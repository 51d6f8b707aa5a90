/** A free name beside a used path, for restoring from the trash. Pure. */
import { joinPath, nameOf, parentOf } from '@tugdeck/protocol/files/paths';

export function alternativePath(path: string): string {
  const name = nameOf(path);
  // A leading dot is part of the name.
  const dot = name.lastIndexOf('.');
  const end = dot > 0 ? dot : name.length;
  return joinPath(parentOf(path), `${name.slice(0, end)} (restored)${name.slice(end)}`);
}
