/**
 * Output waiting for a busy terminal library. `screen-flood.test.ts` shows with a real one that the screen stays the
 * same.
 */
import { OutputQueue, type OutputQueueOptions } from '@tugdeck/protocol/terminal/output-queue';
import { describe, expect, test } from 'vitest';

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/** A library that finishes when the test says so. */
class Slow {
  readonly given: string[] = [];
  readonly #done: ((() => void) | undefined)[] = [];

  write(data: Uint8Array | string, done?: () => void): void {
    this.given.push(typeof data === 'string' ? data : DECODER.decode(data));
    this.#done.push(done);
  }

  finish(): void {
    for (const done of this.#done.splice(0)) done?.();
  }
}

function made(options: Partial<OutputQueueOptions> = {}) {
  const terminal = new Slow();
  const done: [number, number][] = [];
  const timers: (() => void)[] = [];
  let time = 1_000;
  const queue = new OutputQueue({
    terminal,
    linesKept: () => 2,
    pauseMs: 50,
    clock: {
      now: () => time,
      after: (_, run) => {
        timers.push(run);
        return () => timers.splice(timers.indexOf(run), 1);
      },
    },
    done: (bytes, waitedMs) => done.push([bytes, waitedMs]),
    ...options,
  });
  return {
    terminal,
    done,
    queue,
    timers,
    write: (text: string, written?: () => void) => queue.write(ENCODER.encode(text), written),
    pass: (ms: number) => {
      time += ms;
    },
  };
}

const LINES = 'a\r\nb\r\nc\r\nd\r\n';

describe('W11 program output', () => {
  test('is passed at once to an idle library, and together when it is done', () => {
    const { terminal, write } = made();
    write('one ');
    write('two ');
    write('three');
    expect(terminal.given).toEqual(['one ']);
    terminal.finish();
    expect(terminal.given).toEqual(['one ', 'two three']);
  });

  test('loses lines of plain text that will not be kept, and nothing after it', () => {
    const { terminal, write } = made();
    write('busy');
    write(LINES);
    write(`e\r\n\u001b[31mred\r\n${LINES}`);
    terminal.finish();
    expect(terminal.given[1]).toBe(`\r\nd\r\ne\r\n\u001b[31mred\r\n${LINES}`);
  });

  test('is complete with a scroll region, and while the library is busy', () => {
    const region = made({ linesKept: () => undefined });
    region.write(LINES);
    expect(region.terminal.given).toEqual([LINES]);
    const busy = made();
    busy.write('\u001b[2;3r');
    busy.write(LINES);
    busy.queue.settle(() => undefined);
    expect(busy.terminal.given).toEqual(['\u001b[2;3r', LINES, '']);
  });

  test('is reported as done completely, with the longest wait, or 0 if lines were skipped', () => {
    const { terminal, write, pass, done } = made();
    const ended: string[] = [];
    write('busy', () => ended.push('busy'));
    pass(5);
    write('x', () => ended.push('x'));
    pass(5);
    write('y');
    terminal.finish();
    pass(5);
    terminal.finish();
    write('z');
    write(LINES);
    terminal.finish();
    terminal.finish();
    expect(done).toEqual([
      [4, 10],
      [2, 10],
      [1, 0],
      [LINES.length, 0],
    ]);
    expect(ended).toEqual(['busy', 'x']);
  });

  test('is passed in pieces, each reported when done', () => {
    const { terminal, write, done } = made();
    write('x'.repeat(40_000));
    expect(terminal.given.map((text) => text.length)).toEqual([16_384, 16_384, 7_232]);
    terminal.finish();
    expect(done.map(([bytes]) => bytes)).toEqual([16_384, 16_384, 7_232]);
  });

  test('in a flood of text, waits for the end of a pause, for anything else, or for a settle', () => {
    const { terminal, write, queue, timers, pass, done } = made();
    const flood = () => {
      pass(1_000);
      write('x'.repeat(40_000));
      terminal.finish();
      terminal.given.splice(0);
      done.splice(0);
    };
    flood();
    write('ab');
    expect([terminal.given, queue.pending, timers.length]).toEqual([[], 2, 1]);
    pass(50);
    timers[0]?.();
    pass(3);
    terminal.finish();
    // The pause does not count as waiting for the library.
    expect([terminal.given, done, queue.pending]).toEqual([['ab'], [[2, 3]], 0]);
    flood();
    write('ab');
    write('\u001b[m');
    expect([terminal.given, timers]).toEqual([['ab\u001b[m'], []]);
    terminal.finish();
    flood();
    write('ab');
    queue.settle(() => undefined);
    expect([terminal.given, timers]).toEqual([['ab', ''], []]);
    terminal.finish();
    flood();
    write('ab');
    queue.close();
    expect(timers).toEqual([]);
  });
});
