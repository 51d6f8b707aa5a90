/**
 * One page attached to one terminal. Counts the bytes that the page has not rendered yet, from the page's own
 * reports. A page that falls too far behind gets nothing until it has caught up, then a fresh screen. A slow page
 * thus uses bounded memory and slows no other page (S3).
 */

import { MAX_LINK_FRAME } from '@tugdeck/protocol/terminal/link-frames';
import type { TerminalSize } from '@tugdeck/protocol/terminal/terminal';
import type { TerminalMessage } from '@tugdeck/protocol/terminal/terminal-link';
import type { PageFlow } from './flow-gate.ts';
import { MAX_WINDOW, PageWindow } from './page-window.ts';

export interface AttachmentOut {
  send(message: TerminalMessage): void;
  bytes(data: Uint8Array): void;
}

/** A page is detached beyond this if the terminal keeps running for others. */
const FAR_BEHIND = 2 * MAX_WINDOW;
const PIECE = MAX_LINK_FRAME / 4;

export class Attachment {
  readonly #out: AttachmentOut;
  readonly #now: () => number;
  #state: 'waiting' | 'live' | 'behind' = 'waiting';
  #held: (Uint8Array | TerminalSize)[] = [];
  #awaited = 0;
  /** Unrendered bytes of the last screen, and of the output after it. Pages render in this order. */
  #unrenderedScreen = 0;
  #unrendered = 0;
  readonly #window = new PageWindow();
  #lastDrawn: number;
  /** Whether the page also shows the scrollback. */
  withHistory: boolean;

  constructor(out: AttachmentOut, withHistory: boolean, now: () => number) {
    this.#out = out;
    this.#now = now;
    this.#lastDrawn = now();
    this.withHistory = withHistory;
  }

  /** The flow control state of this page; none for a page that is behind. */
  get flow(): PageFlow | undefined {
    if (this.#state === 'behind') return undefined;
    return { undrawn: this.#unrendered, high: this.#window.high, low: this.#window.low };
  }

  get isBehind(): boolean {
    return this.#state === 'behind';
  }

  /** The page is behind and has rendered everything it was sent, so it can get a fresh screen. */
  get hasCaughtUp(): boolean {
    return this.isBehind && this.#unrendered + this.#unrenderedScreen === 0;
  }

  send(message: TerminalMessage): void {
    this.#out.send(message);
  }

  /** Holds output back until a screen is ready, because it belongs after the screen. Returns the screen's number. */
  awaitScreen(): number {
    // Bytes that were sent are rendered before the screen; held bytes will be part of it.
    this.#unrenderedScreen += this.#unrendered - this.#dropHeld();
    this.#unrendered = 0;
    this.#state = 'waiting';
    this.#awaited += 1;
    return this.#awaited;
  }

  /** Whether that screen is still the latest requested one. Only the latest has all output in between. */
  awaits(screen: number): boolean {
    return this.#state === 'waiting' && this.#awaited === screen;
  }

  show(screen: Uint8Array, size: TerminalSize): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'live';
    this.#unrenderedScreen += screen.length;
    this.#lastDrawn = this.#now();
    this.#out.send({ type: 'screen', size, history: this.withHistory, bytes: screen.length });
    for (let at = 0; at < screen.length; at += PIECE) this.#out.bytes(screen.subarray(at, at + PIECE));
    for (const held of this.#held) {
      if (held instanceof Uint8Array) this.#out.bytes(held);
      else this.#out.send({ type: 'size', size: held });
    }
    this.#held = [];
  }

  /** Sends a resize, in order with the output. */
  resize(size: TerminalSize): void {
    if (this.#state === 'waiting') this.#held.push(size);
    else if (this.#state === 'live') this.#out.send({ type: 'size', size });
  }

  deliver(data: Uint8Array): void {
    if (this.#state === 'behind') return;
    this.#unrendered += data.length;
    if (this.#state === 'waiting') this.#held.push(data);
    else this.#out.bytes(data);
    if (this.#unrendered > FAR_BEHIND) this.fallBehind();
  }

  /** The page reports rendered bytes. */
  drawn(bytes: number, waitedMs?: number): void {
    this.#lastDrawn = this.#now();
    const ofScreen = Math.min(bytes, this.#unrenderedScreen);
    this.#unrenderedScreen -= ofScreen;
    // Ignore reports of more bytes than were sent.
    const ofRest = Math.min(bytes - ofScreen, this.#unrendered);
    this.#window.drawn(ofRest, this.#unrendered, waitedMs);
    this.#unrendered -= ofRest;
  }

  /** Time of the last report from the page. */
  get lastDrawn(): number {
    return this.#lastDrawn;
  }

  fallBehind(): void {
    this.#state = 'behind';
    // Held bytes were never sent, so the page will never report them.
    this.#unrendered -= this.#dropHeld();
  }

  #dropHeld(): number {
    const sizes = this.#held.map((held) => (held instanceof Uint8Array ? held.length : 0));
    this.#held = [];
    return sizes.reduce((sum, size) => sum + size, 0);
  }
}
