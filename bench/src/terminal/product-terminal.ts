/** A terminal beside a conversation in the product, and its speed as seen in the page. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { text } from '@tugdeck/testkit/script';
import type { Locator, Page } from 'playwright-core';
import { firstSession, Product, send, waitForTurnEnd } from '../kit/product.ts';
import { installTerminalWatch } from './page-watch.ts';

const PATIENCE_MS = 180_000;
/** A page that renders nothing for this long counts as suspended; a busy machine must not cause that. */
const STALL_MS = 60_000;
/**
 * Every prompt first writes to the clipboard, which the page reports on the screen; all earlier output is then
 * rendered. Not part of the prompt string, which the shell prints again after every resize.
 */
const PROMPT = `PS1='$ '\nHISTFILE=\nPROMPT_COMMAND='printf "\\e]52;c;ZG9uZQ==\\a"'\n`;
/** Milliseconds between two words of the answer. */
const EVERY_MS = 50;

export class ProductTerminal {
  readonly product: Product;
  readonly page: Page;
  readonly #card: Locator;
  #talks = 0;
  size = { cols: 80, rows: 24 };

  private constructor(product: Product, page: Page) {
    this.product = product;
    this.page = page;
    this.#card = page.getByRole('group', { name: 'Terminal' });
  }

  static async open(): Promise<ProductTerminal> {
    const product = await Product.prepare({ terminalStallMs: STALL_MS });
    const { project } = product.sandbox;
    await writeFile(join(project, 'prompt.sh'), PROMPT);
    await product.start();
    const { page } = await product.page(installTerminalWatch);
    await firstSession(page);
    const opened = new ProductTerminal(product, page);
    // The key opens it beside the conversation, so that both are visible.
    const isThere = async () => {
      await page.keyboard.press('Control+`');
      return opened.#card.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
    };
    await waitFor(isThere, { what: 'the terminal card', timeoutMs: PATIENCE_MS });
    await opened.#type('exec bash --rcfile ./prompt.sh -i');
    await opened.#marked();
    await opened.run('stty size > size');
    const [rows, cols] = readFileSync(join(project, 'size'), 'utf8').split(' ').map(Number);
    opened.size = { cols: cols ?? 80, rows: rows ?? 24 };
    return opened;
  }

  /** From the line's Enter to the next prompt in the page. */
  async run(line: string): Promise<number> {
    await this.#type(line);
    return this.#marked();
  }

  /** The number of consecutive lines of `seq 1 most` received, and how many of the `kept` lines cannot be found. */
  async count(most: number, kept: readonly number[]): Promise<{ lines: number; missing: number }> {
    await this.page.evaluate(() => {
      window.terminalWatch.lines = 0;
      window.terminalWatch.isCounting = true;
    });
    await this.run(`seq 1 ${most}`);
    const lines = await this.page.evaluate(() => {
      window.terminalWatch.isCounting = false;
      return window.terminalWatch.lines;
    });
    await this.#focus();
    await this.page.keyboard.press('Control+Shift+F');
    const box = this.#card.getByRole('searchbox', { name: 'Find in terminal' });
    const note = this.#card.getByText('Not found');
    let missing = 0;
    for (const line of kept) {
      await box.fill('never written');
      await note.waitFor();
      await box.fill(String(line));
      await note.waitFor({ state: 'hidden', timeout: 5_000 }).catch(() => {
        missing += 1;
      });
    }
    await box.press('Escape');
    return { lines, missing };
  }

  /** From the key during a flood to the next prompt. */
  async interrupt(flood: string, afterBytes: number): Promise<number> {
    await this.#flood(flood, afterBytes);
    await this.#focus();
    await this.page.keyboard.press('Control+c');
    return this.#marked();
  }

  /** Intervals between frames while an answer streams, with or without a flood beside it. */
  async frames(ms: number, flood: string | undefined): Promise<number[]> {
    this.#talks += 1;
    const keyword = `talk${this.#talks}`;
    // It continues until it is stopped.
    const words = Array.from({ length: (ms + PATIENCE_MS) / EVERY_MS }, (_, index) => `word${index}  `);
    this.product.fake.script(keyword, [text(words.join(''), { chunk: 8, delayMs: EVERY_MS })]);
    await send(this.page, `SCN:${keyword}`);
    await this.page.getByText('word3 ').last().waitFor();
    if (flood !== undefined) await this.#flood(flood, 1024 * 1024);
    const intervals = await this.page.evaluate((time) => window.terminalWatch.frames(time), ms);
    if (flood !== undefined) {
      await this.#focus();
      await this.page.keyboard.press('Control+c');
      await this.#marked();
    }
    await this.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await waitForTurnEnd(this.page);
    return intervals;
  }

  async close(): Promise<void> {
    await this.page.close();
    await this.product.close();
  }

  async #flood(line: string, bytes: number): Promise<void> {
    const before = await this.page.evaluate(() => window.terminalWatch.bytes);
    await this.#type(line);
    await waitFor(() => this.page.evaluate((least) => window.terminalWatch.bytes > least, before + bytes), {
      what: 'the flood',
      timeoutMs: PATIENCE_MS,
    });
  }

  async #focus(): Promise<void> {
    await this.#card.locator('textarea').first().focus();
  }

  async #type(line: string): Promise<void> {
    await this.#focus();
    await this.page.keyboard.type(line);
    await this.page.keyboard.press('Enter');
  }

  /** Waits for the prompt's marker and clears it for the next one. */
  async #marked(): Promise<number> {
    await this.page.waitForFunction(() => window.terminalWatch.markAt !== undefined, undefined, {
      timeout: PATIENCE_MS,
    });
    const took = await this.page.evaluate(
      () => (window.terminalWatch.markAt ?? Number.NaN) - window.terminalWatch.keyAt,
    );
    const offer = this.#card.getByRole('alert');
    await offer.getByRole('button', { name: 'Ignore' }).click();
    await offer.waitFor({ state: 'detached' });
    return took;
  }
}
