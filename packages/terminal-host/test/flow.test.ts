/** The parts of flow control, without processes: who holds a program up, what a page is owed, frames in any pieces. */
import {
  createLinkFrameReader,
  LINK_FRAME,
  linkFrameHead,
  MAX_LINK_FRAME,
} from '@tugdeck/protocol/terminal/link-frames';
import { MOST_WAITING } from '@tugdeck/protocol/terminal/output-queue';
import { ACK_EVERY } from '@tugdeck/protocol/terminal/terminal-feed';
import type { TerminalMessage } from '@tugdeck/protocol/terminal/terminal-link';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Attachment } from '../src/attachment.ts';
import { mustPause, SCREEN_HIGH } from '../src/flow-gate.ts';
import { PageWindow, WINDOW_LEAST, WINDOW_MOST } from '../src/page-window.ts';

const SIZE = { cols: 80, rows: 24 };
const BOUNDS = { high: 100, low: 60 };

function page() {
  const told: (TerminalMessage | number)[] = [];
  const out = {
    tell: (message: TerminalMessage) => told.push(message),
    bytes: (data: Uint8Array) => told.push(data.length),
  };
  return { told, attachment: new Attachment(out, false, () => 0) };
}

describe('W1 who holds a program up', () => {
  const isHeld = (isPaused: boolean, ...undrawn: number[]) =>
    mustPause({ isPaused, pending: 0, pages: undrawn.map((bytes) => ({ undrawn: bytes, ...BOUNDS })) });

  test('W1 one page does above the bound, until it is below the lower one', () => {
    expect([isHeld(false, 100), isHeld(false, 101)]).toEqual([false, true]);
    expect([isHeld(true, 61), isHeld(true, 60)]).toEqual([true, false]);
  });

  test('S3 of several only all of them do; nobody does not', () => {
    expect(isHeld(false, 101, 0)).toBe(false);
    expect(isHeld(true)).toBe(false);
  });

  test('W1 its own screen does', () => {
    const page = { undrawn: 0, ...BOUNDS };
    // What a screen lets wait of its own accord holds nobody up, also not who was held up by a page.
    expect(mustPause({ isPaused: true, pending: MOST_WAITING + WINDOW_MOST, pages: [page] })).toBe(false);
    expect(mustPause({ isPaused: false, pending: SCREEN_HIGH + 1, pages: [] })).toBe(true);
  });
});

describe('W1 how much a page may have undrawn', () => {
  /** A page that is always sent as much as it may have, which takes so long to get there, and draws so much in a millisecond. */
  function flood(window: PageWindow, perMs: number, wayMs: number, times: number): number {
    for (let time = 0; time < times; time++) {
      const waitedMs = Math.max(0, Math.round(window.high / perMs) - wayMs);
      window.drawn(ACK_EVERY, window.high, waitedMs);
    }
    return window.high;
  }

  test('W1 a page that draws fast more than a slow one, and one that is far away more than a near one', () => {
    const near = flood(new PageWindow(), 3_000, 10, 500);
    expect(flood(new PageWindow(), 1_000, 10, 500)).toBeLessThan(near);
    expect(flood(new PageWindow(), 3_000, 30, 500)).toBeGreaterThan(near);
    expect(flood(new PageWindow(), 100, 0, 500)).toBe(WINDOW_LEAST);
    expect(flood(new PageWindow(), 3_000, 500, 500)).toBe(WINDOW_MOST);
  });

  test('W1 what is slow to draw after what was fast is waited for no longer', () => {
    const window = new PageWindow();
    const fast = flood(window, 3_000, 10, 500);
    expect(flood(window, 500, 10, 500)).toBeLessThan(fast / 2);
  });

  test('W1 a page that is sent little, or does not say how long things lay there, changes nothing', () => {
    const window = new PageWindow();
    const begun = window.high;
    for (let time = 0; time < 100; time++) {
      window.drawn(100, 100, 0);
      window.drawn(ACK_EVERY, window.high, undefined);
    }
    expect(window.high).toBe(begun);
  });
});

