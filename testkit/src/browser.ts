// Drives the system's Chromium with playwright-core: one browser for all tests of a worker, a fresh context per
// page, all console errors collected. The browser resolves no name but localhost, so a page under test cannot
// reach a network. Used by e2e and bench.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { cleanEnvironment } from './clean-env.ts';
import { createSandbox, type Sandbox } from './temp.ts';
import { isFullTier } from './tiers.ts';

const screens = fileURLToPath(new URL('../../screens/', import.meta.url));

const candidates = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const SETPRIV = '/usr/bin/setpriv';

/**
 * Replaces Playwright's own list, which also turns off the partitioning of storage by site: without it, a frame of another
 * site has no storage in a test, but has it in every browser.
 */
const DISABLED_FEATURES = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'Translate',
  // Two hidden pages for the address bar in every window, half of the browser's CPU time in a short test.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
];

const NO_NAMES = 'MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1, EXCLUDE ::1';

const switches = [
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-proxy-server',
];

export interface PageOptions {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** A phone: fingers instead of a mouse, and pinching. */
  readonly isPhone?: boolean;
}

export interface TestPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console errors and uncaught exceptions so far, one text each. */
  readonly problems: readonly string[];
  /** Throws with all problems that match none of the allowed patterns. */
  assertNoProblems(allowed?: readonly RegExp[]): void;
  close(): Promise<void>;
}

interface Launched {
  readonly browser: Browser;
  readonly sandbox: Sandbox;
}

let launched: Promise<Launched> | undefined;

export interface ProxiedName {
  readonly name: string;
  /** Hash of its public key, so that this certificate counts as valid. */
  readonly publicKey: string;
}

export interface BrowserOptions {
  /** Draws scrollbars that a mouse can drag. Playwright hides them in a headless browser. */
  readonly scrollbars?: boolean;
  /** A host name on loopback with a self-signed certificate: that of a proxy that ends TLS. */
  readonly proxied?: ProxiedName;
}

const switchesFor = (proxied: ProxiedName | undefined): readonly string[] =>
  proxied === undefined
    ? [`--host-resolver-rules=${NO_NAMES}`]
    : [
        `--host-resolver-rules=MAP ${proxied.name} 127.0.0.1, ${NO_NAMES}`,
        `--ignore-certificate-errors-spki-list=${proxied.publicKey}`,
      ];

async function launch({ scrollbars = false, proxied }: BrowserOptions): Promise<Launched> {
  const executablePath = process.env.TUGDECK_CHROMIUM ?? candidates.find((path) => existsSync(path));
  if (executablePath === undefined) {
    throw new Error(`No Chromium at ${candidates.join(', ')}. Install it: apt-get install chromium`);
  }
  const sandbox = await createSandbox();
  const isRoot = process.getuid?.() === 0;
  // Chromium's own sandbox cannot run as root.
  const rootOnly = isRoot ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({
    executablePath: isRoot ? await asUsersRunIt(executablePath, sandbox) : executablePath,
    headless: true,
    args: [...rootOnly, ...switches, ...switchesFor(proxied)],
    ignoreDefaultArgs: scrollbars ? ['--hide-scrollbars'] : [],
    env: cleanEnvironment(sandbox),
  });
  return { browser, sandbox };
}

/**
 * As root, Chromium raises its own priority above everything else, including the program under test; as a user it
 * cannot. This removes that capability.
 */
async function asUsersRunIt(executable: string, sandbox: Sandbox): Promise<string> {
  if (!existsSync(SETPRIV)) return executable;
  const wrapper = join(sandbox.root, 'chromium');
  const drop = `${SETPRIV} --bounding-set -sys_nice --inh-caps -sys_nice`;
  await writeFile(wrapper, `#!/bin/sh\nexec ${drop} -- '${executable}' "$@"\n`, { mode: 0o700 });
  return wrapper;
}

/** One Chromium per worker. The options of the first call apply. */
export async function launchBrowser(options: BrowserOptions = {}): Promise<Browser> {
  launched ??= launch(options);
  return (await launched).browser;
}

/** Closes the browser if it was started. Call once, after all tests of the worker. */
export async function closeBrowser(): Promise<void> {
  const current = launched;
  launched = undefined;
  if (current === undefined) return;
  const { browser, sandbox } = await current;
  await browser.close();
  await sandbox.dispose();
}

/** Playwright's default of half a minute is too short on a busy machine. */
const PATIENCE_MS = 60_000;

/** Slows pages down by this factor, which exposes hidden assumptions of a test. */
const slowness = Number(process.env.TUGDECK_TEST_SLOW ?? 1);

async function slowDown(context: BrowserContext, page: Page): Promise<void> {
  // Delays lazy code.
  await context.route(/\.js$/, async (route) => {
    await delay(slowness * 100);
    await route.continue();
  });
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowness });
}

/**
 * In the default tier pages prefer reduced motion: without a graphics card, the animations of a working session take
 * more than a third of a core, and a test mostly waits for one. The full tier and benchmarks have them.
 */
export const MOTION = process.env.VITEST !== undefined && !isFullTier ? 'reduce' : 'no-preference';

/** A page in its own context: no cookies, storage or cache of another test. */
export async function newPage(browser: Browser, options: PageOptions = {}): Promise<TestPage> {
  const { theme = 'dark', width = 1280, height = 800, isPhone = false } = options;
  const context = await browser.newContext({
    colorScheme: theme,
    reducedMotion: MOTION,
    viewport: { width, height },
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...(isPhone ? { hasTouch: true, isMobile: true } : {}),
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  if (slowness > 1) await slowDown(context, page);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const { url, lineNumber } = message.location();
    problems.push(`console: ${message.text()} (${url}:${lineNumber})`);
  });
  return {
    page,
    context,
    problems,
    assertNoProblems: (allowed = []) => {
      const left = problems.filter((problem) => !allowed.some((pattern) => pattern.test(problem)));
      if (left.length > 0)
        throw new Error(`the page reported ${left.length} problem(s):\n${left.join('\n')}`);
    },
    close: () => context.close(),
  };
}

const isScreensWanted = process.env.TUGDECK_TEST_FULL === '1' || process.env.TUGDECK_SCREENS === '1';

/** Saves the page as screens/<name>.png in the repository root for visual review, if enabled. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!isScreensWanted) return;
  if (!/^[\w.-]+$/.test(name)) throw new Error(`'${name}' is not a plain file name`);
  await mkdir(screens, { recursive: true });
  await page.screenshot({ path: join(screens, `${name}.png`) });
}
