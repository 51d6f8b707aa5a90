/**
 * For the moment in which a save has taken a file aside: a note in the data directory says where it is, so that a server
 * that dies in that moment leaves no project without its file. The next one puts it back.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '@tugdeck/local/log';
import { z } from 'zod';
import { errnoOf } from './file-faults.ts';

const intentSchema = z.object({ folder: z.string(), name: z.string(), aside: z.string() });
type Intent = z.infer<typeof intentSchema>;

export interface SaveIntents {
  begin(intent: Intent): { end(): void };
}

export function openSaveIntents(directory: string, log: Log): SaveIntents {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const file of readdirSync(directory)) {
    try {
      putBack(intentSchema.parse(JSON.parse(readFileSync(join(directory, file), 'utf8'))));
      unlinkSync(join(directory, file));
    } catch (error) {
      log.warn('a save that was cut off', { file, error });
    }
  }
  return {
    begin(intent) {
      const file = join(directory, randomUUID());
      writeFileSync(file, JSON.stringify(intent), { mode: 0o600 });
      return { end: () => unlinkSync(file) };
    },
  };
}

/** Gives the file its name again, unless there is one. */
function putBack({ folder, name, aside }: Intent): void {
  const asidePath = join(folder, aside);
  try {
    linkSync(asidePath, join(folder, name));
  } catch (error) {
    const code = errnoOf(error);
    // Never taken aside, or put back already.
    if (code === 'ENOENT') return;
    if (code !== 'EEXIST') throw error;
  }
  unlinkSync(asidePath);
}
