import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSandboxFrame } from '../src/features/drawing/sandbox-frame.ts';

type PostedMessage = { data: { id: number; source?: string } };

/** A message sent into one end is received at the other at once. */
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
  onmessage: ((said: PostedMessage) => void) | undefined;
  postMessage(data: PostedMessage['data']): void {
    this.other?.onmessage?.({ data });
  }
  close(): void {
    this.onmessage = undefined;
  }
}

/** A fake frame that loads and replies when the test tells it to. */
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

test('C2 waits for a slow library, then handles the queued requests', async () => {
  const asked = room().request({ source: 'a' });
  vi.advanceTimersByTime(50 * SECOND);
  frame().load();
  frame().answer('drawn a');
  expect(await asked).toMatchObject({ source: 'drawn a' });
  expect(frames).toHaveLength(1);
});

test('C2 retries a request that timed out in another frame, after the queued ones', async () => {
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

test('C2 rejects a source that blocks its frame a second time', async () => {
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

test('C2 keeps the source if the frame never loads', async () => {
  const asked = room().request({ source: 'a' });
  vi.advanceTimersByTime(60 * SECOND);
  expect(await asked).toBeUndefined();
});
