import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSandboxFrame } from '../src/drawing/sandbox-frame.ts';

type Said = { data: { id: number; source?: string } };

/** What is said into one end is heard at the other at once. */
class FakeChannel {
  readonly port1 = new FakePort();
  readonly port2 = new FakePort();
  constructor() {
    this.port1.other = this.port2;
    this.port2.other = this.port1;
  }
}
class FakePort {
  other: FakePort | undefined;
  onmessage: ((said: Said) => void) | undefined;
  postMessage(data: Said['data']): void {
    this.other?.onmessage?.({ data });
  }
  close(): void {
    this.onmessage = undefined;
  }
}

/** A frame in whose place the test stands: it loads and answers when the test says so. */
class FakeFrame {
  readonly asked: (string | undefined)[] = [];
  #port: FakePort | undefined;
  #loaded: (() => void) | undefined;
  #last = 0;
  setAttribute = () => undefined;
  remove = () => undefined;
  addEventListener(_: string, loaded: () => void): void {
    this.#loaded = loaded;
  }
  contentWindow = {
    postMessage: (_: unknown, __: string, [port]: FakePort[]) => {
      this.#port = port;
      if (!port) return;
      port.onmessage = ({ data }) => {
        this.#last = data.id;
        this.asked.push(data.source);
      };
    },
  };
  load(): void {
    this.#loaded?.();
    this.#port?.postMessage({ id: 0 });
  }
  answer(source: string): void {
    this.#port?.postMessage({ id: this.#last, source });
  }
}

let frames: FakeFrame[];
const frame = () => frames.at(-1) as FakeFrame;
const SECOND = 1_000;

beforeEach(() => {
  frames = [];
  vi.useFakeTimers();
  vi.stubGlobal('MessageChannel', FakeChannel);
  vi.stubGlobal('document', {
    createElement: () => frames[frames.push(new FakeFrame()) - 1],
    body: { append: () => undefined },
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const room = () =>
  createSandboxFrame({ address: '/frame', title: 'Frame', timeoutMs: 5 * SECOND, idleMs: 60 * SECOND });

test('C2 a library that is long in coming is waited for, and what was asked meanwhile is drawn', async () => {
  const asked = room().request({ source: 'a' });
  vi.advanceTimersByTime(50 * SECOND);
  frame().load();
  frame().answer('drawn a');
  expect(await asked).toMatchObject({ source: 'drawn a' });
  expect(frames).toHaveLength(1);
});

test('C2 what was not answered in time is asked again in another frame, after what waited behind it', async () => {
  const { request } = room();
  const slow = request({ source: 'slow' });
  const other = request({ source: 'other' });
  frame().load();
  vi.advanceTimersByTime(5 * SECOND);
  expect(frames).toHaveLength(2);
  frame().load();
  expect(frame().asked).toEqual(['other']);
  frame().answer('drawn other');
  expect(await other).toMatchObject({ source: 'drawn other' });
  vi.advanceTimersByTime(14 * SECOND);
  expect(frame().asked).toEqual(['other', 'slow']);
  frame().answer('drawn slow');
  expect(await slow).toMatchObject({ source: 'drawn slow' });
});

test('C2 a source that keeps its frame busy for ever is given up after the second time', async () => {
  const { request } = room();
  const endless = request({ source: 'endless' });
  frame().load();
  vi.advanceTimersByTime(5 * SECOND);
  frame().load();
  vi.advanceTimersByTime(15 * SECOND);
  expect(await endless).toBeUndefined();
  const next = request({ source: 'next' });
  expect(frames).toHaveLength(3);
  frame().load();
  frame().answer('drawn next');
  expect(await next).toMatchObject({ source: 'drawn next' });
});

test('C2 a frame that never comes leaves the source as it is', async () => {
  const asked = room().request({ source: 'a' });
  vi.advanceTimersByTime(60 * SECOND);
  expect(await asked).toBeUndefined();
});
