/** Unit tests of flow control, without processes: pausing programs, accounting per page, framing. */
import {
  createLinkFrameReader,
  LINK_FRAME,
  linkFrameHead,
  MAX_LINK_FRAME,
} from '@tugdeck/protocol/terminal/link-frames';
import { MAX_PENDING } from '@tugdeck/protocol/terminal/output-queue';
import { ACK_EVERY } from '@tugdeck/protocol/terminal/terminal-feed';
import type { TerminalMessage } from '@tugdeck/protocol/terminal/terminal-link';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Attachment } from '../src/attachment.ts';
import { mustPause, SCREEN_HIGH } from '../src/flow-gate.ts';
import { MAX_WINDOW, MIN_WINDOW, PageWindow } from '../src/page-window.ts';

const SIZE = { cols: 80, rows: 24 };
const BOUNDS = { high: 100, low: 60 };

function page() {
  const sent: (TerminalMessage | number)[] = [];
  const out = {
    send: (message: TerminalMessage) => sent.push(message),
    bytes: (data: Uint8Array) => sent.push(data.length),
  };
  return { sent, attachment: new Attachment(out, false, () => 0) };
}

describe('W11 pausing a program', () => {
  const isHeld = (isPaused: boolean, ...undrawn: number[]) =>
    mustPause({ isPaused, pending: 0, pages: undrawn.map((bytes) => ({ undrawn: bytes, ...BOUNDS })) });

  test('W11 one full page pauses it until the page drops below the lower limit', () => {
    expect([isHeld(false, 100), isHeld(false, 101)]).toEqual([false, true]);
    expect([isHeld(true, 61), isHeld(true, 60)]).toEqual([true, false]);
  });

  test('S3 several pages pause it only if all are full; no page does not pause it', () => {
    expect(isHeld(false, 101, 0)).toBe(false);
    expect(isHeld(true)).toBe(false);
  });

  test('W11 a lagging screen pauses it', () => {
    const page = { undrawn: 0, ...BOUNDS };
    // Output that a screen buffers on purpose pauses no program, including one that a page had paused.
    expect(mustPause({ isPaused: true, pending: MAX_PENDING + MAX_WINDOW, pages: [page] })).toBe(false);
    expect(mustPause({ isPaused: false, pending: SCREEN_HIGH + 1, pages: [] })).toBe(true);
  });
});

describe('W11 the window of a page', () => {
  /**
   * Simulates a page that always has a full window, with a transport delay of `wayMs`, and renders `perMs` bytes per
   * millisecond.
   */
  function flood(window: PageWindow, perMs: number, wayMs: number, times: number): number {
    for (let time = 0; time < times; time++) {
      const waitedMs = Math.max(0, Math.round(window.high / perMs) - wayMs);
      window.drawn(ACK_EVERY, window.high, waitedMs);
    }
    return window.high;
  }

  test('W11 is larger for a fast page than for a slow one, and for a distant page than for a near one', () => {
    const near = flood(new PageWindow(), 3_000, 10, 500);
    expect(flood(new PageWindow(), 1_000, 10, 500)).toBeLessThan(near);
    expect(flood(new PageWindow(), 3_000, 30, 500)).toBeGreaterThan(near);
    expect(flood(new PageWindow(), 100, 0, 500)).toBe(MIN_WINDOW);
    expect(flood(new PageWindow(), 3_000, 500, 500)).toBe(MAX_WINDOW);
  });

  test('W11 shrinks when output becomes slower to render', () => {
    const window = new PageWindow();
    const fast = flood(window, 3_000, 10, 500);
    expect(flood(window, 500, 10, 500)).toBeLessThan(fast / 2);
  });

  test('W11 does not change for a page with little output or without delay reports', () => {
    const window = new PageWindow();
    const initial = window.high;
    for (let time = 0; time < 100; time++) {
      window.drawn(100, 100, 0);
      window.drawn(ACK_EVERY, window.high, undefined);
    }
    expect(window.high).toBe(initial);
  });
});

