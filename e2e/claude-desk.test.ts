// Requests of the real agent with every answer, and commands with a view in Tugdeck, through server and browser. Each test
// leaves no process. Long: only with TUGDECK_TEST_FULL=1.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowser, screenshot } from '@tugdeck/testkit/browser';
import { askingServers } from '@tugdeck/testkit/mcp-server';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { madeFile } from '@tugdeck/testkit/scenarios';
import { failure, text, toolUse } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ClaudeSession } from './claude-session.ts';
import { type Deck, type DeckOptions, entries, newSession, openDeck, outcomes } from './deck.ts';

const bash = (command: string) => toolUse('Bash', { command, description: 'A command' });

let deck: Deck;
let session: ClaudeSession;
let page: Page;

function inADeck(options: DeckOptions): void {
  beforeAll(async () => {
    deck = await openDeck(options);
  });
  afterAll(async () => {
    await deck?.close();
    await closeBrowser();
  });
  beforeEach(async () => {
    session = await ClaudeSession.begin(deck);
    page = session.page;
  });
  afterEach(async () => {
    await session.close();
  });
}

async function inBothThemes(name: string): Promise<void> {
  for (const scheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await screenshot(page, `${name}-${scheme}`);
  }
  const size = page.viewportSize();
  await page.setViewportSize({ width: 400, height: 800 });
  await screenshot(page, `${name}-narrow`);
  if (size) await page.setViewportSize(size);
}

