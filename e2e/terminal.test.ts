/** The terminal card in a real browser on the real product: one deck, one page for all but the last test. */

import { closeBrowser, screenshot, type TestPage } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connected, type Deck, entries, newSession, openDeck, rested, send } from './deck.ts';

let deck: Deck;
let opened: TestPage;
let page: Page;
let card: Locator;

beforeAll(async () => {
  deck = await openDeck({ files: { 'a b.txt': 'spaces' } });
  opened = await deck.page();
  page = opened.page;
  // Without graphics the library draws with elements, which can be read here and are what the policy is hardest on.
  await opened.context.addInitScript(() => {
    const { getContext } = HTMLCanvasElement.prototype;
    const without = function (this: HTMLCanvasElement, kind: string, options?: unknown) {
      return kind.startsWith('webgl') ? null : Reflect.apply(getContext, this, [kind, options]);
    };
    Object.assign(HTMLCanvasElement.prototype, { getContext: without });
  });
  await page.reload();
  await connected(page);
  await newSession(page);
  card = page.getByRole('group', { name: 'Terminal' });
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

async function openTerminal(): Promise<void> {
  await page.getByRole('button', { name: 'New tab' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New tab' });
  await dialog.getByRole('button', { name: /^Terminal/ }).click();
}

/** The drawn lines. */
const drawn = () => card.locator('.xterm-rows').first().innerText();
const shows = (text: string | RegExp) =>
  expect
    .poll(drawn)
    .toEqual(typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text));
const type = async (text: string) => {
  await card.locator('textarea').first().focus();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
};

test('W1 C18 a shell in the project directory opens beside the conversation', async () => {
  await openTerminal();
  await card.waitFor();
  await shows(/[#$]\s*$/);
  // The focus is not on a button of its header: typing a space would press that.
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('.terminal-host') !== null))
    .toBe(true);
  await type('PS1="> "; clear; echo "in $(basename "$PWD")"; ls');
  await shows(/in p[\s\S]*a b\.txt/);
  await screenshot(page, 'terminal');
  opened.assertNoProblems();
});

test('W1 X1 colors and styles are drawn under the content policy, in the page’s theme', async () => {
  await type('clear; printf "\\033[38;2;10;200;30mTRUE\\033[0m \\033[31mRED\\033[0m\\n"');
  await shows('TRUE RED');
  const styles = () =>
    page.evaluate(() => {
      const span = (text: string) =>
        [...document.querySelectorAll('.xterm-rows span')].find((one) => one.textContent === text);
      const colorOf = (text: string) => {
        const found = span(text);
        return found ? getComputedStyle(found).color : '';
      };
      const token = document.createElement('span');
      token.style.color = 'var(--ansi-red)';
      document.body.append(token);
      const red = getComputedStyle(token).color;
      token.remove();
      return { exact: colorOf('TRUE'), red: colorOf('RED'), token: red };
    });
  await expect.poll(async () => (await styles()).exact).toBe('rgb(10, 200, 30)');
  const dark = await styles();
  await expect.poll(async () => (await styles()).red).toBe(dark.token);
  await page.evaluate(() => {
    document.documentElement.dataset.scheme = 'light';
  });
  await expect.poll(async () => (await styles()).red).not.toBe(dark.token);
  await expect
    .poll(async () => {
      const light = await styles();
      return light.red === light.token;
    })
    .toBe(true);
  await page.evaluate(() => {
    document.documentElement.dataset.scheme = 'dark';
  });
  opened.assertNoProblems();
});

test('W11 a flood is drawn to its end, and Ctrl+C ends one that has none', async () => {
  await type('clear; seq 1 50000; echo o""ver');
  await shows(/49999\s+50000\s+over/);
  await type('yes');
  await shows(/y\s+y\s+y/);
  await page.keyboard.press('Control+c');
  await type('clear; echo ba""ck');
  await shows(/^\s*back\s/);
});

test('W12 copies the selection; Ctrl+C without one still interrupts the program', async () => {
  await opened.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await type('clear; echo "copy""me"; sleep 1000');
  await shows('copyme');
  // The library handles the mouse in a layer above the lines.
  const line = card.locator('.xterm-rows > div', { hasText: /^copyme/ });
  await line.dblclick({ position: { x: 12, y: 8 }, force: true });
  await page.keyboard.press('Control+Shift+C');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('copyme');
  await page.keyboard.press('Control+c');
  await shows(/copyme[\s\S]*\^C[\s\S]*>\s*$/);
});

test('W12 find goes through all lines that are kept', async () => {
  await type('clear; printf "\\033[3J"; echo needle-in-the-hay; seq 1 300');
  await shows(/299\s+300/);
  const lines = () => card.locator('.xterm-rows').first().locator('> div').count();
  const before = await lines();
  await page.keyboard.press('Control+Shift+F');
  const box = card.getByRole('searchbox', { name: 'Find in terminal' });
  // The search bar takes height from the terminal, which reflows a moment later.
  await expect.poll(lines).toBeLessThan(before);
  await box.fill('needle-in');
  await shows('needle-in-the-hay');
  await box.fill('not there at all');
  await card.getByText('Not found').waitFor();
  await box.press('Escape');
  await box.waitFor({ state: 'hidden' });
});

test('W10 a reload shows the screen at once and loads the lines above it on demand', async () => {
  await type('clear; seq 100 400; echo mark""er');
  await shows('marker');
  await page.reload();
  await connected(page);
  await shows(/400\s+marker/);
  const screen = card.locator('.xterm-screen');
  await screen.hover();
  // The screen's contents began far below; each poll scrolls a little further up.
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, -2_000);
        return Number.parseInt(await drawn(), 10);
      },
      { timeout: 60_000, interval: 100 },
    )
    .toBeLessThan(330);
  await type('echo do""wn');
  await shows('down');
});

