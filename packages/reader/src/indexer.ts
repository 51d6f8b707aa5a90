/**
 * Indexes session files in the background, newest first, in time slices. Continues where the last run ended; a
 * rewritten file is indexed again. Can be stopped at any time, because flushed progress is saved.
 */

import { readStep, withFile } from '@tugdeck/drivers/kit/file-lines';
import type { HistorySource } from '@tugdeck/drivers/kit/history';
import type { Log } from '@tugdeck/local/log';
import { IndexNotWritten, type IndexWriter } from './index-writer.ts';
import { mergeInfo } from './list-info.ts';
import type { SessionFile, SessionFiles } from './session-files.ts';
import { TimeSlices } from './time-slices.ts';

export interface IndexerOptions {
  readonly files: SessionFiles;
  readonly writer: IndexWriter;
  readonly sourceOf: (agent: string) => HistorySource | undefined;
  /** Indexes the next part of a journal; true if more is left. */
  readonly readOwn: (file: SessionFile) => boolean;
  readonly log: Log;
  /** List information of a file may have improved. */
  readonly changed: (file: SessionFile) => void;
}

export class Indexer {
  readonly #options: IndexerOptions;
  readonly #queue = new Set<SessionFile>();
  readonly #rebuild = new Set<SessionFile>();
  #running: Promise<void> | undefined;
  /** Files that were read but not written to the index yet. */
  #unwritten = 0;
  #started = false;
  #stopped = false;
  read = 0;

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /** Files that are not fully searchable yet. */
  get unread(): number {
    return this.#queue.size + this.#unwritten;
  }

  /** Queues a file; with `isRewritten`, its existing rows are discarded. */
  add(file: SessionFile, { isRewritten = false } = {}): void {
    this.#queue.add(file);
    if (isRewritten) this.#rebuild.add(file);
    this.#runIfNeeded();
  }

  /** Until then, files are only queued. */
  start(): void {
    this.#started = true;
    this.#runIfNeeded();
  }

  has(file: SessionFile): boolean {
    return this.#queue.has(file);
  }

  drop(file: SessionFile): void {
    this.#queue.delete(file);
    this.#rebuild.delete(file);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /**
   * Runs until the queue is empty. Does not run again after a failure: a new reader continues from the saved
   * progress.
   */
  #runIfNeeded(): void {
    if (!this.#started || this.#stopped || this.#queue.size === 0) return;
    this.#running ??= this.#run().then(() => {
      this.#running = undefined;
      // Files may have been added while the last batch was written.
      this.#runIfNeeded();
    });
  }

  async #run(): Promise<void> {
    const { log } = this.#options;
    const slices = new TimeSlices();
    // Newest first, both at the start and after changes.
    for (let file = this.#next(); file && !this.#stopped; file = this.#next()) {
      try {
        await this.#readFile(file, slices);
      } catch (error) {
        if (error instanceof IndexNotWritten) throw error;
        log.warn('a session file could not be read', { path: file.path, error });
      }
      // The file was replaced while it was read.
      if (!this.#rebuild.has(file) && this.#queue.delete(file)) this.#unwritten += 1;
      this.read += 1;
    }
    await this.#flush(slices);
  }

  async #flush(slices: TimeSlices): Promise<void> {
    await this.#options.writer.flush(slices);
    this.#unwritten = 0;
  }

  #next(): SessionFile | undefined {
    let newest: SessionFile | undefined;
    let checkedFiles = 0;
    for (const file of this.#queue) {
      if (!newest || file.mtime > newest.mtime) newest = file;
      // Files are added newest first, so checking a few is enough.
      if (++checkedFiles > 50) break;
    }
    return newest;
  }

  async #readFile(file: SessionFile, slices: TimeSlices): Promise<void> {
    const { writer, files } = this.#options;
    if (this.#rebuild.delete(file)) {
      while (writer.forget(file)) await slices.step();
      files.saveProgress(file, 0, file.facts, undefined);
    }
    if (file.own) {
      while (!this.#stopped && this.#options.readOwn(file)) {
        if (writer.isFull) await this.#flush(slices);
        await slices.step();
      }
      return;
    }
    const source = this.#options.sourceOf(file.agent);
    if (!source) return;
    const scan = source.scan(file.memory);
    const infoBefore = JSON.stringify(file.facts);
    let { done } = file;
    // Removed from the queue if the file was deleted.
    while (!this.#stopped && this.#queue.has(file) && done < file.size) {
      const from = done;
      const step = withFile(file.path, (descriptor) => readStep(descriptor, from, file.size));
      for (const { text, at } of step.lines) {
        const bytes = Buffer.byteLength(text);
        for (const searchable of scan.take(text)) writer.add(file, at, bytes, searchable);
        if (text.length > 1024 * 1024) await slices.step();
      }
      if (step.end === done) break;
      done = step.end;
      writer.setProgress(file, { done, facts: mergeInfo(file.facts, scan.facts), memory: scan.memory });
      if (writer.isFull) await this.#flush(slices);
      await slices.step();
    }
    const facts = { ...file.facts, ...scan.facts };
    if (!this.#queue.has(file) || JSON.stringify(facts) === infoBefore) return;
    writer.setProgress(file, { done, facts, memory: scan.memory });
    this.#options.changed(file);
  }
}
