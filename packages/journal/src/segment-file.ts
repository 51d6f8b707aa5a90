/**
 * The segment that a writer has open. `write` returns after the kernel has the line, `sync` after the disk has it. An
 * incomplete line is truncated, so that the next one does not continue it.
 */
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

export class SegmentFile {
  readonly #descriptor: number;
  #size: number;

  constructor(file: string, size: number) {
    this.#descriptor = openSync(file, 'a', 0o600);
    this.#size = size;
    ftruncateSync(this.#descriptor, size);
  }

  get size(): number {
    return this.#size;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
    } catch (error) {
      ftruncateSync(this.#descriptor, this.#size);
      throw error;
    }
    this.#size += bytes.length;
  }

  sync(): void {
    fsyncSync(this.#descriptor);
  }

  close(): void {
    this.sync();
    closeSync(this.#descriptor);
  }
}

/** Creates a segment atomically: with its complete head or not at all. */
export function createSegmentFile(file: string, head: string): SegmentFile {
  const draft = `${file}.new`;
  try {
    writeFileSync(draft, head, { mode: 0o600, flush: true });
    renameSync(draft, file);
    syncDirectory(dirname(file));
    return new SegmentFile(file, Buffer.byteLength(head));
  } catch (error) {
    // The next writer must not find a newer segment than the one still in use.
    for (const made of [draft, file]) removeFile(made);
    throw error;
  }
}

function removeFile(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) unlinkSync(file);
}

function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
