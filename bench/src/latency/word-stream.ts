/**
 * Streams one answer of numbered words through the whole product and follows it at every hop: the agent's line in the
 * host's raw log, the host's message on a second connection, the frame at the page's socket, the change in the DOM.
 * Nothing is built into the product for it. All times are of one machine's clock, in milliseconds.
 */
import { FEED } from '@tugdeck/protocol/wire/frames';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { text } from '@tugdeck/testkit/script';
import type { Page } from 'playwright-core';
import { HostTap } from '../kit/host-tap.ts';
import { installProbe } from '../kit/page-probe.ts';
import { firstSession, Product, send, waitForTurnEnd } from '../kit/product.ts';

export interface Hops {
  /** The host has read the agent's line (whole milliseconds). */
  readonly read: number;
  readonly agentBytes: number;
  readonly published: number;
  readonly received: number;
  readonly drawn: number;
}

export interface WordRun {
  /** Per word; words that were not seen at every hop are left out. */
  readonly words: readonly Hops[];
  /** Bytes and number of conversation frames that brought words to the page. */
  readonly frameBytes: number;
  readonly frames: number;
}

export class WordStream {
  readonly #product: Product;
  readonly page: Page;
  readonly #session: string;
  readonly #tap: HostTap;
  readonly #published: Map<number, number>;
  /** Number of words in earlier answers: numbers keep increasing. */
  #wordCount = 0;

  private constructor(
    product: Product,
    page: Page,
    session: string,
    tap: HostTap,
    published: Map<number, number>,
  ) {
    this.#product = product;
    this.page = page;
    this.#session = session;
    this.#tap = tap;
    this.#published = published;
  }

  static async open(): Promise<WordStream> {
    const product = await Product.prepare();
    await product.start();
    const { page } = await product.page(installProbe);
    const session = await firstSession(page);
    await send(page, 'Say hello');
    await page.locator('article[data-entry-kind="text"][data-status="complete"]').first().waitFor();
    await waitForTurnEnd(page);
    const host = await product.host(session);
    const published = new Map<number, number>();
    const tap = new HostTap(host, (message, at) => {
      if (message.type !== 'live') return;
      for (const [, word] of JSON.stringify(message.appends).matchAll(/w(\d{5})/g)) {
        if (!published.has(Number(word))) published.set(Number(word), at);
      }
    });
    await tap.next('protocol_ack');
    await tap.request({ type: 'follow' }, 'snapshot');
    return new WordStream(product, page, session, tap, published);
  }

  /** Streams `count` words, one every `delayMs`. */
  async run(count: number, delayMs: number): Promise<WordRun> {
    const base = this.#wordCount;
    this.#wordCount += count;
    const keyword = `words${base}`;
    const content = Array.from({ length: count }, (_, index) => wordOf(base + index)).join('');
    this.#product.fake.script(keyword, [text(content, { chunk: wordOf(0).length, delayMs })]);
    this.#published.clear();
    const before = this.#product.rawLines(this.#session).length;
    await this.page.evaluate(() => window.probe.clear());
    await send(this.page, `SCN:${keyword}`);
    const timeoutMs = 20_000 + count * delayMs * 2;
    await waitFor(
      () => this.page.evaluate((last) => window.probe.drawn[last] !== undefined, base + count - 1),
      {
        what: 'the last word on the screen',
        timeoutMs,
      },
    );
    await waitForTurnEnd(this.page);
    const { frames, drawn } = await this.page.evaluate(() => window.probe);
    // The raw log is written with a delay: wait for the line of the last word.
    const recorded = () => this.#product.rawLines(this.#session).slice(before);
    const last = wordOf(base + count - 1).trim();
    await waitFor(
      () => recorded().some(({ dir, line }) => dir === 'out' && JSON.stringify(line).includes(last)),
      {
        what: 'the last word in the raw log',
        timeoutMs,
      },
    );
    const lines = recorded();
    const read = new Map<number, { at: number; bytes: number }>();
    for (const { t, dir, line } of lines) {
      if (dir !== 'out') continue;
      const json = JSON.stringify(line);
      const found = [...json.matchAll(/w(\d{5})/g)].map(([, word]) => Number(word));
      for (const word of found) {
        if (!read.has(word)) read.set(word, { at: t, bytes: (Buffer.byteLength(json) + 1) / found.length });
      }
    }
    const bringing = frames.filter(
      ({ feed, word }, index) =>
        feed === FEED.conversationOut &&
        word >= base &&
        frames.slice(0, index).every((earlier) => earlier.feed !== feed || earlier.word < word),
    );
    const words: Hops[] = [];
    for (let index = base; index < base + count; index++) {
      const line = read.get(index);
      const published = this.#published.get(index);
      const received = bringing.find(({ word }) => word >= index)?.at;
      const at = drawn[index];
      if (!line || published === undefined || received === undefined || at === undefined) continue;
      words.push({ read: line.at, agentBytes: line.bytes, published, received, drawn: at });
    }
    if (words.length < count * 0.9)
      throw new Error(`only ${words.length} of ${count} words were seen at every hop`);
    return {
      words,
      frames: bringing.length,
      frameBytes: bringing.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  /** Intervals between animation frames of an idle page. */
  idleFrames(count: number): Promise<number[]> {
    return this.page.evaluate(
      (wanted) =>
        new Promise<number[]>((resolve) => {
          const stamps: number[] = [];
          const frame = (at: number) => {
            stamps.push(at);
            if (stamps.length <= wanted) requestAnimationFrame(frame);
            else resolve(stamps.slice(1).map((stamp, index) => stamp - (stamps[index] ?? stamp)));
          };
          requestAnimationFrame(frame);
        }),
      count,
    );
  }

  async close(): Promise<void> {
    this.#tap.close();
    await this.page.close();
    await this.#product.close();
  }
}

/** Ten words per paragraph, so that the view settles blocks as with prose. */
function wordOf(index: number): string {
  return `w${String(index).padStart(5, '0')}${index % 10 === 9 ? '\n\n' : '  '}`;
}