describe.runIf(isFullTier)('requests', () => {
  inADeck({
    files: {
      '.mcp.json': JSON.stringify({ mcpServers: askingServers }),
      '.claude/settings.json': JSON.stringify({ enableAllProjectMcpServers: true }),
    },
  });

  test('C21 an edited command runs as edited, and the entry shows the decision', async () => {
    await session.send('SCN:bash');
    await session.permission.getByRole('button', { name: 'Edit…' }).click();
    const command = session.permission.getByRole('textbox', { name: 'Command' });
    await command.fill((await command.inputValue()).replace(madeFile, 'edited.txt'));
    await pressAnswer(session.permission.getByRole('button', { name: 'Allow', exact: true }));
    await session.answerWith('The file is made.').waitFor();
    await session.rested();
    expect(existsSync(session.inProject('edited.txt'))).toBe(true);
    expect(existsSync(session.inProject(madeFile))).toBe(false);
    await outcomes(page).getByText('allowed with changes').waitFor();
  });

  test('C21 a chosen rule is written to the named file, and the next call needs no answer', async () => {
    const { fake } = deck;
    fake.script('rule', [bash('touch by-rule.txt'), text('By the rule.')]);
    await session.send('SCN:rule');
    await session.permission.getByRole('button', { name: 'Always allow' }).click();
    const rule = page
      .getByRole('menuitem')
      .filter({ hasText: '.claude/settings.local.json' })
      .filter({ hasText: 'touch' })
      .first();
    await rule.waitFor();
    await screenshot(page, 'claude-desk-rules');
    await rule.click();
    await session.answerWith('By the rule.').waitFor();
    await session.rested();
    await outcomes(page).getByText('always allowed').waitFor();
    expect(readFileSync(session.inProject('.claude/settings.local.json'), 'utf8')).toContain('touch');
    fake.script('ruled', [bash('touch by-rule.txt'), text('Nobody was asked.')]);
    await session.send('SCN:ruled');
    await session.answerWith('Nobody was asked.').waitFor();
    await session.rested();
    await expect.poll(() => outcomes(page).count()).toBe(1);
  });

  test('C21 a command is denied and the turn stopped in one step', async () => {
    deck.fake.script('refused', [[bash('touch one.txt'), bash('touch two.txt')], text('never')]);
    await session.send('SCN:refused');
    await session.permission.getByRole('button', { name: 'Add feedback…' }).click();
    await session.permission.getByRole('textbox', { name: 'Feedback' }).fill('Not at all');
    await inBothThemes('claude-desk-refuse');
    await pressAnswer(session.permission.getByRole('button', { name: 'Deny and stop' }));
    await session.rested();
    await outcomes(page).getByText('denied and stopped').waitFor();
    await expect.poll(() => session.permission.count()).toBe(0);
    expect(existsSync(session.inProject('one.txt')) || existsSync(session.inProject('two.txt'))).toBe(false);
    await session.goesOn();
  });

  test('C6 H4 two pages see the same request; the answer of one closes it in the other', async () => {
    await session.send('SCN:write');
    await session.permission.waitFor();
    const other = await deck.page();
    await other.page.goto(page.url());
    const there = other.page.getByRole('group', { name: /^Permission: / });
    await pressAnswer(there.getByRole('button', { name: 'Deny', exact: true }));
    await session.permission.waitFor({ state: 'detached' });
    await session.answerWith('The file is written.').waitFor();
    await session.rested();
    expect(existsSync(session.inProject('written-by-agent.md'))).toBe(false);
    await other.close();
  });

  test('C7 several questions: a single choice, a multiple choice, free text and a note', async () => {
    await session.send('SCN:questions');
    const form = page.getByRole('form', { name: 'Question' });
    const color = form.getByRole('group').filter({ hasText: /Which col/ });
    await color.getByRole('radio', { name: 'Other' }).check();
    await color.getByRole('textbox', { name: 'Other answer' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Teal, of course');
    const parts = form.getByRole('group').filter({ hasText: 'Which parts' });
    await parts.getByRole('checkbox', { name: 'Hull' }).check();
    await parts.getByRole('checkbox', { name: 'Rail' }).check();
    await parts.getByRole('button', { name: 'Add a note' }).click();
    await parts.getByRole('textbox', { name: 'Note' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Not the mast');
    await inBothThemes('claude-desk-questions');
    await pressAnswer(form.getByRole('button', { name: 'Submit' }));
    await session.answerWith('Thank you for the answers.').waitFor();
    await session.rested();
    for (const words of ['Teal, of course', 'Hull, Rail', 'Not the mast'])
      expect(session.lastRequest).toContain(words);
  });

  test('C8 a plan is sent back with a comment, then approved with the next mode', async () => {
    deck.fake.script('plan', ({ planFile, cwd }) => [
      toolUse('ToolSearch', { query: 'select:EnterPlanMode,ExitPlanMode', max_results: 5 }),
      toolUse('EnterPlanMode', {}),
      toolUse('Write', { file_path: planFile ?? join(cwd, 'plan.md'), content: '# The plan\n\n1. Paint' }),
      toolUse('ExitPlanMode', {}),
      toolUse('ExitPlanMode', {}),
      toolUse('Write', { file_path: join(cwd, 'painted.txt'), content: 'painted\n' }),
      text('Painted.'),
    ]);
    await session.send('SCN:plan');
    const plan = page.getByRole('group', { name: 'Plan' });
    await plan.getByText('The plan').waitFor();
    await page.getByRole('button', { name: /^Mode: Plan/ }).waitFor();
    await plan.getByRole('textbox', { name: 'Comment' }).fill('Two coats');
    await inBothThemes('claude-desk-plan');
    await pressAnswer(plan.getByRole('button', { name: 'Keep planning' }));
    const call = await deck.fake.called({ keyword: 'plan', step: 4 });
    expect(JSON.stringify(call.body)).toContain('Two coats');
    await plan.getByRole('combobox', { name: 'Continue in mode' }).selectOption({ label: 'Accept edits' });
    await pressAnswer(plan.getByRole('button', { name: 'Approve' }));
    await session.answerWith('Painted.').waitFor();
    await session.rested();
    expect(existsSync(session.inProject('painted.txt'))).toBe(true);
    await page.getByRole('button', { name: /^Mode: Accept edits/ }).waitFor();
    await expect.poll(() => session.permission.count()).toBe(0);
  });

  test('A3 an MCP server’s form is filled in, declined, and withdrawn when the turn is stopped', async () => {
    const ask = toolUse('mcp__asker__ask', { how: 'form' });
    deck.fake.script('ask', [ask, ask, text('Asked twice.')]);
    deck.fake.script('ask-again', [ask, text('never')]);
    const form = page.getByRole('form');
    await session.send('SCN:ask');
    await session.allow();
    await form.getByText('Who are you?').first().waitFor();
    await form.getByRole('textbox', { name: 'Name' }).fill('Ada');
    await inBothThemes('claude-desk-form');
    await pressAnswer(form.getByRole('button', { name: 'Accept' }));
    await session.allow();
    expect(session.lastRequest).toContain('Ada');
    await pressAnswer(form.getByRole('button', { name: 'Decline' }));
    await session.answerWith('Asked twice.').waitFor();
    await session.rested();
    expect(session.lastRequest).toContain('decline');
    await session.send('SCN:ask-again');
    await session.allow();
    await form.getByText('Who are you?').first().waitFor();
    await session.stop();
    await session.rested();
    await form.waitFor({ state: 'detached' });
    await session.goesOn();
  });
});

describe.runIf(isFullTier)('commands and context', () => {
  inADeck({});

  test('A15 /btw asks a side question that stays out of the conversation', async () => {
    await session.goesOn();
    await session.send('/btw ');
    await page.getByRole('status').getByText('Type your question after /btw').waitFor();
    await inBothThemes('claude-desk-btw-bare');
    deck.fake.script('aside', [text('It was a Tuesday.')]);
    await session.send('/btw SCN:aside which day was it?');
    const aside = entries(page, 'command', 'complete').filter({ hasText: '/btw' });
    await aside.getByText('It was a Tuesday.').waitFor();
    await aside.getByText('which day was it?').waitFor();
    await inBothThemes('claude-desk-btw');
    await session.goesOn();
    expect(session.lastRequest).not.toContain('Tuesday');
    expect(session.lastRequest).not.toContain('which day');
  });

  test('A15 /tasks lists background tasks, and a task is stopped in the conversation', async () => {
    await session.goesOn();
    await session.send('/tasks ');
    await page.getByRole('status').getByText('No background tasks').waitFor();
    deck.fake.script('behind', [
      toolUse('Bash', {
        command: 'echo $$ > behind.txt; while true; do sleep 0.05; done',
        description: 'Wait',
        run_in_background: true,
      }),
      text('It runs behind.'),
    ]);
    await session.send('SCN:behind');
    await session.allow();
    await session.answerWith('It runs behind.').waitFor();
    await session.rested();
    await session.send('/tasks ');
    await page.getByRole('status').getByText('Running in the background: ').waitFor();
    await inBothThemes('claude-desk-tasks');
    const tool = entries(page, 'tool', 'partial');
    await tool.hover();
    await tool.getByRole('button', { name: /Stop/ }).click();
    await tool.waitFor({ state: 'hidden' });
    const pid = Number(readFileSync(session.inProject('behind.txt'), 'utf8'));
    await waitFor(() => !existsSync(`/proc/${pid}`), { what: 'the end of the command' });
    await session.goesOn();
  });

  test('A15 A41 /login opens the agent’s own interface in a terminal', async () => {
    // Without graphics the terminal is drawn with elements, which can be read.
    await page.addInitScript(() => {
      const { getContext } = HTMLCanvasElement.prototype;
      const without = function (this: HTMLCanvasElement, kind: string, options?: unknown) {
        return kind.startsWith('webgl') ? null : Reflect.apply(getContext, this, [kind, options]);
      };
      Object.assign(HTMLCanvasElement.prototype, { getContext: without });
    });
    await page.reload();
    await session.goesOn();
    await session.send('/login ');
    await page.getByRole('status').getByText('Run /login there').waitFor();
    const terminal = page.getByRole('group', { name: 'Terminal' });
    // Its first screen, whatever it shows.
    await expect.poll(() => terminal.locator('.xterm-rows').first().innerText()).toMatch(/[A-Za-z]{4}/);
    await inBothThemes('claude-desk-login');
    // It exits because it has no network, and the session continues here.
    const back = terminal.getByRole('button', { name: 'Back to the conversation' });
    await terminal.locator('textarea').first().focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('Control+c');
        return back.isVisible();
      })
      .toBe(true);
    await back.click();
    await terminal.waitFor({ state: 'detached' });
    await session.goesOn();
  }, 120_000);

  test('A42 marks entries that the agent no longer has', async () => {
    deck.fake.script('kept', [text('This is kept.')]);
    deck.fake.script('lost', [text('This will be lost.')]);
    await session.send('SCN:kept');
    await session.answerWith('This is kept.').waitFor();
    await session.rested();
    await session.send('SCN:lost');
    await session.answerWith('This will be lost.').waitFor();
    await session.rested();
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'Stop agent' }).click();
    await waitFor(() => session.record('agent') === undefined, { what: 'the end of the agent' });
    forgetAfter('SCN:lost');
    await session.goesOn();
    await entries(page, 'text')
      .filter({ hasText: 'This will be lost.' })
      .getByText('missing from the agent’s transcript')
      .waitFor();
    await entries(page, 'user')
      .filter({ hasText: 'SCN:lost' })
      .getByText('missing from the agent’s transcript')
      .waitFor();
    await expect.poll(() => page.getByText('missing from the agent’s transcript').count()).toBe(2);
    expect(session.lastRequest).not.toContain('This will be lost.');
    await inBothThemes('claude-desk-forgotten');
  });

  test('A14 mode and model survive a restart of the agent, and new sessions start with the saved choice', async () => {
    const pick = async (name: string, label: RegExp) => {
      await page.getByRole('button', { name: new RegExp(`^${name}: `) }).click();
      await page.getByRole('menuitemradio', { name: label }).first().click();
      await page.locator('.picker.is-asked').waitFor({ state: 'detached' });
    };
    await session.goesOn();
    await pick('Mode', /^Plan/);
    await pick('Model', /Sonnet/);
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'Restart agent' }).click();
    await session.goesOn();
    await page.getByRole('button', { name: /^Mode: Plan/ }).waitFor();
    await page.getByRole('button', { name: /^Model: .*Sonnet/ }).waitFor();
    expect(session.lastRequest).toContain('sonnet');
    await pick('Mode', /^Accept edits/);
    await page.getByRole('button', { name: /^Mode: / }).click();
    await inBothThemes('claude-desk-mode');
    await page.getByRole('menuitem', { name: 'Make Accept edits the default for new sessions' }).click();
    await page.getByRole('status').getByText('New sessions in this project will use Accept edits').waitFor();
    await screenshot(page, 'claude-desk-mode-kept');
    await session.leavesNothing();
    await newSession(page);
    // The agent starts when something is typed, and then shows its mode.
    await page.getByRole('textbox', { name: 'Message' }).fill('SCN:');
    await page.getByRole('button', { name: /^Mode: Accept edits/ }).waitFor();
    await session.goesOn();
  });

  test('A6 a session is resumed after all its processes have ended, and the newest is continued', async () => {
    deck.fake.script('heron', [text('Remember the heron.')]);
    await session.send('SCN:heron');
    await session.answerWith('Remember the heron.').waitFor();
    await session.rested();
    await page.reload();
    await session.leavesNothing();
    const here = page.url();
    const host = session.record('host')?.identity.pid ?? 0;
    process.kill(host, 'SIGKILL');
    await waitFor(() => session.record('host')?.identity.pid !== host, { what: 'the end of the host' });
    await session.goesOn();
    expect(session.lastRequest).toContain('Remember the heron.');
    await page
      .getByRole('navigation', { name: 'Projects' })
      .getByRole('button', { name: 'New session' })
      .first()
      .click();
    await page.getByRole('button', { name: 'Continue latest session' }).click();
    await page.waitForURL(here);
    await session.goesOn();
    expect(session.lastRequest).toContain('Remember the heron.');
  });
});

