/**
 * Records each save while the original file is moved aside, so that a crash at that moment does not lose it: the next
 * server moves the file back.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '@tugdeck/local/files/file-faults';
import type { Log } from '@tugdeck/local/log';
import { z } from 'zod';

const intentSchema = z.object({ folder: z.string(), name: z.string(), aside: z.string() });
type Intent = z.infer<typeof intentSchema>;

export interface SaveIntents {
  begin(intent: Intent): { end(): void };
}

export function openSaveIntents(directory: string, log: Log): SaveIntents {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const file of readdirSync(directory)) {
    try {
      moveBack(intentSchema.parse(JSON.parse(readFileSync(join(directory, file), 'utf8'))));
      unlinkSync(join(directory, file));
    } catch (error) {
      log.warn('recovering an interrupted save failed', { file, error });
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

/** Moves the file back unless the name is taken. */
function moveBack({ folder, name, aside }: Intent): void {
  const asidePath = join(folder, aside);
  try {
    linkSync(asidePath, join(folder, name));
  } catch (error) {
    const code = errnoOf(error);
    // Never moved aside, or already moved back.
    if (code === 'ENOENT') return;
    if (code !== 'EEXIST') throw error;
  }
  unlinkSync(asidePath);
}
