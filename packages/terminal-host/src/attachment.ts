/**
 * One page that looks at one terminal. Counts what the page has not drawn yet, by its own word; a page that is too far
 * behind gets nothing until it has caught up, then the screen afresh. So a slow page costs a bounded amount of memory
 * and slows no other (S3).
 */

import { MAX_LINK_FRAME } from '@tugdeck/protocol/terminal/link-frames';
import type { TerminalSize } from '@tugdeck/protocol/terminal/terminal';
import type { TerminalMessage } from '@tugdeck/protocol/terminal/terminal-link';
import type { PageFlow } from './flow-gate.ts';
import { PageWindow, WINDOW_MOST } from './page-window.ts';

export interface AttachmentOut {
  tell(message: TerminalMessage): void;
  bytes(data: Uint8Array): void;
}

/** A page whose terminal runs on for others is let go of beyond this. */
const FAR_BEHIND = 2 * WINDOW_MOST;
const PIECE = MAX_LINK_FRAME / 4;

export class Attachment {
  readonly #out: AttachmentOut;
  readonly #now: () => number;
  #state: 'waiting' | 'live' | 'behind' = 'waiting';
  #held: (Uint8Array | TerminalSize)[] = [];
  #awaited = 0;
  /** Of the last screen, and of what came after it. Drawn in this order. */
  #undrawnScreen = 0;
  #undrawn = 0;
  readonly #window = new PageWindow();
  #lastDrawn: number;
  /** Whether it shows the lines above the screen as well. */
  withHistory: boolean;

  constructor(out: AttachmentOut, withHistory: boolean, now: () => number) {
    this.#out = out;
    this.#now = now;
    this.#lastDrawn = now();
    this.withHistory = withHistory;
  }

  /** What counts for holding up the program; nothing for a page that is behind. */
  get flow(): PageFlow | undefined {
    if (this.#state === 'behind') return undefined;
    return { undrawn: this.#undrawn, high: this.#window.high, low: this.#window.low };
  }

  get isBehind(): boolean {
    return this.#state === 'behind';
  }

  /** It is behind and has drawn all that it was sent: time for a fresh screen. */
  get hasCaughtUp(): boolean {
    return this.isBehind && this.#undrawn + this.#undrawnScreen === 0;
  }

  tell(message: TerminalMessage): void {
    this.#out.tell(message);
  }

  /** A screen is being made: what comes from now on belongs after it. Gives the number by which that one is known. */
  awaitScreen(): number {
    // What was sent and is not drawn yet is drawn before the screen; what was held will be part of it.
    this.#undrawnScreen += this.#undrawn - this.#dropHeld();
    this.#undrawn = 0;
    this.#state = 'waiting';
    this.#awaited += 1;
    return this.#awaited;
  }

  /** Whether that screen is still wanted: of two that were asked for, only the later one has all that came between. */
  awaits(screen: number): boolean {
    return this.#state === 'waiting' && this.#awaited === screen;
  }

  show(screen: Uint8Array, size: TerminalSize): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'live';
    this.#undrawnScreen += screen.length;
    this.#lastDrawn = this.#now();
    this.#out.tell({ type: 'screen', size, history: this.withHistory, bytes: screen.length });
    for (let at = 0; at < screen.length; at += PIECE) this.#out.bytes(screen.subarray(at, at + PIECE));
    for (const held of this.#held) {
      if (held instanceof Uint8Array) this.#out.bytes(held);
      else this.#out.tell({ type: 'size', size: held });
    }
    this.#held = [];
  }

  /** In its place among the bytes. */
  resize(size: TerminalSize): void {
    if (this.#state === 'waiting') this.#held.push(size);
    else if (this.#state === 'live') this.#out.tell({ type: 'size', size });
  }

  deliver(data: Uint8Array): void {
    if (this.#state === 'behind') return;
    this.#undrawn += data.length;
    if (this.#state === 'waiting') this.#held.push(data);
    else this.#out.bytes(data);
    if (this.#undrawn > FAR_BEHIND) this.fallBehind();
  }

  /** The page says that it has drawn so much. */
  drawn(bytes: number, waitedMs?: number): void {
    this.#lastDrawn = this.#now();
    const ofScreen = Math.min(bytes, this.#undrawnScreen);
    this.#undrawnScreen -= ofScreen;
    // More than was sent is no reason to owe it anything.
    const ofRest = Math.min(bytes - ofScreen, this.#undrawn);
    this.#window.drawn(ofRest, this.#undrawn, waitedMs);
    this.#undrawn -= ofRest;
  }

  /** When it last gave a sign. */
  get lastDrawn(): number {
    return this.#lastDrawn;
  }

  fallBehind(): void {
    this.#state = 'behind';
    // Held bytes were never sent, so nobody will say that they are drawn.
    this.#undrawn -= this.#dropHeld();
  }

  #dropHeld(): number {
    const sizes = this.#held.map((held) => (held instanceof Uint8Array ? held.length : 0));
    this.#held = [];
    return sizes.reduce((sum, size) => sum + size, 0);
  }
}
