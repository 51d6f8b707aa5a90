/**
 * Every real agent through server and browser: one deck and one session per agent, scene after scene. Each scene writes
 * its cell of the matrix. Registered by agents.test.ts.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import type { RealAgent } from '@tugdeck/testkit/agents';
import { screenshot } from '@tugdeck/testkit/browser';
import { echoOf, mcpServers } from '@tugdeck/testkit/mcp-server';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { madeFile, projectFiles, shortAnswer, thought } from '@tugdeck/testkit/scenarios';
import { failure, hold, text, toolUse } from '@tugdeck/testkit/script';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Deck, entries, newSession, openDeck, rested, send } from '../deck.ts';
import { began, type Row, saw } from './matrix.ts';
import { commandRuns, ENDLESS } from './running-command.ts';

/** An agent that starts in two seconds alone takes a minute beside other work. */
const PATIENCE = { timeout: 90_000 };
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** As many as the list shows at a time. */
const MAX_COMMANDS = 40;
/** Agents that ask questions only in a certain mode. */
const ASKING_MODE: Partial<Record<RealAgent, { option: string; on: string; off: string }>> = {
  codex: { option: 'Mode', on: 'Plan', off: 'Read-only' },
  'codex-acp': { option: 'Collaboration mode', on: 'Plan', off: 'Default' },
};

const permission = (page: Page): Locator => page.getByRole('group', { name: /^Permission: / });
const press = (page: Page, name: 'Allow' | 'Deny'): Promise<void> =>
  pressAnswer(permission(page).first().getByRole('button', { name, exact: true }));
const answered = (page: Page, expected: string): Promise<void> =>
  entries(page, 'text', 'complete').filter({ hasText: expected }).first().waitFor(PATIENCE);