describe('W11 output for a page', () => {
  test('W11 sends output and resizes that arrive during a screen after the screen, in order', () => {
    const { sent, attachment } = page();
    attachment.deliver(new Uint8Array(3));
    attachment.resize({ cols: 90, rows: 30 });
    attachment.deliver(new Uint8Array(4));
    expect(sent).toEqual([]);
    attachment.show(new Uint8Array(10), SIZE);
    expect(sent).toEqual([
      { type: 'screen', size: SIZE, history: false, bytes: 10 },
      10,
      3,
      { type: 'size', size: { cols: 90, rows: 30 } },
      4,
    ]);
    expect(attachment.flow?.undrawn).toBe(7);
  });

  test('W11 counts a screen as rendered before later output, and never pauses for it', () => {
    const { attachment } = page();
    attachment.show(new Uint8Array(2 * MAX_WINDOW), SIZE);
    attachment.deliver(new Uint8Array(5));
    expect(attachment.flow?.undrawn).toBe(5);
    attachment.drawn(2 * MAX_WINDOW);
    expect(attachment.flow?.undrawn).toBe(5);
    attachment.drawn(100);
    expect(attachment.flow?.undrawn).toBe(0);
  });

  test('W10 sends only the later of two requested screens', () => {
    const { sent, attachment } = page();
    const first = attachment.awaitScreen();
    attachment.deliver(new Uint8Array(5));
    const second = attachment.awaitScreen();
    expect([attachment.awaits(first), attachment.awaits(second)]).toEqual([false, true]);
    attachment.show(new Uint8Array(9), SIZE);
    expect(sent.slice(1)).toEqual([9]);
    expect(attachment.awaits(second)).toBe(false);
  });

  test('W11 counts output sent before a screen as rendered before it', () => {
    const { attachment } = page();
    attachment.show(new Uint8Array(1), SIZE);
    attachment.deliver(new Uint8Array(100));
    attachment.awaitScreen();
    attachment.show(new Uint8Array(10), SIZE);
    attachment.deliver(new Uint8Array(7));
    attachment.drawn(111);
    expect(attachment.flow?.undrawn).toBe(7);
    attachment.drawn(7);
    expect(attachment.flow?.undrawn).toBe(0);
  });

  test('S3 sends nothing to a page far behind until it has rendered everything it got', () => {
    const { sent, attachment } = page();
    attachment.show(new Uint8Array(1), SIZE);
    const piece = new Uint8Array(MAX_WINDOW);
    for (let sent = 0; sent < 20; sent++) attachment.deliver(piece);
    const bytes = sent.filter((one) => typeof one === 'number').reduce((sum, one) => sum + one, 0);
    expect(bytes).toBeLessThan(6 * MAX_WINDOW);
    expect(attachment.flow).toBeUndefined();
    attachment.drawn(bytes - 1);
    expect(attachment.hasCaughtUp).toBe(false);
    attachment.drawn(1);
    expect(attachment.hasCaughtUp).toBe(true);
    attachment.awaitScreen();
    attachment.show(new Uint8Array(9), SIZE);
    expect(sent.at(-1)).toBe(9);
    expect(attachment.flow?.undrawn).toBe(0);
  });

  test('W11 a page that fell behind during a screen has no unrendered bytes left', () => {
    const { attachment } = page();
    attachment.deliver(new Uint8Array(50));
    attachment.fallBehind();
    expect(attachment.hasCaughtUp).toBe(true);
  });
});

describe('S2 frames of the link', () => {
  test('S2 reassembles any frames from any pieces, in order', () => {
    const frame = fc.oneof(
      fc.string({ maxLength: 50 }).map((text) => ({ text })),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => ({ bytes })),
    );
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 20 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
        (frames, cuts) => {
          const sent: unknown[] = [];
          const read = createLinkFrameReader({
            json: (payload) => sent.push({ text: new TextDecoder().decode(payload) }),
            bytes: (bytes) => sent.push({ bytes: Uint8Array.from(bytes) }),
            broken: (why) => sent.push(why),
          });
          const stream = Buffer.concat(
            frames.flatMap((one) => {
              const payload = 'text' in one ? Buffer.from(one.text) : one.bytes;
              return [
                linkFrameHead('text' in one ? LINK_FRAME.json : LINK_FRAME.bytes, payload.length),
                payload,
              ];
            }),
          );
          for (let at = 0; at < stream.length; ) {
            const length = cuts.next().value;
            read(stream.subarray(at, at + length));
            at += length;
          }
          expect(sent).toEqual(
            frames.map((one) => ('text' in one ? one : { bytes: Uint8Array.from(one.bytes) })),
          );
        },
      ),
      { numRuns: 200, seed: 3 },
    );
  });

  test.each([
    ['one above the limit', linkFrameHead(LINK_FRAME.bytes, MAX_LINK_FRAME + 1)],
    ['one of an unknown kind', linkFrameHead(7, 3)],
  ])('X2 %s closes the connection, and nothing more is read', (_, head) => {
    const sent: string[] = [];
    const read = createLinkFrameReader({
      json: () => sent.push('json'),
      bytes: () => sent.push('bytes'),
      broken: () => sent.push('broken'),
    });
    read(head);
    read(new Uint8Array(20));
    expect(sent).toEqual(['broken']);
  });
});
