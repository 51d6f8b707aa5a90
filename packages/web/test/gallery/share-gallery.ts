/**
 * One gallery page for all tests of a file: its code is loaded and compiled once, and each test starts with a
 * reloaded page without stored data. Tests that change something irreversible (the clock, init scripts) request
 * their own page.
 */
import {
  closeBrowser,
  launchBrowser,
  MOTION,
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
  /** Runs before the page is loaded. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

export interface SharedGallery {
  readonly url: string;
  /** Console errors and uncaught exceptions of the open page. */
  readonly problems: readonly string[];
  /** Opens a session; resolves when its composer and all automatically loaded parts are there. */
  open(hash: string, options?: GalleryPageOptions): Promise<Page>;
  /** Ignores the problems so far. */
  forgive(): void;
}

export interface SharedGalleryOptions {
  /** Timeout for waiting, in milliseconds. */
  readonly patience?: number;
  /** Problems that do not fail a test. */
  readonly allowed?: readonly RegExp[];
}

const OPENING_MS = 120_000;

/** Serves the gallery for the tests of this file, and fails each of them that leaves a problem in the console. */
export function shareGallery({ patience = 30_000, allowed = [] }: SharedGalleryOptions = {}): SharedGallery {
  let gallery: Gallery;
  let shared: TestPage | undefined;
  let opened: TestPage | undefined;
  /** Number of problems from before this test. */
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

  async function fresh(options: GalleryPageOptions) {
    const { isOwn = false, theme = 'dark', width = 1280, height = 800, isPhone = false } = options;
    if (isOwn) return newPage(await launchBrowser(), { theme, width, height, isPhone });
    if (shared === undefined || shared.page.isClosed()) {
      shared = await newPage(await launchBrowser(), { theme, width, height });
      return shared;
    }
    const { page, context } = shared;
    // Leaves the old page before clearing its storage, so that it cannot write again.
    await page.goto(`${gallery.url}blank`);
    await page.evaluate(async () => {
      localStorage.clear();
      sessionStorage.clear();
      for (const { name } of await indexedDB.databases()) if (name) indexedDB.deleteDatabase(name);
    });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.clearPermissions();
    await page.emulateMedia({ colorScheme: theme, reducedMotion: MOTION });
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
      // Loading takes longest on a busy machine and is not what a test waits for.
      const timeout = Math.max(patience, OPENING_MS);
      await page.goto(`${gallery.url}#/session/${hash}`, { timeout });
      await page.getByRole('textbox', { name: 'Message' }).waitFor({ timeout });
      await page.evaluate(() => window.allParts);
      return page;
    },
  };
}