describe.runIf(isFullTier)('with a subscription', () => {
  inADeck({
    config: {
      agents: { claude: { env: { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-dummy' } } },
    },
  });

  test('A8 a usage limit shows when it resets', async () => {
    deck.fake.script('limit', [
      failure(429, {
        headers: {
          'anthropic-ratelimit-unified-status': 'rejected',
          'anthropic-ratelimit-unified-reset': '1999999999',
          'anthropic-ratelimit-unified-representative-claim': 'five_hour',
        },
      }),
    ]);
    await session.send('SCN:limit');
    await page
      .getByRole('log', { name: 'Conversation' })
      .getByText(/reached the limit of your plan/)
      .first()
      .waitFor();
    await session.rested();
    await inBothThemes('claude-desk-limit');
    await session.goesOn();
  });
});

/** The agent's file of the session ends before this prompt, as after a crash that lost its last lines. */
function forgetAfter(prompt: string): void {
  const folder = join(deck.sandbox.home, '.claude/projects');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.jsonl')) continue;
    const path = join(folder, name);
    const lines = readFileSync(path, 'utf8').split('\n');
    const at = lines.findIndex((line) => line.includes(prompt));
    if (at >= 0) writeFileSync(path, `${lines.slice(0, at).join('\n')}\n`);
  }
}
