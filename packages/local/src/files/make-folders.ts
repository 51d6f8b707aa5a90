import { mkdir } from 'node:fs/promises';
import { joinPath } from '@tugdeck/protocol/files/paths';
import { openChangeable, withTarget } from './confined.ts';
import { errnoOf } from './file-faults.ts';

/** Creates one folder at a time, each resolved inside the previous one, so that no link can lead outside. */
export async function makeFolders(root: string, path: string): Promise<void> {
  let made = '';
  for (const part of path === '' ? [] : path.split('/')) {
    made = joinPath(made, part);
    await withTarget(openChangeable(root, made), async ({ folder, name }) => {
      try {
        await mkdir(folder.at(name));
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error;
      }
    });
  }
}
