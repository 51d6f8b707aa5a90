/** Two streams as one Duplex that counts when bytes last arrived. */
import { Duplex, type Readable, type Writable } from 'node:stream';

export class ByteStream extends Duplex {
  readonly #from: Readable;
  readonly #to: Writable;
  /** From `performance.now()`, which continues while the clock is set. */
  receivedAt = performance.now();
  #isLinked = false;

  constructor(from: Readable, to: Writable) {
    super();
    this.#from = from;
    this.#to = to;
    from.on('data', (chunk: Buffer) => {
      this.receivedAt = performance.now();
      if (!this.push(chunk)) from.pause();
    });
    from.on('end', () => (this.#isLinked ? this.destroy() : this.push(null)));
    from.on('close', () => this.destroy());
    from.on('error', (error) => this.destroy(error));
    to.on('error', (error) => this.destroy(error));
    to.on('close', () => this.destroy());
    from.pause();
  }

  /**
   * Called before HTTP/2 uses the stream: from then on, the end of the input is the end of the link. After a half-closed
   * stream, HTTP/2 of Node 24 and later would still write, and fail with an uncaught assertion.
   */
  useForHttp2(): this {
    this.#isLinked = true;
    if (this.readableEnded || this.#from.readableEnded) this.destroy();
    return this;
  }

  override _read(): void {
    this.#from.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#to.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#to.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#from.destroy();
    this.#to.destroy();
    done(error);
  }
}
