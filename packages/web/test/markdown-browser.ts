/** Bundles an in-page script and opens it in a real Chromium on an empty page with an origin of its own. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { build } from 'vite';

const CANDIDATES = [
  process.env.TUGDECK_CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function bundle(entry: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: false, lib: { entry, formats: ['iife'], name: 'entry' } },
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (output === undefined || !('output' in output)) throw new Error('the bundler gave no output');
  return output.output.map((part) => ('code' in part ? part.code : '')).join('\n');
}

export async function openPage(entry: string): Promise<{ browser: Browser; page: Page }> {
  const executablePath = CANDIDATES.find((path) => path !== '' && existsSync(path));
  if (executablePath === undefined) throw new Error('no Chromium found: set TUGDECK_CHROMIUM');
  const script = await bundle(entry);
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  const page = await browser.newPage();
  await page.route('**/*', (route) => {
    const isPage = route.request().url() === 'http://tugdeck.test/';
    return isPage
      ? route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>markdown</title>' })
      : route.abort();
  });
  await page.goto('http://tugdeck.test/');
  await page.addScriptTag({ content: script });
  return { browser, page };
}
