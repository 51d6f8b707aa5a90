// The browser helpers on a simple page.
import { afterAll, expect, test } from 'vitest';
import { closeBrowser, launchBrowser, newPage } from '../src/browser.ts';

afterAll(closeBrowser);

test('C18 pages share one Chromium but no storage, and their errors are collected', async () => {
  const browser = await launchBrowser();
  expect(await launchBrowser()).toBe(browser);
  const quiet = await newPage(browser, { theme: 'light', width: 400, height: 300 });
  await quiet.page.setContent('<h1>Quiet</h1>');
  quiet.assertNoProblems();
  const facts = await quiet.page.evaluate(() => ({
    light: matchMedia('(prefers-color-scheme: light)').matches,
    size: [innerWidth, innerHeight],
  }));
  expect(facts).toEqual({ light: true, size: [400, 300] });

  const loud = await newPage(browser);
  expect(loud.context).not.toBe(quiet.context);
  await loud.page.setContent('<script>console.error("first"); throw new Error("second")</script>');
  await expect.poll(() => loud.problems.length).toBe(2);
  expect(() => loud.assertNoProblems()).toThrow(/2 problem\(s\)[\s\S]*first[\s\S]*second/);
  expect(() => loud.assertNoProblems([/first/])).toThrow(/1 problem/);
  loud.assertNoProblems([/first/, /second/]);

  await expect(loud.page.goto('http://example.com/')).rejects.toThrow('ERR_NAME_NOT_RESOLVED');
  await quiet.close();
  await loud.close();
});
