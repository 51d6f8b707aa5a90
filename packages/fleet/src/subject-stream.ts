/**
 * A byte stream over two NATS subjects. Messages may be lost but never change their order; a gap ends the stream. At most
 * `WINDOW` bytes are on their way, so a slow reader slows the other end and not the server.
 */
import { Duplex } from 'node:stream';

const WINDOW = 1024 * 1024;
const PIECE = 32 * 1024;
const KINDS = { data: 0, read: 1, end: 2, close: 3 } as const;
const HEAD = 5;

export class SubjectStream extends Duplex {
  readonly #publish: (message: Buffer) => void;
  /** Messages sent and received. */
  #sent = 0;
  #received = 0;
  /** Bytes that the other end has not read yet. */
  #unread = 0;
  #waiting: (() => void) | undefined;
  /** Bytes that arrived and that nobody read yet. */
  readonly #queue: Buffer[] = [];
  #queued = 0;
  #isWanted = false;
  #hasEnded = false;
  #readSinceReport = 0;

  constructor(publish: (message: Buffer) => void) {
    super();
    this.#publish = publish;
  }

  /** A message of the other end. Bytes are untrusted: at most a window is kept. */
  receive(message: Buffer): void {
    if (this.destroyed || message.length < HEAD) return;
    const kind = message[0];
    const number = message.readUInt32BE(1);
    if (kind === KINDS.read) {
      this.#unread = Math.max(0, this.#unread - number);
      this.#resume();
      return;
    }
    if (number !== this.#received++ >>> 0) {
      this.#lost();
      return;
    }
    if (kind === KINDS.close) {
      this.destroy();
      return;
    }
    if (kind === KINDS.end) this.#hasEnded = true;
    else {
      this.#queue.push(message.subarray(HEAD));
      this.#queued += message.length - HEAD;
      if (this.#queued > WINDOW) {
        this.#lost();
        return;
      }
    }
    this.#pump();
  }

  override _read(): void {
    this.#isWanted = true;
    this.#pump();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const send = (from: number): void => {
      let at = from;
      while (at < chunk.length && this.#unread < WINDOW) {
        const piece = chunk.subarray(at, at + Math.min(PIECE, WINDOW - this.#unread));
        this.#unread += piece.length;
        this.#send(KINDS.data, piece);
        at += piece.length;
      }
      if (at >= chunk.length) done();
      else this.#waiting = () => send(at);
    };
    send(0);
  }

  override _final(done: () => void): void {
    this.#send(KINDS.end);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#send(KINDS.close);
    this.#queue.length = 0;
    this.#waiting = undefined;
    done(error);
  }

  #pump(): void {
    while (this.#isWanted && this.#queue.length > 0) {
      const chunk = this.#queue.shift() as Buffer;
      this.#queued -= chunk.length;
      this.#readSinceReport += chunk.length;
      this.#isWanted = this.push(chunk);
    }
    if (this.#readSinceReport >= WINDOW / 4) {
      this.#publish(head(KINDS.read, this.#readSinceReport));
      this.#readSinceReport = 0;
    }
    if (this.#hasEnded && this.#queue.length === 0) {
      this.#hasEnded = false;
      this.push(null);
    }
  }

  #resume(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }

  #send(kind: number, bytes: Buffer = Buffer.alloc(0)): void {
    this.#publish(Buffer.concat([head(kind, this.#sent++ >>> 0), bytes]));
  }

  #lost(): void {
    this.destroy(new Error('lost a message'));
  }
}

function head(kind: number, number: number): Buffer {
  const bytes = Buffer.alloc(HEAD);
  bytes[0] = kind;
  bytes.writeUInt32BE(number, 1);
  return bytes;
}
