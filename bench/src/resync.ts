/**
 * A server dies in the middle of an answer, the agent finishes, and a new server starts: measures the bytes sent to the page, and
 * when it shows the end. The page uses the product's own reconnect delays.
 */
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { FEED } from '@tugdeck/protocol/wire/frames';
import { hold, text } from '@tugdeck/testkit/script';
import type { Page } from 'playwright-core';
import { HostTap } from './kit/host-tap.ts';
import { installProbe } from './kit/page-probe.ts';
import { firstSession, online, Product, send, waitForTurnEnd } from './kit/product.ts';

const WORDS = 1_500;

export interface Resync {
  /** From the new server's address to the last word in the DOM, including the page's reconnect delay. */
  readonly ms: number;
  /** From the page's first byte of the new connection to the last word in the DOM. */
  readonly connectedMs: number;
  /** Bytes that the host published while the page was disconnected. */
  readonly missedBytes: number;
  readonly sentBytes: number;
}

export class ResyncRig {
  readonly #product: Product;
  readonly #page: Page;
  readonly #tap: HostTap;
  readonly #changes: Change[];
  #wordCount = 0;

  private constructor(product: Product, page: Page, tap: HostTap, changes: Change[]) {
    this.#product = product;
    this.#page = page;
    this.#tap = tap;
    this.#changes = changes;
  }

  static async open(): Promise<ResyncRig> {
    const product = await Product.prepare();
    await product.start();
    const { page } = await product.page(installProbe);
    const session = await firstSession(page);
    await send(page, 'Say hello');
    await page.locator('article[data-entry-kind="text"][data-status="complete"]').first().waitFor();
    await waitForTurnEnd(page);
    const changes: Change[] = [];
    const tap = new HostTap(await product.host(session), (message) => {
      if (message.type === 'changes') changes.push(...message.changes);
    });
    await tap.next('protocol_ack');
    await tap.request({ type: 'follow' }, 'snapshot');
    return new ResyncRig(product, page, tap, changes);
  }

  async run(): Promise<Resync> {
    const page = this.#page;
    const first = this.#wordCount;
    this.#wordCount += WORDS;
    const last = this.#wordCount - 1;
    const keyword = `gap${first}`;
    const [word = '', ...rest] = wordsFrom(first);
    this.#product.fake.script(keyword, [text([word, hold(keyword), rest.join('')], { chunk: 70 })]);
    await page.evaluate(() => window.probe.clear());
    await send(page, `SCN:${keyword}`);
    await page.waitForFunction((index) => window.probe.drawn[index] !== undefined, first);
    await this.#product.killServer();
    await page.evaluate(() => window.probe.until('[role="status"]:not([data-state="online"])'));
    this.#changes.length = 0;
    const ended = this.#tap.next('changes', ({ changes }) =>
      changes.some(({ kind }) => kind === 'turn.ended'),
    );
    this.#product.fake.release(keyword);
    await ended;
    await page.evaluate(() => {
      window.probe.frames = [];
    });
    await this.#product.start();
    const ready = performance.timeOrigin + performance.now();
    await page.waitForFunction((index) => window.probe.drawn[index] !== undefined, last);
    await waitForTurnEnd(page);
    await online(page);
    const { frames, drawn } = await page.evaluate(() => window.probe);
    const shown = drawn[last] ?? Number.NaN;
    const missed = { type: 'changes', changes: this.#changes };
    return {
      ms: shown - ready,
      connectedMs: shown - (frames[0]?.at ?? Number.NaN),
      missedBytes: Buffer.byteLength(JSON.stringify(missed)),
      sentBytes: frames
        .filter(({ feed }) => feed === FEED.conversationOut)
        .reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  async close(): Promise<void> {
    this.#tap.close();
    await this.#page.context().close();
    await this.#product.close();
  }
}

function wordsFrom(first: number): string[] {
  return Array.from({ length: WORDS }, (_, index) => `w${String(first + index).padStart(5, '0')} `);
}