describe('W1 what a page is owed', () => {
  test('W1 what comes while its screen is made follows after it, sizes in their place', () => {
    const { told, attachment } = page();
    attachment.deliver(new Uint8Array(3));
    attachment.resize({ cols: 90, rows: 30 });
    attachment.deliver(new Uint8Array(4));
    expect(told).toEqual([]);
    attachment.show(new Uint8Array(10), SIZE);
    expect(told).toEqual([
      { type: 'screen', size: SIZE, history: false, bytes: 10 },
      10,
      3,
      { type: 'size', size: { cols: 90, rows: 30 } },
      4,
    ]);
    expect(attachment.flow?.undrawn).toBe(7);
  });

  test('W1 a screen counts as drawn before what came after it, and holds nobody up', () => {
    const { attachment } = page();
    attachment.show(new Uint8Array(2 * WINDOW_MOST), SIZE);
    attachment.deliver(new Uint8Array(5));
    expect(attachment.flow?.undrawn).toBe(5);
    attachment.drawn(2 * WINDOW_MOST);
    expect(attachment.flow?.undrawn).toBe(5);
    attachment.drawn(100);
    expect(attachment.flow?.undrawn).toBe(0);
  });

  test('W1 of two screens that were asked for only the later one is shown', () => {
    const { told, attachment } = page();
    const first = attachment.awaitScreen();
    attachment.deliver(new Uint8Array(5));
    const second = attachment.awaitScreen();
    expect([attachment.awaits(first), attachment.awaits(second)]).toEqual([false, true]);
    attachment.show(new Uint8Array(9), SIZE);
    expect(told.slice(1)).toEqual([9]);
    expect(attachment.awaits(second)).toBe(false);
  });

  test('W1 what was sent before a screen is drawn before it, and not for what comes after', () => {
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

  test('S3 far behind it gets nothing, until it has drawn what it was sent', () => {
    const { told, attachment } = page();
    attachment.show(new Uint8Array(1), SIZE);
    const piece = new Uint8Array(WINDOW_MOST);
    for (let sent = 0; sent < 20; sent++) attachment.deliver(piece);
    const bytes = told.filter((one) => typeof one === 'number').reduce((sum, one) => sum + one, 0);
    expect(bytes).toBeLessThan(6 * WINDOW_MOST);
    expect(attachment.flow).toBeUndefined();
    attachment.drawn(bytes - 1);
    expect(attachment.hasCaughtUp).toBe(false);
    attachment.drawn(1);
    expect(attachment.hasCaughtUp).toBe(true);
    attachment.awaitScreen();
    attachment.show(new Uint8Array(9), SIZE);
    expect(told.at(-1)).toBe(9);
    expect(attachment.flow?.undrawn).toBe(0);
  });

  test('W1 one that slept while its screen was made owes nothing for what it never got', () => {
    const { attachment } = page();
    attachment.deliver(new Uint8Array(50));
    attachment.fallBehind();
    expect(attachment.hasCaughtUp).toBe(true);
  });
});

describe('S2 frames of the link', () => {
  test('S2 any frames in any pieces come out whole and in order', () => {
    const frame = fc.oneof(
      fc.string({ maxLength: 50 }).map((text) => ({ text })),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => ({ bytes })),
    );
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 20 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
        (frames, cuts) => {
          const told: unknown[] = [];
          const read = createLinkFrameReader({
            json: (payload) => told.push({ text: new TextDecoder().decode(payload) }),
            bytes: (bytes) => told.push({ bytes: Uint8Array.from(bytes) }),
            broken: (why) => told.push(why),
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
          expect(told).toEqual(
            frames.map((one) => ('text' in one ? one : { bytes: Uint8Array.from(one.bytes) })),
          );
        },
      ),
      { numRuns: 200, seed: 3 },
    );
  });

  test.each([
    ['one above the limit', linkFrameHead(LINK_FRAME.bytes, MAX_LINK_FRAME + 1)],
    ['one of no known kind', linkFrameHead(7, 3)],
  ])('X2 %s breaks the link, and nothing more is read', (_, head) => {
    const told: string[] = [];
    const read = createLinkFrameReader({
      json: () => told.push('json'),
      bytes: () => told.push('bytes'),
      broken: () => told.push('broken'),
    });
    read(head);
    read(new Uint8Array(20));
    expect(told).toEqual(['broken']);
  });
});
