/**
 * Everything the server does with the files of projects, in one room: who looks at which project, saves, the trash. A
 * project is asked for by its id every time, so that one that was removed is not reached any more.
 */
import { join } from 'node:path';
import type { Log } from '@tugdeck/local/log';
import type { SaveAnswer } from '@tugdeck/protocol/files/messages';
import type { MarkSource } from './marks.ts';
import { type FilesListener, ProjectFiles } from './project-files.ts';
import { textOf } from './read-file.ts';
import { FileSaver } from './save-file.ts';
import { openSaveIntents } from './save-intents.ts';
import { Trash } from './trash.ts';

export interface FilesOptions {
  readonly dataRoot: string;
  /** The directory of a project; throws a coded error for one that is not there. */
  readonly directoryOf: (project: string) => string;
  /** Git's marks of a project's files. */
  readonly marksOf: (project: string) => MarkSource;
  readonly log: Log;
  readonly now: () => number;
}

export interface Overtaken {
  readonly path: string;
  readonly text: string;
  readonly trash: string;
}

/** A project that nobody looked at for this long is not watched any more. */
const IDLE_MS = 60_000;
const LINGER_MS = 1_000;
const MAX_IDLE = 8;

interface Kept {
  readonly files: ProjectFiles;
  idle: NodeJS.Timeout | undefined;
}

export class Files {
  readonly #options: FilesOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #saver: FileSaver;
  readonly #hearers = new Map<string, Set<(overtaken: Overtaken) => void>>();

  constructor(options: FilesOptions) {
    this.#options = options;
    this.#saver = new FileSaver({
      intents: openSaveIntents(join(options.dataRoot, 'saves'), options.log),
      lingerMs: LINGER_MS,
      fault: (error) => options.log.warn('a replaced file', { error }),
    });
  }

  directoryOf(project: string): string {
    return this.#options.directoryOf(project);
  }

  trash(project: string): Trash {
    this.directoryOf(project);
    return new Trash(join(this.#options.dataRoot, 'trash', project), this.#options.now);
  }

  save(project: string, path: string, bytes: Buffer, expected: string | undefined): Promise<SaveAnswer> {
    return this.#saver.save({
      root: this.directoryOf(project),
      path,
      bytes,
      expected,
      overtaken: (which, left) => void this.#overtaken(project, which, left),
    });
  }

  /** The project's files for one question; watched for a while, for more will come. */
  look(project: string): ProjectFiles {
    const root = this.directoryOf(project);
    const kept = this.#kept.get(root) ?? this.#open(project, root);
    this.#restIfIdle(root, kept);
    return kept.files;
  }

  /** For as long as a page has it open. */
  follow(
    project: string,
    listener: FilesListener,
    overtaken: (overtaken: Overtaken) => void,
  ): { readonly files: ProjectFiles; end(): void } {
    const files = this.look(project);
    const { root } = files;
    const unsubscribe = files.subscribe(listener);
    const hearers = this.#hearers.get(project) ?? new Set();
    hearers.add(overtaken);
    this.#hearers.set(project, hearers);
    return {
      files,
      end: () => {
        unsubscribe();
        hearers.delete(overtaken);
        const kept = this.#kept.get(root);
        if (kept) this.#restIfIdle(root, kept);
      },
    };
  }

  async close(): Promise<void> {
    const kept = [...this.#kept.values()];
    this.#kept.clear();
    for (const { idle } of kept) clearTimeout(idle);
    await Promise.all(kept.map(({ files }) => files.close()));
    await this.#saver.close();
  }

  #open(project: string, root: string): Kept {
    const { log, marksOf } = this.#options;
    const files = new ProjectFiles({ root, log, marks: marksOf(project) });
    const kept: Kept = { files, idle: undefined };
    const idle = [...this.#kept].filter(([, { files: other }]) => !other.isWatched);
    for (const [other, old] of idle.slice(0, Math.max(0, idle.length - MAX_IDLE + 1))) this.#drop(other, old);
    this.#kept.set(root, kept);
    files.start().catch((error: unknown) => log.warn('watch', { error }));
    return kept;
  }

  #restIfIdle(root: string, kept: Kept): void {
    clearTimeout(kept.idle);
    kept.idle = setTimeout(() => {
      if (!kept.files.isWatched) this.#drop(root, kept);
    }, IDLE_MS);
    kept.idle.unref();
  }

  #drop(root: string, kept: Kept): void {
    clearTimeout(kept.idle);
    if (this.#kept.get(root) === kept) this.#kept.delete(root);
    kept.files.close().catch((error: unknown) => this.#options.log.warn('watch', { error }));
  }

  async #overtaken(project: string, path: string, bytes: Buffer): Promise<void> {
    const { log, dataRoot, now } = this.#options;
    try {
      const trash = await new Trash(join(dataRoot, 'trash', project), now).keep(path, bytes);
      const text = textOf(bytes);
      log.warn('a save went over a change', { path, trash });
      if (text === undefined) return;
      for (const hear of this.#hearers.get(project) ?? []) hear({ path, text, trash });
    } catch (error) {
      log.error('a text could not be kept', { path, error });
    }
  }
}
