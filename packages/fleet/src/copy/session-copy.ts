/**
 * The copy of one session: the bytes of its journal's segments, in order, and its blobs. The next piece follows the last
 * one that the server has, also if another process wrote it; so nothing is stored twice and nothing is left out (N32).
 */
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { segmentName, segmentNumbers } from '@tugdeck/journal/format';
import type { SessionDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import type { Engine } from '../engine.ts';
import { SUBJECTS } from '../subjects.ts';
import { decrypt, encrypt, sessionCopyKey } from './copy-cipher.ts';
import { decodePiece, encodePiece, PIECE_BYTES, type Piece } from './piece.ts';
import { lastMessage, type StoredMessage, storeMessage } from './stream.ts';

/** References to blobs in the lines of a journal. */
const BLOB = /"blob":"([0-9a-f]{64})"/g;
/** Attempts when another publisher was faster. */
const ATTEMPTS = 5;
/** More than the longest line. */
const READ_BYTES = 16 * 1024 * 1024;

export interface SessionCopyOptions {
  readonly engine: Engine;
  readonly member: string;
  /** The key of this machine. */
  readonly key: Buffer;
  readonly session: string;
  readonly directory: Pick<SessionDirectory, 'journal' | 'blobs'>;
  readonly log: Log;
  /** Called before the first message of the journal (undefined) or a blob is stored. */
  readonly storing: (blob: string | undefined) => Promise<void>;
}

interface Position {
  /** Of the last message. */
  sequence: number;
  /** How often the copy was begun again. */
  generation: number;
  /** The next byte: segment and offset. */
  part: number;
  at: number;
  /** The stored copy is not the beginning of this journal: the next message replaces it. */
  replaces: boolean;
}

export class SessionCopy {
  readonly #options: SessionCopyOptions;
  readonly #key: Buffer;
  readonly #subject: string;
  /** Undefined until the end of the stored copy is known. */
  #position: Position | undefined;
  /** Where the stored copy ended when it was last known: it never ends earlier, unless somebody changed it. */
  #reached: Position | undefined;
  readonly #blobs = new Set<string>();

  constructor(options: SessionCopyOptions) {
    this.#options = options;
    const { key, member, session } = options;
    this.#key = sessionCopyKey(key, session);
    this.#subject = SUBJECTS.journal(member, session);
  }

  /** The server may have lost everything: looks again. */
  forget(): void {
    this.#position = undefined;
    this.#blobs.clear();
  }

  /** Copies what the journal has beyond the copy. Returns the number of bytes. */
  async advance(): Promise<number> {
    let bytes = 0;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const copied = await this.#copy();
      if (copied === undefined) {
        this.forget();
        continue;
      }
      bytes += copied.bytes;
      if (copied.isComplete) return bytes;
      attempt = 0;
    }
    throw new Error('another publisher was faster');
  }

  /** Undefined if another publisher was faster. */
  async #copy(): Promise<{ bytes: number; isComplete: boolean } | undefined> {
    const { journal } = this.#options.directory;
    const numbers = segmentNumbers(await names(journal));
    const [first] = numbers;
    if (first === undefined) return { bytes: 0, isComplete: true };
    this.#position ??= await this.#locate(first);
    const position = this.#position;
    const isLast = position.part >= (numbers.at(-1) ?? 0);
    const bytes = await readFrom(join(journal, segmentName(position.part)), position.at);
    // A line without its end may still be truncated.
    const whole = isLast ? bytes.subarray(0, bytes.lastIndexOf('\n') + 1) : bytes;
    for (const [, hash] of whole.toString('latin1').matchAll(BLOB)) {
      if (hash !== undefined && !(await this.#copyBlob(hash))) return undefined;
    }
    for (let at = 0; at < whole.length; at += PIECE_BYTES) {
      const bytesOfPiece = whole.subarray(at, at + PIECE_BYTES);
      const { part, at: from, generation } = position;
      const piece = { part, at: from, generation, after: position.sequence, bytes: bytesOfPiece };
      if (position.sequence === 0 || position.replaces) await this.#options.storing(undefined);
      const sequence = await this.#store(this.#subject, piece, position.replaces);
      if (sequence === undefined) return undefined;
      Object.assign(position, { sequence, at: from + bytesOfPiece.length, replaces: false });
      this.#reached = { ...position };
    }
    if (bytes.length >= READ_BYTES) return { bytes: whole.length, isComplete: whole.length === 0 };
    const next = numbers.find((number) => number > position.part);
    if (next !== undefined) Object.assign(position, { part: next, at: 0 });
    return { bytes: whole.length, isComplete: next === undefined };
  }

  /** Finds the end of the stored copy, if that is the beginning of this journal. */
  async #locate(first: number): Promise<Position> {
    const { engine, directory, log, session } = this.#options;
    const last = await lastMessage(engine, this.#subject);
    const reached = this.#reached;
    const sequence = last?.sequence ?? 0;
    const start = { sequence, part: first, at: 0, generation: 0, replaces: last !== undefined };
    if (!last || last.data.length === 0) return start;
    const piece = this.#read(this.#subject, last);
    const generation = Math.max(piece?.generation ?? 0, reached?.generation ?? 0) + 1;
    if (piece) {
      const { part, at, bytes } = piece;
      const end = at + bytes.length;
      const isRepeated =
        reached &&
        sequence > reached.sequence &&
        piece.generation <= reached.generation &&
        (part < reached.part || (part === reached.part && end < reached.at));
      const file = join(directory.journal, segmentName(part));
      if (!isRepeated && (await readFrom(file, at, bytes.length)).equals(bytes))
        return { sequence, part, at: end, generation: piece.generation, replaces: false };
    }
    log.warn('copy replaced: it was not of this journal', { session });
    return { ...start, generation };
  }

  /** False if another publisher was faster. */
  async #copyBlob(hash: string): Promise<boolean> {
    if (this.#blobs.has(hash)) return true;
    const { engine, member, session, directory, storing } = this.#options;
    const subject = SUBJECTS.blob(member, session, hash);
    const last = await lastMessage(engine, subject);
    const stored = last && this.#read(subject, last);
    if (!stored?.last) {
      const contents = await readFile(join(directory.blobs, hash)).catch(() => undefined);
      if (!contents) return true; // Deleted, or a text that only looks like a reference.
      await storing(hash);
      let after = last?.sequence ?? 0;
      let replaces = last !== undefined && stored === undefined;
      const generation = stored?.generation ?? (replaces ? Date.now() : 0);
      let at = stored ? stored.at + stored.bytes.length : 0;
      do {
        const bytes = contents.subarray(at, at + PIECE_BYTES);
        const end = at + bytes.length >= contents.length;
        const piece = { part: 0, at, after, generation, bytes, ...(end ? { last: true } : {}) };
        const sequence = await this.#store(subject, piece, replaces);
        if (sequence === undefined) return false;
        after = sequence;
        replaces = false;
        at += bytes.length;
      } while (at < contents.length);
    }
    this.#blobs.add(hash);
    return true;
  }

  #store(subject: string, piece: Piece, replaces: boolean): Promise<number | undefined> {
    const message = encrypt(this.#key, subject, encodePiece(piece));
    return storeMessage(this.#options.engine, subject, message, { after: piece.after, replaces });
  }

  /** Undefined if it was not written with this key. */
  #read(subject: string, { data }: StoredMessage): Piece | undefined {
    try {
      return decodePiece(decrypt(this.#key, subject, data));
    } catch {
      return undefined;
    }
  }
}

async function names(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

/** Empty if there is nothing. */
async function readFrom(file: string, at: number, limit = READ_BYTES): Promise<Buffer> {
  const size = (await stat(file).catch(() => undefined))?.size ?? 0;
  const length = Math.min(limit, size - at);
  if (length <= 0) return Buffer.alloc(0);
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
