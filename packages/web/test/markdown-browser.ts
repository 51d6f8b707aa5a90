/** Bundles a page script and opens it in Chromium, on an empty page with a separate origin. */
import { launchBrowser, newPage, type TestPage } from '@tugdeck/testkit/browser';
import { build } from 'vite';

async function bundle(entry: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: false, lib: { entry, formats: ['iife'], name: 'entry' } },
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (output === undefined || !('output' in output)) throw new Error('the bundler gave no output');
  return output.output.map((part) => ('code' in part ? part.code : '')).join('\n');
}

export async function openPage(entry: string): Promise<TestPage> {
  const [script, browser] = await Promise.all([bundle(entry), launchBrowser()]);
  const opened = await newPage(browser);
  const { page } = opened;
  await page.route('**/*', (route) => {
    const isPage = route.request().url() === 'http://tugdeck.test/';
    const body = '<!doctype html><title>markdown</title>';
    return isPage ? route.fulfill({ contentType: 'text/html', body }) : route.abort();
  });
  await page.goto('http://tugdeck.test/');
  await page.addScriptTag({ content: script });
  await page.waitForFunction(() => 'markdownPage' in window);
  return opened;
}
