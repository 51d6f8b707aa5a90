/**
 * Messages on one HTTP/2 stream: u32 length, u8 kind, payload. HTTP headers carry nothing, so none of a machine's
 * headers can reach a browser (N21). Reading stops while paused, which is the flow control of the stream (N11).
 */
import type { Duplex } from 'node:stream';
import { isDeeperThan } from '@tugdeck/protocol/nesting';
import { LINK_LIMITS } from './link-limits.ts';

const HEAD = 5;
const JSON_KIND = 0;
const BYTES_KIND = 1;
/** Several JSON texts, each after its length, which the receiver forwards without parsing them. */
const TEXTS_KIND = 2;

export interface StreamEvents {
  json?(value: unknown): void;
  bytes?(data: Buffer): void;
  texts?(texts: readonly string[]): void;
  /** The other end has sent everything. */
  ended?(): void;
  /** Always the last event. */
  closed?(): void;
  /** `congested`: unsent bytes exceed the limit. `drained`: they were sent. */
  congested?(): void;
  drained?(): void;
}

export class MessageStream {
  readonly #stream: Duplex;
  readonly #limit: number;
  #events: StreamEvents;
  #parts: Buffer[] = [];
  #length = 0;
  /** Bytes of the message that is arriving, with its head; undefined until the head is complete. */
  #wanted: number | undefined;
  #isCongested = false;
  #isPaused = false;
  #isDestroyed = false;
  /** What happened to the stream, and what was reported: neither must be lost between two listeners. */
  #hasEnded = false;
  #isClosed = false;
  #isEndReported = false;
  #isCloseReported = false;

  /** `limit`: the longest message that may arrive; a longer one closes the stream. */
  constructor(stream: Duplex, limit: number, events: StreamEvents = {}) {
    this.#stream = stream;
    this.#limit = limit;
    this.#events = events;
    stream.on('data', (chunk: Buffer) => this.#receive(chunk));
    stream.on('end', () => {
      this.#hasEnded = true;
      this.#settle();
    });
    stream.on('error', () => undefined); // Followed by `close`.
    stream.on('close', () => {
      this.#isClosed = true;
      this.#settle();
    });
    stream.on('drain', () => {
      if (!this.#isCongested) return;
      this.#isCongested = false;
      this.#events.drained?.();
    });
  }

  /** Replaces the listeners, after the first message said what the stream is for. */
  handle(events: StreamEvents): void {
    this.#events = events;
    if (this.#isCongested) events.congested?.();
    this.#settle();
  }

  get isOpen(): boolean {
    return !this.#stream.destroyed && this.#stream.writable;
  }

  sendJson(value: unknown): void {
    this.#send(JSON_KIND, Buffer.from(JSON.stringify(value)));
  }

  sendBytes(data: Uint8Array): void {
    this.#send(BYTES_KIND, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  }

  sendTexts(texts: readonly string[]): void {
    const parts = texts.flatMap((text) => {
      const bytes = Buffer.from(text);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    });
    this.#send(TEXTS_KIND, Buffer.concat(parts));
  }

  /** Messages that have already arrived wait, too. */
  pause(): void {
    this.#isPaused = true;
    this.#stream.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#deliverArrived();
    if (!this.#isPaused) this.#stream.resume();
    this.#settle();
  }

  end(): void {
    if (!this.#stream.destroyed) this.#stream.end();
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#stream.destroy();
  }

  /** The end comes after everything that was sent before it, also if reading is paused. */
  #settle(): void {
    if (this.#hasEnded && !this.#isPaused && !this.#isEndReported) {
      if (this.#length > 0) this.destroy();
      else if (this.#events.ended) {
        this.#isEndReported = true;
        this.#events.ended();
      }
    }
    const isWaiting = this.#hasEnded && this.#isPaused && !this.#isDestroyed;
    if (!this.#isClosed || this.#isCloseReported || isWaiting || !this.#events.closed) return;
    this.#isCloseReported = true;
    this.#events.closed();
  }

  #send(kind: number, payload: Buffer): void {
    if (!this.isOpen) return;
    const head = Buffer.alloc(HEAD);
    head.writeUInt32BE(payload.length);
    head.writeUInt8(kind, 4);
    this.#stream.cork();
    this.#stream.write(head);
    this.#stream.write(payload);
    this.#stream.uncork();
    if (this.#isCongested || this.#stream.writableLength <= LINK_LIMITS.unsent) return;
    this.#isCongested = true;
    this.#events.congested?.();
  }

  #receive(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#length += chunk.length;
    this.#deliverArrived();
  }

  #deliverArrived(): void {
    while (!this.#isDestroyed && !this.#isPaused) {
      if (this.#wanted === undefined) {
        if (this.#length < HEAD) return;
        const size = this.#joined().readUInt32BE();
        if (size > this.#limit) {
          this.destroy();
          return;
        }
        this.#wanted = HEAD + size;
      }
      if (this.#length < this.#wanted) return;
      const bytes = this.#joined();
      const message = bytes.subarray(0, this.#wanted);
      const rest = bytes.subarray(this.#wanted);
      this.#parts = rest.length > 0 ? [rest] : [];
      this.#length = rest.length;
      this.#wanted = undefined;
      if (!this.#deliver(message.readUInt8(4), message.subarray(HEAD))) this.destroy();
    }
  }

  #joined(): Buffer {
    const [first] = this.#parts;
    const bytes = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts);
    this.#parts = [bytes];
    return bytes;
  }

  /** `false` if the message is invalid. */
  #deliver(kind: number, payload: Buffer): boolean {
    const { json, bytes, texts } = this.#events;
    if (kind === BYTES_KIND && bytes) bytes(payload);
    else if (kind === TEXTS_KIND && texts) {
      const split = splitTexts(payload);
      if (!split) return false;
      texts(split);
    } else if (kind === JSON_KIND && json) {
      let value: unknown;
      if (isDeeperThan(payload, LINK_LIMITS.nesting)) return false;
      try {
        value = JSON.parse(payload.toString());
      } catch {
        return false;
      }
      json(value);
    } else return false;
    return true;
  }
}

function splitTexts(payload: Buffer): string[] | undefined {
  const texts: string[] = [];
  for (let at = 0; at < payload.length; ) {
    if (at + 4 > payload.length) return undefined;
    const end = at + 4 + payload.readUInt32BE(at);
    if (end > payload.length) return undefined;
    texts.push(payload.toString('utf8', at + 4, end));
    at = end;
  }
  return texts;
}