export function productScenes(agent: RealAgent, full: boolean): void {
  let deck: Deck;
  let page: Page;
  const inProject = (file: string): string => join(deck.sandbox.project, file);
  const seeing = (...rows: Row[]): void => began(agent, rows);

  beforeAll(async () => {
    deck = await openDeck({ agent, config: { mcpServers } });
    ({ page } = await deck.page());
    page.setDefaultTimeout(PATIENCE.timeout);
  });
  afterEach(async (context) => {
    // A failed scene must not affect the next one.
    const stop = page?.getByRole('button', { name: 'Stop', exact: true });
    if (context.task.result?.state === 'fail' && (await stop?.isVisible())) await stop.click();
  });
  afterAll(async () => {
    await deck?.close();
  });

  test('A20 A21 C6 a message, a command and an edit that are allowed, with the diff', async () => {
    seeing('Text, streamed', 'Shell, allowed', 'Edit, allowed, with its diff');
    await send(page, 'SCN:text');
    await answered(page, shortAnswer.replaceAll('*', ''));
    saw(agent, 'Text, streamed');
    await rested(page);
    await send(page, 'SCN:bash');
    await permission(page).waitFor(PATIENCE);
    expect(existsSync(inProject(madeFile))).toBe(false);
    await press(page, 'Allow');
    await answered(page, 'The file is made.');
    expect(existsSync(inProject(madeFile))).toBe(true);
    await rested(page);
    const shell = entries(page, 'tool', 'complete').filter({ hasText: madeFile });
    await shell.getByRole('button').first().click();
    const output = (await shell.locator('pre.terminal').allInnerTexts()).join('\n');
    const isReported = output.split('\n').some((line) => line.trim() === 'done');
    saw(agent, 'Shell, allowed', isReported ? 'yes, with its output' : 'yes, output not reported');
    await send(page, 'SCN:edit');
    await permission(page).getByText('const whom = name.trim();').first().waitFor(PATIENCE);
    await screenshot(page, `agent-${agent}`);
    await press(page, 'Allow');
    await answered(page, 'The greeting is edited.');
    await rested(page);
    expect(readFileSync(inProject('src/greet.ts'), 'utf8')).toContain('name.trim()');
    await entries(page, 'tool', 'complete').getByText('+2').first().waitFor();
    await expect.poll(() => entries(page, 'tool', 'partial').count()).toBe(0);
    saw(agent, 'Edit, allowed, with its diff');
  });

  if (!full) return;

  test('C5 shows its thinking as thinking', async () => {
    seeing('Thoughts');
    await send(page, 'SCN:thinking');
    await answered(page, 'I thought about it. Here is the answer.');
    const thinking = entries(page, 'thinking', 'complete').last();
    await thinking.getByRole('button').first().click();
    await thinking.getByText(thought).waitFor();
    saw(agent, 'Thoughts');
    await rested(page);
  });

  test.each([
    ['bash', 'Shell, denied'],
    ['edit', 'Edit, denied'],
  ] as const)(
    'C6 A22 %s that is denied is not done, is shown as denied, and says what became of the turn',
    async (kind, row) => {
      seeing(row);
      const keyword = `deny-${kind}`;
      const greeting = readFileSync(inProject('src/greet.ts'), 'utf8');
      deck.fake.script(keyword, [
        kind === 'bash'
          ? toolUse('Bash', { command: 'touch denied.txt && echo made', description: 'Make it' })
          : toolUse('Write', ({ cwd }) => ({ file_path: join(cwd, 'denied.txt'), content: 'denied\n' })),
        text(`Continued after the refused ${kind}.`),
      ]);
      const denied = entries(page, 'tool').locator('.tool[data-state="denied"]');
      const before = await denied.count();
      const stops = await entries(page, 'notice').getByText('The agent stopped its turn').count();
      await send(page, `SCN:${keyword}`);
      await permission(page).waitFor(PATIENCE);
      await press(page, 'Deny');
      await rested(page);
      await waitFor(async () => (await denied.count()) === before + 1, { what: 'the tool to be denied' });
      expect(existsSync(inProject('denied.txt'))).toBe(false);
      expect(readFileSync(inProject('src/greet.ts'), 'utf8')).toBe(greeting);
      const wentOn = deck.fake.requests.some((call) => call.keyword === keyword && call.step === 1);
      const isEnded = (await entries(page, 'notice').getByText('The agent stopped its turn').count()) > stops;
      if (wentOn) await answered(page, `Continued after the refused ${kind}.`);
      expect(wentOn && isEnded).toBe(false);
      const effect = wentOn
        ? 'the model continues'
        : isEnded
          ? 'the turn ends, and says so'
          : 'the turn stops';
      saw(agent, row, `not done, ${effect}`);
    },
  );

  test('H8 a turn is stopped while streaming and while it waits for an answer, and the next message works', async () => {
    seeing('Cancel in the stream', 'Cancel while it asks');
    await send(page, 'SCN:hold');
    await deck.fake.reached('mid');
    await entries(page, 'text').getByText('The first half.').last().waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await rested(page);
    saw(agent, 'Cancel in the stream');
    deck.fake.script('asks', [
      toolUse('Bash', { command: 'touch canceled.txt && echo made', description: 'Make it' }),
      text('never'),
    ]);
    await send(page, 'SCN:asks');
    await permission(page).waitFor(PATIENCE);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await rested(page);
    await permission(page).waitFor({ state: 'detached' });
    expect(existsSync(inProject('canceled.txt'))).toBe(false);
    saw(agent, 'Cancel while it asks');
    await answersAgain('after-cancel');
  });

  async function choose(name: string, label: string): Promise<void> {
    await page.getByRole('button', { name: new RegExp(`^${name}: `) }).click();
    const items = page.getByRole('menu', { name: new RegExp(`^${name}: `) }).locator('.menu-item');
    await items
      .filter({ has: page.getByText(label, { exact: true }) })
      .first()
      .click();
    await page.getByRole('button', { name: `${name}: ${label}`, exact: true }).waitFor();
    await page.locator('.picker.is-asked').waitFor({ state: 'detached' });
  }

  async function answersAgain(keyword: string): Promise<void> {
    deck.fake.script(keyword, [text(`It answers ${keyword}.`)]);
    await send(page, `SCN:${keyword}`);
    await answered(page, `It answers ${keyword}.`);
    await rested(page);
    await expect.poll(() => entries(page, 'tool', 'partial').count()).toBe(0);
  }

  test('H8 a turn is stopped during a command; whether the command ends is checked', async () => {
    seeing('Cancel in a command');
    deck.fake.script('endless', [toolUse('Bash', ENDLESS), text('never')]);
    await send(page, 'SCN:endless');
    await permission(page).waitFor(PATIENCE);
    await press(page, 'Allow');
    await waitFor(() => commandRuns(deck.sandbox), { what: 'the command to run', timeoutMs: 60_000 });
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await rested(page);
    await entries(page, 'tool', 'cancelled').last().waitFor();
    const runsOn = await waitFor(() => !commandRuns(deck.sandbox), {
      what: 'its end',
      timeoutMs: 8_000,
    }).then(
      () => false,
      () => true,
    );
    if (runsOn) await entries(page, 'notice').getByText('The command may still run').waitFor();
    saw(
      agent,
      'Cancel in a command',
      runsOn ? 'yes; the command keeps running, and a notice says so' : 'yes',
    );
    await answersAgain('after-command');
  });

  test('A12 an image reaches the model', async () => {
    seeing('Image in a prompt');
    deck.fake.script('image', [text('I see a dot.')]);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Attach files' }).click();
    const buffer = Buffer.from(PIXEL, 'base64');
    await (await chooser).setFiles([{ name: 'pixel.png', mimeType: 'image/png', buffer }]);
    await send(page, 'SCN:image look');
    await answered(page, 'I see a dot.');
    const call = await deck.fake.called({ kind: 'answer', keyword: 'image' });
    expect(JSON.stringify(call.body)).toContain(PIXEL.slice(0, 24));
    saw(agent, 'Image in a prompt');
    await rested(page);
  });

  test('A16 a tool of a configured MCP server asks for permission, runs, and is shown', async () => {
    seeing('MCP server');
    deck.fake.script('mcp', [toolUse('mcp__testkit__echo', { text: 'ahoy' }), text('The server spoke.')]);
    await send(page, 'SCN:mcp');
    const end = entries(page, 'text', 'complete').filter({ hasText: 'The server spoke.' });
    await permission(page).or(end).first().waitFor(PATIENCE);
    const asks = await permission(page).isVisible();
    if (asks) await press(page, 'Allow');
    await end.waitFor(PATIENCE);
    const call = await deck.fake.called({ kind: 'answer', keyword: 'mcp', step: 1 });
    expect(JSON.stringify(call.body)).toContain(echoOf('ahoy'));
    const tool = entries(page, 'tool', 'complete').last();
    await tool.getByRole('button').first().click();
    await tool.getByText(echoOf('ahoy')).first().waitFor();
    saw(agent, 'MCP server', asks ? 'yes, after asking' : 'yes, without asking');
    await rested(page);
  });

  test('A42 its own turns are not taken for those of another program, which would end its host', async () => {
    const log = readFileSync(join(dataDirectory(deck.sandbox.data).logs, 'server.log'), 'utf8');
    expect(log.match(/"host ended"/g)).toBeNull();
  });

  test.each([
    ['Mode', 'Modes'],
    ['Model', 'Models'],
  ] as const)('A14 A20 %s: lists the choices, switches to another and back', async (name, row) => {
    seeing(row);
    const picker = page.getByRole('button', { name: new RegExp(`^${name}: `) });
    const first = (await picker.getAttribute('aria-label'))?.slice(name.length + 2) ?? '';
    await picker.click();
    const items = page.getByRole('menu', { name: new RegExp(`^${name}: `) }).getByRole('menuitemradio');
    const labels = (await items.allInnerTexts()).map((one) => one.split('\n')[0]?.trim() ?? '');
    await page.keyboard.press('Escape');
    const other = labels.find((label) => label !== first && !/bypass|yolo|full|auto/i.test(label));
    if (other === undefined) throw new Error(`no other ${name} among ${labels.join(', ')}`);
    await choose(name, other);
    await choose(name, first);
    saw(agent, row, name === 'Mode' ? labels.join(', ') : `${labels.length}`);
    await answersAgain(`after-${name.toLowerCase()}`);
  });

  test('C9 its commands are in the completion list', async () => {
    seeing('Commands');
    const box = page.getByRole('textbox', { name: 'Message' });
    await box.fill('');
    await box.pressSequentially('/');
    const options = page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
    await options.first().waitFor();
    const count = await options.count();
    saw(agent, 'Commands', count < MAX_COMMANDS ? `${count}` : `${count} and more`);
    await box.fill('');
  });

  test('A8 an error of the model ends the turn and is shown', async () => {
    seeing('Model error');
    deck.fake.script('broken', [failure(400, { message: 'scripted breakdown' })]);
    const spoken = entries(page, 'text').filter({ hasText: 'scripted breakdown' });
    await send(page, 'SCN:broken');
    await entries(page, 'notice')
      .filter({ hasText: 'scripted breakdown' })
      .or(spoken)
      .first()
      .waitFor(PATIENCE);
    await rested(page);
    const failed = page.locator('.session[data-active="true"][data-state="failed"]');
    await failed.or(spoken).first().waitFor();
    saw(agent, 'Model error', (await failed.count()) > 0 ? 'an error' : 'only said as a text of the agent');
    await answersAgain('after-error');
  });

  test('C9 its questions, where it has them, are asked in a form and answered', async () => {
    seeing('Questions');
    deck.fake.script('asking', [
      toolUse('AskUserQuestion', {
        questions: [
          {
            question: 'Which color should the deck have?',
            header: 'Color',
            multiSelect: false,
            options: [
              { label: 'Blue', description: 'Calm' },
              { label: 'Green', description: 'Fresh' },
            ],
          },
        ],
      }),
      text('Thank you for the color.'),
    ]);
    const mode = ASKING_MODE[agent];
    if (mode) await choose(mode.option, mode.on);
    await send(page, 'SCN:asking');
    const form = page.getByRole('form', { name: 'Question' });
    const end = entries(page, 'text', 'complete').filter({ hasText: 'Thank you for the color.' });
    await form.or(end).first().waitFor(PATIENCE);
    if (await form.isVisible()) {
      await form.getByRole('radio', { name: 'Green' }).check();
      await pressAnswer(form.getByRole('button', { name: 'Submit' }));
      await end.waitFor(PATIENCE);
      const call = await deck.fake.called({ kind: 'answer', keyword: 'asking', step: 1 });
      expect(JSON.stringify(call.body)).toContain('Green');
      saw(agent, 'Questions', mode ? `yes, in ${mode.option} “${mode.on}”` : 'yes');
    } else saw(agent, 'Questions', 'it has no such tool');
    await rested(page);
    if (mode) await choose(mode.option, mode.off);
  });

  test('A20 two sessions run at once', async () => {
    seeing('Two sessions at once');
    deck.fake.script('one', [text(['one begins, ', hold('one'), 'one is done'])]);
    deck.fake.script('two', [text(['two begins, ', hold('two'), 'two is done'])]);
    const first = page.url();
    await send(page, 'SCN:one');
    await deck.fake.reached('one');
    await newSession(page);
    await send(page, 'SCN:two');
    await deck.fake.reached('two', PATIENCE_MS);
    deck.fake.release('two');
    await answered(page, 'two begins, two is done');
    await rested(page);
    await page.goto(first);
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    deck.fake.release('one');
    await answered(page, 'one begins, one is done');
    await rested(page);
    saw(agent, 'Two sessions at once');
  });

  test('H9 after its host was killed the session resumes, or says that it can’t', async () => {
    seeing('Resumes after a restart', 'Its own sessions are listed');
    const [host] = deck.records('host').filter(({ session }) => page.url().includes(session ?? ' '));
    if (!host) throw new Error('the session has no host');
    process.kill(host.identity.pid, 'SIGKILL');
    await waitFor(() => !deck.records('host').some(({ identity }) => identity.pid === host.identity.pid), {
      what: 'the ledger to forget the host',
    });
    deck.fake.script('again', [text('Here I am again.')]);
    await send(page, 'SCN:again');
    await answered(page, 'Here I am again.');
    await rested(page);
    const call = await deck.fake.called({ kind: 'answer', keyword: 'again' });
    const remembers = JSON.stringify(call.body).includes('SCN:bash');
    const divider = entries(page, 'notice').getByText('know the conversation above');
    await expect.poll(async () => (await divider.count()) > 0).toBe(!remembers);
    saw(agent, 'Resumes after a restart', remembers ? 'yes' : 'no: a new session starts below a divider');
  });

  test('L8 after canceled commands and kills, stop --all leaves no process', async () => {
    seeing('Nothing left: normal end');
    const { code } = await deck.run('stop', '--all');
    expect(code).toBe(0);
    await waitFor(() => deck.sandbox.strays().length === 0, { what: 'the last process to be gone' });
    saw(agent, 'Nothing left: normal end');
    expect(projectFiles['notes.md']).toBe(readFileSync(inProject('notes.md'), 'utf8'));
  });
}

const PATIENCE_MS = { timeoutMs: PATIENCE.timeout };
