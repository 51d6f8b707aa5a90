/** The real agent in the browser: sessions shared with its own program, running turns, two pages. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowser } from '@tugdeck/testkit/browser';
import { startClaude } from '@tugdeck/testkit/claude-process';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { hold, text, toolUse } from '@tugdeck/testkit/script';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connected, type Deck, entries, lastRequest, openDeck, rested, send } from './deck.ts';

const PATIENT = { timeout: 60_000 };
let deck: Deck;
let page: Page;
let assertNoProblems: () => void;

beforeAll(async () => {
  deck = await openDeck();
  const opened = await deck.page();
  ({ page, assertNoProblems } = opened);
  // Without graphics a terminal is drawn with elements, which can be read here.
  await opened.context.addInitScript(() => {
    const { getContext } = HTMLCanvasElement.prototype;
    const without = function (this: HTMLCanvasElement, kind: string, options?: unknown) {
      return kind.startsWith('webgl') ? null : Reflect.apply(getContext, this, [kind, options]);
    };
    Object.assign(HTMLCanvasElement.prototype, { getContext: without });
  });
  await page.reload();
  await connected(page);
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

const answered = (where: Page, expected: string) =>
  entries(where, 'text', 'complete').filter({ hasText: expected }).first().waitFor(PATIENT);
const box = () => page.getByRole('textbox', { name: 'Message' });

/** One turn of the agent's own program, as a user at a terminal makes it; resolves when the program is gone. */
async function inTerminal(prompt: string, args: readonly string[] = []): Promise<void> {
  const program = startClaude(deck.sandbox, deck.fake, { args });
  program.prompt(prompt);
  await program.line(({ type }) => type === 'result', 'the end of the turn');
  await program.end();
}

test('A40 a session that the agent’s own program just left can be continued at once', async () => {
  await inTerminal('Describe the lighthouse SCN:text');
  await page
    .getByRole('navigation', { name: 'Projects' })
    .locator('.session[data-origin="foreign"]')
    .getByText('Describe the lighthouse')
    .click();
  await entries(page, 'user').getByText('lighthouse').waitFor(PATIENT);
  deck.fake.script('here', [text('Answered here.')]);
  await send(page, 'And now here SCN:here');
  await answered(page, 'Answered here.');
  await rested(page);
  await expect.poll(() => page.getByText('This session is active in another program').count()).toBe(0);
});

test('A42 a turn that the agent’s own program adds to a session that is open here appears by itself', async () => {
  const folder = join(deck.sandbox.home, '.claude/projects');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const session = names.map((name) => /([\w-]{36})\.jsonl$/.exec(name)?.[1]).find(Boolean) ?? '';
  deck.fake.script('there', [text('Answered in the terminal.')]);
  await inTerminal('From the terminal SCN:there', ['--resume', session]);
  await entries(page, 'user').getByText('From the terminal').waitFor(PATIENT);
  await answered(page, 'Answered in the terminal.');
  // The model knows it, too.
  deck.fake.script('after', [text('Answered after it.')]);
  await send(page, 'Once more SCN:after');
  await answered(page, 'Answered after it.');
  await rested(page);
  expect(lastRequest(deck.fake)).toContain('Answered in the terminal.');
});

test('S5 the text of a running turn is found', async () => {
  deck.fake.script('zither', [text(['The zither is tuned. ', hold('zither'), 'It sounds.'])]);
  await send(page, 'Begin SCN:zither');
  await entries(page, 'text', 'partial').getByText('The zither').waitFor(PATIENT);
  const dialog = page.getByRole('dialog', { name: 'Search' });
  const hit = dialog
    .getByRole('listbox', { name: 'Results' })
    .getByRole('option')
    .filter({ hasText: 'zither' });
  await expect
    .poll(async () => {
      if (!(await dialog.isVisible())) await page.keyboard.press('Control+Shift+F');
      await dialog.getByRole('combobox', { name: 'Search all conversations' }).fill('');
      await dialog.getByRole('combobox', { name: 'Search all conversations' }).fill('zither tuned');
      return hit
        .first()
        .waitFor({ timeout: 2_000 })
        .then(
          () => true,
          () => false,
        );
    }, PATIENT)
    .toBe(true);
  await page.keyboard.press('Escape');
  deck.fake.release('zither');
  await rested(page);
});

test('M4 A5 C4 the later of two answers is reported; a running command shows its output, and truncated output says where the rest is', async () => {
  const command =
    'touch begun.txt; while [ ! -e go.txt ]; do echo tick; sleep 0.2; done; seq -f "line %g of a very long output that nobody reads" 75000';
  deck.fake.script('two', [[toolUse('Bash', { command, description: 'Count' })], text('Counted.')]);
  const { page: other, close } = await deck.page();
  await other.goto(page.url());
  await entries(other, 'user').getByText('Once more').waitFor(PATIENT);
  await send(page, 'Count SCN:two');
  const pages = [page, other];
  const buttons = ['Allow', 'Deny'].map((name, at) =>
    pages[at]?.getByRole('group', { name: /^Permission: / }).getByRole('button', { name, exact: true }),
  );
  for (const button of buttons) {
    await button?.waitFor(PATIENT);
    // A press counts only when its target was still.
    await expect
      .poll(() => button?.evaluate((node) => node.closest('[aria-disabled]') === null), PATIENT)
      .toBe(true);
  }
  // While the server is suspended, neither page is notified of the other's answer.
  process.kill(deck.serverPid, 'SIGSTOP');
  try {
    for (const button of buttons) if (button) await pressAnswer(button);
  } finally {
    process.kill(deck.serverPid, 'SIGCONT');
  }
  const late = (where: Page) => where.getByRole('alert').getByText('Your answer came too late').count();
  await expect.poll(async () => (await late(page)) + (await late(other)), PATIENT).toBe(1);
  const isDenied = (await late(page)) === 1;
  await close();
  if (isDenied) {
    await rested(page);
    await send(page, 'Count again SCN:two');
    await pressAnswer(
      page.getByRole('group', { name: /^Permission: / }).getByRole('button', { name: 'Allow', exact: true }),
    );
  }
  const tool = entries(page, 'tool').last();
  await tool.locator('.tool-live').getByText('tick').first().waitFor(PATIENT);
  writeFileSync(join(deck.sandbox.project, 'go.txt'), '');
  await answered(page, 'Counted.');
  await rested(page);
  await tool.locator('.tool-line').click();
  await tool.getByText(/The agent kept only the start of 3\.\d MB/).waitFor(PATIENT);
  await tool.getByText('tool-results').waitFor();
});

test('C9 ! runs a command in the session’s terminal, and its output is sent with the next message', async () => {
  await box().focus();
  await page.keyboard.type('! echo from-$((40 + 2))');
  await page.keyboard.press('Enter');
  const add = page.getByRole('button', { name: 'Add output to message' });
  await add.waitFor(PATIENT);
  const rows = page.getByRole('group', { name: 'Terminal' }).locator('.xterm-rows').first();
  await expect.poll(() => rows.innerText(), PATIENT).toContain('from-42');
  await add.click();
  await expect.poll(() => box().inputValue(), PATIENT).toContain('from-42');
  await expect.poll(() => box().inputValue()).toContain('$ echo from-$((40 + 2))');
  await box().press('Enter');
  await expect.poll(() => lastRequest(deck.fake).includes('from-42'), PATIENT).toBe(true);
  await rested(page);
  assertNoProblems();
});