test('W12 a dropped file inserts its path as one word, and runs nothing', async () => {
  await type('clear');
  const data = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.setData('application/x-tugdeck-path', "a b's.txt");
    return transfer;
  });
  await card.locator('.terminal-room').dispatchEvent('drop', { dataTransfer: data });
  await shows(`'${deck.sandbox.project}/a b'\\''s.txt'`);
  await page.keyboard.press('Control+c');
});

test('W13 the last output goes into the message to the agent, which is not sent', async () => {
  await type('clear; printf "\\033]133;C\\007"; echo the output; printf "\\033]133;D;0\\007"; echo oth""er');
  await shows('other');
  await card.getByRole('button', { name: 'Add last output to message' }).click();
  const box = page.getByRole('textbox', { name: 'Message' });
  await expect.poll(() => box.inputValue()).toBe('```\nthe output\n```\n');
  await box.fill('');
  await page.getByRole('tab', { name: /Terminal 1/ }).click();
  await screenshot(page, 'terminal-output');
});

test('W1 W15 shows titles and links that a program sets, without trusting them', async () => {
  await type('clear; printf "\\033]2;evil\\342\\200\\256title\\007"');
  await page.getByRole('tab', { name: /evil⟨U\+202E⟩title/ }).waitFor();
  await type(`printf "\\033]52;c;%s\\007" "$(printf 'rm -rf x' | base64)"`);
  const offer = card.getByRole('alert').filter({ hasText: 'clipboard' });
  await offer.getByText('rm -rf x').waitFor();
  await offer.getByRole('button', { name: 'Ignore' }).click();
  // A terminal query is answered once, by the host: nothing else is typed on the command line.
  await type(
    'clear; printf "\\033[6n"; read -rs -d R a; echo "got $a" | cat -v; read -rs -t 1 -d R b; echo "then [$b]"',
  );
  await shows(/got \^\[\[\d+;\d+\s+then \[\]/);
});

test('W1 an ended terminal says so and can be restarted; its name is kept; closing it closes its card', async () => {
  await type('exit 5');
  await card.getByText('Process exited with code 5').waitFor();
  await card.getByRole('button', { name: 'Restart' }).click();
  // Input typed before this belongs to the program that ended.
  await card.getByText('Process exited with code 5').waitFor({ state: 'hidden' });
  await shows(/[#$]\s*$/);
  await type('clear; echo aga""in');
  await shows('again');
  await card.getByRole('button', { name: 'Terminal menu' }).click();
  await page.getByRole('menuitem', { name: 'Rename terminal' }).click();
  await card.getByRole('textbox', { name: 'Terminal name' }).fill('builds');
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: /builds/ }).waitFor();
  opened.assertNoProblems();
});

test.skipIf(process.env.TUGDECK_TEST_FULL !== '1')(
  'W1 L8 it outlives the server that is killed, and the page shows it again',
  async () => {
    await type('clear; X=still; echo rea""dy');
    await shows('ready');
    await deck.killServer();
    await card.getByText('Disconnected.').waitFor();
    await deck.startServer();
    await connected(page);
    await card.getByText('Disconnected.').waitFor({ state: 'hidden' });
    // Starting the server again shows the project, and the tab in front stays there.
    await deck.run('--no-open', deck.sandbox.project);
    await shows('ready');
    await type('echo "$X here"');
    await shows('still here');
    await page.getByRole('tab', { name: /builds/ }).waitFor();
    await card.getByRole('button', { name: 'Terminal menu' }).click();
    await page.getByRole('menuitem', { name: 'Kill terminal' }).click();
    await pressAnswer(
      page.getByRole('dialog', { name: 'Kill this terminal?' }).getByRole('button', { name: 'Kill' }),
    );
    await card.waitFor({ state: 'detached' });
  },
);

test('D21 Ctrl+` switches between the terminal of the session in front and the message box', async () => {
  const focused = (place: string) =>
    expect
      .poll(() => page.evaluate((one) => document.activeElement?.closest(one) !== null, place))
      .toBe(true);
  await newSession(page);
  await page.getByRole('textbox', { name: 'Message' }).filter({ visible: true }).focus();
  await page.keyboard.press('Control+`');
  const panel = page.getByRole('complementary', { name: /^Panel of / });
  await expect.poll(() => panel.locator('.xterm-rows').innerText()).toMatch(/[#$>]\s*$/);
  await focused('.session-panel .terminal-host');
  await page.keyboard.press('Control+`');
  await focused('.composer');
  await panel.getByRole('button', { name: 'Hide session panel' }).click();
});

const isFull = process.env.TUGDECK_TEST_FULL === '1';

test.runIf(isFull)('A41 a session opens in its agent’s own interface, and returns', async () => {
  await page
    .getByRole('tab', { name: /session/ })
    .first()
    .click();
  await send(page, 'SCN:text hello');
  await entries(page, 'text', 'complete').first().waitFor();
  await rested(page);
  const hosts = deck.records('host').length;
  await page.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: /in a terminal/ }).click();
  card = page.getByRole('group', { name: 'Terminal' }).filter({ visible: true });
  await expect.poll(drawn).toMatch(/\w{4}/);
  // Our host has released the session, and no host is started while the other program uses it.
  await expect.poll(() => deck.records('host').length).toBe(hosts - 1);
  await screenshot(page, 'terminal-agent');
  // It exits because it has no network; then the card offers to return.
  await card.getByRole('button', { name: 'Back to the conversation' }).click({ timeout: 60_000 });
  await card.waitFor({ state: 'detached' });
  await send(page, 'SCN:text again');
  await expect.poll(() => entries(page, 'text', 'complete').count()).toBe(2);
});
