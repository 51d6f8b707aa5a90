/** A terminal beside a conversation in the product, as a user has it, and what the page itself shows of its speed. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { text } from '@tugdeck/testkit/script';
import type { Locator, Page } from 'playwright-core';
import { begunSession, Product, rested, send } from '../kit/product.ts';
import { installTerminalWatch } from './page-watch.ts';

const PATIENCE_MS = 180_000;
/** A page that draws nothing for so long is taken for one that sleeps; a busy machine must not be. */
const STALL_MS = 60_000;
/**
 * Before every prompt the clipboard is asked for, which the page says on the screen: so what came earlier is drawn. Not
 * part of the prompt itself, which is written again whenever the size changes.
 */
const PROMPT = `PS1='$ '\nHISTFILE=\nPROMPT_COMMAND='printf "\\e]52;c;ZG9uZQ==\\a"'\n`;
/** A word every so often, as an answer comes. */
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
    await begunSession(page);
    const opened = new ProductTerminal(product, page);
    // The key opens it beside the conversation: both are to be seen at once.
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

  /** From the line's Enter to the next prompt, as the page has it. */
  async run(line: string): Promise<number> {
    await this.#type(line);
    return this.#marked();
  }

  /** How many lines of `seq 1 most` came one after the other, and which of the kept ones are not found. */
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
    const box = this.#card.getByRole('searchbox', { name: 'Find in the terminal' });
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

  /** Intervals between frames while an answer comes in, with a flood beside it or without. */
  async frames(ms: number, flood: string | undefined): Promise<number[]> {
    this.#talks += 1;
    const keyword = `talk${this.#talks}`;
    // It goes on until it is stopped.
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
    await rested(this.page);
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

  /** Waits for the mark of the prompt, and clears it away for the next one. */
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
