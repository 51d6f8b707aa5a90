// Home with the demo agent: when it is shown, answers on cards, keys, peek, filters, reload.
import { execFileSync } from 'node:child_process';
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, openDeck } from './deck.ts';

let deck: Deck;
let opened: TestPage;

const start = async (text: string) => {
  const { code, stderr } = await deck.run(
    ...['send', '--new', '--agent', 'demo', '--trust', '--dir', deck.sandbox.project, text],
  );
  expect(code, stderr).toBe(0);
};
const home = () => opened.page.getByRole('region', { name: 'Home' });
const column = (name: string) => home().getByRole('region', { name });
const card = (name: RegExp) => home().getByRole('article', { name });

beforeAll(async () => {
  deck = await openDeck({
    withoutAgent: true,
    prepare: async ({ project }) => {
      execFileSync('git', ['init', '-q', '-b', 'rain-songs'], { cwd: project });
      return async () => undefined;
    },
  });
  for (const text of [
    'run echo one',
    'run echo two',
    'ask',
    `run echo ${'long '.repeat(60)}`,
    'think of rain',
  ]) {
    await start(text);
  }
  opened = await deck.page();
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

test('D15 D16 Home is shown on G H and after a reload, and whenever nothing is open', async () => {
  const { page } = opened;
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  const place = page.getByRole('navigation', { name: 'Breadcrumb' });
  await place.getByText('rain-songs', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Home' }).click();
  await home().waitFor();
  await page.reload();
  await home().waitFor();
  await card(/^think of rain/)
    .getByText('rain-songs', { exact: true })
    .waitFor();
  await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
  await card(/^think of rain/)
    .getByRole('link')
    .click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await home().waitFor({ state: 'detached' });
  await page.getByRole('tab').first().focus();
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await home().waitFor();
  await page.goBack();
  await home().waitFor({ state: 'detached' });
  while ((await page.getByRole('tab').count()) > 0) await page.getByRole('tab').first().press('Delete');
  await home().waitFor();
});

test('D15 sessions are in columns by state; a request is answered on its card', async () => {
  for (const text of [/^run echo one, Needs you/, /^run echo two, Needs you/, /^ask, Needs you/])
    await column('Needs you').getByRole('article', { name: text }).waitFor();
  await column('Done today')
    .getByRole('article', { name: /^think of rain, Done/ })
    .waitFor();
  const first = card(/^run echo one/);
  const request = first.getByRole('group', { name: /^Permission: / });
  await request.getByText('echo one').waitFor();
  await pressAnswer(request.getByRole('button', { name: 'Allow', exact: true }));
  await column('Done today')
    .getByRole('article', { name: /^run echo one/ })
    .waitFor();
  opened.assertNoProblems();
});

test('C6 D15 a request that does not fit on its card can only be opened', async () => {
  const long = card(/^run echo long/);
  await long.getByText('Too long to show here').waitFor();
  await long.getByRole('button', { name: /^Open ./ }).waitFor();
  await expect.poll(() => long.getByRole('button').count()).toBe(1);
  const question = card(/^ask/);
  await question.getByText('Which color').waitFor();
  await expect.poll(() => question.getByRole('button').allInnerTexts()).toEqual(['Open']);
});

test('D15 arrows, Space and N work on cards, and X and E select and archive', async () => {
  const { page } = opened;
  const target = card(/^run echo two/);
  await home().press('ArrowDown');
  for (let step = 0; step < 5 && !(await isFocused(target)); step++) await page.keyboard.press('ArrowDown');
  await expect.poll(() => isFocused(target)).toBe(true);
  await page.keyboard.press(' ');
  const peek = page.getByRole('dialog', { name: /^Last lines of run echo two/ });
  await peek.getByText('run echo two').waitFor();
  await page.keyboard.press('Escape');
  await peek.waitFor({ state: 'detached' });
  await expect.poll(() => isFocused(target)).toBe(true);
  // The click delay ends with the mark on the request.
  await target.locator('fieldset:not([aria-disabled])').waitFor();
  await expect
    .poll(async () => {
      await page.keyboard.press('n');
      return column('Needs you')
        .getByRole('article', { name: /^run echo two/ })
        .count();
    })
    .toBe(0);
  const done = card(/^think of rain/);
  await done.focus();
  await page.keyboard.press('x');
  await done.getByText('Selected').waitFor({ state: 'attached' });
  await page.keyboard.press('e');
  await done.waitFor({ state: 'detached' });
  await page.getByText('“think of rain” archived').waitFor();
});

test('D15 the board is filtered by text and grouped by project, also after a reload', async () => {
  const { page } = opened;
  await home().getByRole('searchbox', { name: 'Filter board' }).fill('ask');
  await expect.poll(() => home().getByRole('article').count()).toBe(1);
  await home().getByRole('searchbox', { name: 'Filter board' }).fill('');
  await home().getByRole('button', { name: 'Group: State' }).click();
  await page.getByRole('menuitemradio', { name: 'Project' }).click();
  await column('p').getByRole('article').first().waitFor();
  await page.reload();
  await column('p').getByRole('article').first().waitFor();
  await home().getByRole('button', { name: 'Group: Project' }).click();
  await page.getByRole('menuitemradio', { name: 'State' }).click();
});

test('D16 the counters in the top bar open their column', async () => {
  const { page } = opened;
  await card(/^run echo one/)
    .getByRole('link')
    .click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  const bar = page.getByRole('banner');
  await bar.getByText('run echo one').waitFor();
  await bar.getByRole('button', { name: /need you$/ }).click();
  await expect.poll(() => isFocused(column('Needs you').getByRole('article').first())).toBe(true);
  opened.assertNoProblems();
});

function isFocused(locator: ReturnType<typeof card>): Promise<boolean> {
  return locator.evaluate((element) => element === document.activeElement);
}
