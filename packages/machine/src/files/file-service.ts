/**
 * Entry point for file operations on projects: open projects, saves, trash. Projects are looked up by id on every
 * call, so that a removed one is no longer accessible.
 */
import { join } from 'node:path';
import type { Log } from '@tugdeck/local/log';
import type { SaveAnswer } from '@tugdeck/protocol/files/messages';
import type { MarkSource } from './marks.ts';
import { type FilesListener, ProjectFiles } from './project-files.ts';
import { textOf } from './read-file.ts';
import { FileSaver } from './save-file.ts';
import { openSaveIntents } from './save-intents.ts';
import type { SaveNotes } from './save-notes.ts';
import { Trash } from './trash.ts';

export interface FileServiceOptions {
  readonly dataRoot: string;
  /** Throws a coded error for an unknown project. */
  readonly directoryOf: (project: string) => string;
  /** Git marks of a project's files. */
  readonly marksOf: (project: string) => MarkSource;
  /** Records a save for restores. */
  readonly saved: SaveNotes['add'];
  readonly log: Log;
  readonly now: () => number;
}

export interface Overtaken {
  readonly path: string;
  readonly text: string;
  readonly trash: string;
}

/** A project without listeners is closed after this time. */
const IDLE_MS = 60_000;
const LATE_WRITE_MS = 1_000;
const MAX_IDLE = 8;

interface ProjectEntry {
  readonly files: ProjectFiles;
  idle: NodeJS.Timeout | undefined;
}

export class FileService {
  readonly #options: FileServiceOptions;
  readonly #projects = new Map<string, ProjectEntry>();
  readonly #saver: FileSaver;
  readonly #overtakenListeners = new Map<string, Set<(overtaken: Overtaken) => void>>();

  constructor(options: FileServiceOptions) {
    this.#options = options;
    this.#saver = new FileSaver({
      intents: openSaveIntents(join(options.dataRoot, 'saves'), options.log),
      lateWriteMs: LATE_WRITE_MS,
      fault: (error) => options.log.warn('late write check', { error }),
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
    const { saved, now } = this.#options;
    const root = this.directoryOf(project);
    return this.#saver.save({
      root,
      path,
      bytes,
      expected,
      saved: (replaced) => saved(project, root, { ...replaced, at: now(), after: bytes }),
      overtaken: (which, left) => void this.#overtaken(project, which, left),
    });
  }

  /** Opens a project's files for one request; kept open for a while because more requests usually follow. */
  open(project: string): ProjectFiles {
    const root = this.directoryOf(project);
    const entry = this.#projects.get(root) ?? this.#openProject(project, root);
    this.#closeWhenIdle(root, entry);
    return entry.files;
  }

  /** Keeps the project open until `end` is called. */
  follow(
    project: string,
    listener: FilesListener,
    overtaken: (overtaken: Overtaken) => void,
  ): { readonly files: ProjectFiles; end(): void } {
    const files = this.open(project);
    const { root } = files;
    const unsubscribe = files.subscribe(listener);
    const listeners = this.#overtakenListeners.get(project) ?? new Set();
    listeners.add(overtaken);
    this.#overtakenListeners.set(project, listeners);
    return {
      files,
      end: () => {
        unsubscribe();
        listeners.delete(overtaken);
        const entry = this.#projects.get(root);
        if (entry) this.#closeWhenIdle(root, entry);
      },
    };
  }

  async close(): Promise<void> {
    const entry = [...this.#projects.values()];
    this.#projects.clear();
    for (const { idle } of entry) clearTimeout(idle);
    await Promise.all(entry.map(({ files }) => files.close()));
    await this.#saver.close();
  }

  #openProject(project: string, root: string): ProjectEntry {
    const { log, marksOf } = this.#options;
    const files = new ProjectFiles({ root, log, marks: marksOf(project) });
    const entry: ProjectEntry = { files, idle: undefined };
    const idle = [...this.#projects].filter(([, { files: other }]) => !other.hasListeners);
    for (const [other, old] of idle.slice(0, Math.max(0, idle.length - MAX_IDLE + 1)))
      this.#close(other, old);
    this.#projects.set(root, entry);
    files.start().catch((error: unknown) => log.warn('watch', { error }));
    return entry;
  }

  #closeWhenIdle(root: string, entry: ProjectEntry): void {
    clearTimeout(entry.idle);
    entry.idle = setTimeout(() => {
      if (!entry.files.hasListeners) this.#close(root, entry);
    }, IDLE_MS);
    entry.idle.unref();
  }

  #close(root: string, entry: ProjectEntry): void {
    clearTimeout(entry.idle);
    if (this.#projects.get(root) === entry) this.#projects.delete(root);
    entry.files.close().catch((error: unknown) => this.#options.log.warn('watch', { error }));
  }

  async #overtaken(project: string, path: string, bytes: Buffer): Promise<void> {
    const { log, dataRoot, now } = this.#options;
    try {
      const trash = await new Trash(join(dataRoot, 'trash', project), now).keep(path, bytes);
      const text = textOf(bytes);
      log.warn('a save replaced an unseen change', { path, trash });
      if (text === undefined) return;
      for (const listener of this.#overtakenListeners.get(project) ?? []) listener({ path, text, trash });
    } catch (error) {
      log.error('a replaced text could not be kept', { path, error });
    }
  }
}
