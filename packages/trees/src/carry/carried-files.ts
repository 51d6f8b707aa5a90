/**
 * Reads the files of an operation from the project, by handle. What can't be read concerns one file or folder: writing
 * reports it.
 */
import { nameOf } from '@tugdeck/protocol/files/paths';
import type { CarriedRow } from './apply.ts';
import { byParent, ifReadable, inspect, openReadable, type Seen, statOf } from './exact-files.ts';
import { isSameVersion, type Version } from './versions.ts';

/** Paths of the rows that are in the project as they are after the operation. */
export async function carriedPaths(root: string, rows: readonly CarriedRow[]): Promise<string[]> {
  const found: string[] = [];
  for (const [folderPath, list] of byParent(rows, ({ path }) => path)) {
    const folder = await openReadable(root, folderPath);
    try {
      for (const { path, after } of list) {
        const current =
          typeof folder === 'object' ? ifReadable(() => inspect(folder.at(nameOf(path)))) : undefined;
        // A folder that is elsewhere says nothing about its files.
        if (folder === 'missing' ? !after : typeof folder === 'object' && isThere(current, after))
          found.push(path);
      }
    } finally {
      if (typeof folder === 'object') await folder.close();
    }
  }
  return found;
}

/**
 * Files that would be created, but are in the project already: ignored ones are in no tree. Without a version if they
 * can't be read.
 */
export async function existingFiles(
  root: string,
  rows: readonly CarriedRow[],
): Promise<Map<string, Version | undefined>> {
  const found = new Map<string, Version | undefined>();
  const created = rows.filter(({ before, after }) => !before && after);
  for (const [folderPath, list] of byParent(created, ({ path }) => path)) {
    const folder = await openReadable(root, folderPath);
    if (typeof folder !== 'object') continue;
    try {
      for (const { path } of list) {
        const current = ifReadable(() => inspect(folder.at(nameOf(path))));
        if (current === 'unreadable') found.set(path, undefined);
        else if (current && current !== 'other') found.set(path, current.version);
      }
    } finally {
      await folder.close();
    }
  }
  return found;
}

type Inspected = Seen | 'other' | 'unreadable' | undefined;

function isThere(current: Inspected, version: Version | undefined): boolean {
  return typeof current !== 'string' && isSameVersion(current?.version, version);
}

/** Permissions of files that are about to be removed, so that undo can create them again as they were. */
export async function permissionsOf(root: string, paths: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const [folderPath, list] of byParent(paths, (path) => path)) {
    const folder = await openReadable(root, folderPath);
    if (typeof folder !== 'object') continue;
    try {
      for (const path of list) {
        const facts = ifReadable(() => statOf(folder.at(nameOf(path))));
        if (typeof facts === 'object' && facts.isFile()) found.set(path, facts.mode & 0o777);
      }
    } finally {
      await folder.close();
    }
  }
  return found;
}
