/**
 * Records saves of the editor for the sessions whose turn is running in the same folder, so that a restore does not
 * take them for the agent's work (T4).
 */
import type { Log } from '@tugdeck/local/log';
import { recordSave, type SavedContent } from '@tugdeck/trees/carry/saves';
import { openShadow } from '@tugdeck/trees/turn-trees';

export interface SaveNotesOptions {
  /** The folder of all shadow repositories. */
  readonly home: string;
  /** Sessions whose turn is running in a folder: a project's or a workspace's. */
  readonly workingIn: (place: string) => readonly string[];
  /** `saves.jsonl` of a session. */
  readonly fileOf: (session: string) => string;
  readonly log: Log;
}

export class SaveNotes {
  readonly #options: SaveNotesOptions;

  constructor(options: SaveNotesOptions) {
    this.#options = options;
  }

  /** The file is saved already, so a failure is only logged. */
  async add(place: string, directory: string, content: SavedContent): Promise<void> {
    const { home, workingIn, fileOf, log } = this.#options;
    const sessions = workingIn(place);
    if (sessions.length === 0) return;
    try {
      const shadow = await openShadow({ home, project: directory });
      for (const session of sessions) await recordSave(shadow, { session, file: fileOf(session) }, content);
    } catch (error) {
      log.warn('could not record a save', { error });
    }
  }
}
