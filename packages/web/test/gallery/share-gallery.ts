/**
 * One page of the gallery for all tests of a file: its code is fetched and compiled once, and each test begins with a
 * page that is loaded anew, with nothing kept and nothing of the test before. Whoever changes what cannot be taken
 * back (the clock, scripts that run at the start) asks for a page of its own.
 */
import {
  closeBrowser,
  launchBrowser,
  newPage,
  type PageOptions,
  type TestPage,
} from '@tugdeck/testkit/browser';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Gallery, serveGallery } from './serve-gallery.ts';

export interface GalleryPageOptions extends PageOptions {
  /** Not shared with other tests. */
  readonly isOwn?: boolean;
  /** Before the page is loaded. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

export interface SharedGallery {
  readonly url: string;
  /** Console errors and uncaught exceptions of the page that is open. */
  readonly problems: readonly string[];
  /** The page at a session; ends when its composer and every part that it loads by itself are there. */
  open(hash: string, options?: GalleryPageOptions): Promise<Page>;
  /** The problems so far were meant to be. */
  forgive(): void;
}

export interface SharedGalleryOptions {
  /** For how long a fact is waited for. */
  readonly patience?: number;
  /** Problems that no test of this file fails for. */
  readonly allowed?: readonly RegExp[];
}

const OPENING_MS = 120_000;

/** Serves the gallery for the tests of this file, and fails each of them that leaves a problem in the console. */
export function shareGallery({ patience = 30_000, allowed = [] }: SharedGalleryOptions = {}): SharedGallery {
  let gallery: Gallery;
  let shared: TestPage | undefined;
  let opened: TestPage | undefined;
  /** How many problems of the page are not of this test. */
  let known = 0;

  beforeAll(async () => {
    gallery = await serveGallery();
  });
  afterAll(async () => {
    await closeBrowser();
    await gallery?.close();
  });
  const problems = () =>
    (opened?.problems.slice(known) ?? []).filter((text) => !allowed.some((pattern) => pattern.test(text)));
  afterEach(async () => {
    const left = problems();
    const page = opened;
    opened = undefined;
    if (page !== shared) await page?.close();
    if (left.length > 0) throw new Error(`the page reported ${left.length} problem(s):\n${left.join('\n')}`);
  });

  async function fresh({ isOwn = false, theme = 'dark', width = 1280, height = 800 }: GalleryPageOptions) {
    if (isOwn) return newPage(await launchBrowser(), { theme, width, height });
    if (shared === undefined || shared.page.isClosed()) {
      shared = await newPage(await launchBrowser(), { theme, width, height });
      return shared;
    }
    const { page, context } = shared;
    // The old page is gone before its storage is cleared, so that it cannot write once more while it leaves.
    await page.goto(`${gallery.url}blank`);
    await page.evaluate(async () => {
      localStorage.clear();
      sessionStorage.clear();
      for (const { name } of await indexedDB.databases()) if (name) indexedDB.deleteDatabase(name);
    });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.clearPermissions();
    await page.emulateMedia({ colorScheme: theme, reducedMotion: null });
    await page.setViewportSize({ width, height });
    await page.mouse.move(0, 0);
    return shared;
  }

  return {
    get url() {
      return gallery.url;
    },
    get problems() {
      return problems();
    },
    forgive: () => {
      known = opened?.problems.length ?? 0;
    },
    open: async (hash, options = {}) => {
      opened = await fresh(options);
      known = opened.problems.length;
      const { page } = opened;
      page.setDefaultTimeout(patience);
      await options.prepare?.(page);
      // On a busy machine this takes by far the longest, and is no fact that a test waits for.
      const timeout = Math.max(patience, OPENING_MS);
      await page.goto(`${gallery.url}#/session/${hash}`, { timeout });
      await page.getByRole('textbox', { name: 'Message' }).waitFor({ timeout });
      await page.evaluate(() => window.allParts);
      return page;
    },
  };
}
