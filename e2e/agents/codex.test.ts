/** Features that only Codex by its own protocol has, through server and browser: one deck, one session, scene after scene. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentFolder, whyMissing } from '@tugdeck/testkit/agents';
import { closeBrowser, screenshot } from '@tugdeck/testkit/browser';
import { askingServers } from '@tugdeck/testkit/mcp-server';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { kill9, waitFor } from '@tugdeck/testkit/process-facts';
import { answer, hold, text, toolUse } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Deck, entries, lastRequest, newSession, openDeck, rested, send, toAnother } from '../deck.ts';
import { commandRuns } from './running-command.ts';

const PATIENCE = { timeout: 60_000 };

describe.skipIf(!isFullTier || whyMissing('codex') !== undefined)('Codex itself', () => {
  let deck: Deck;
  let page: Page;
  const answered = (expected: string): Promise<void> =>
    entries(page, 'text', 'complete').filter({ hasText: expected }).first().waitFor(PATIENCE);
  const choose = async (what: string, label: string): Promise<void> => {
    // The agent of a new session starts when something is typed.
    await page.getByRole('textbox', { name: 'Message' }).fill('SCN:');
    await page.getByRole('button', { name: new RegExp(`^${what}: `) }).click();
    await page.getByRole('menuitemradio', { name: new RegExp(`^${label}`) }).click();
    await page.getByRole('button', { name: `${what}: ${label}` }).waitFor(PATIENCE);
  };

  beforeAll(async () => {
    // Codex offers the subagent tools to a model that it doesn't know.
    deck = await openDeck({
      agent: 'codex',
      config: { agents: { codex: { model: 'gpt-5.4', mcpServers: askingServers } } },
    });
    ({ page } = await deck.page());
    page.setDefaultTimeout(PATIENCE.timeout);
  });
  afterAll(async () => {
    await deck?.close();
    await closeBrowser();
  });

  test('A25 A50 a message steers the running turn; the text streamed so far is marked as missing from the agent’s context', async () => {
    await send(page, 'SCN:text alpha-one');
    await answered('Hello from the scripted model.');
    await rested(page);
    await send(page, 'SCN:hold');
    await deck.fake.reached('mid');
    await entries(page, 'text').getByText('The first half.').waitFor(PATIENCE);
    deck.fake.script('instead', [text('Then this instead.')]);
    await page.getByRole('textbox', { name: 'Message' }).fill('SCN:instead beta-two');
    await page.getByRole('button', { name: 'Steer', exact: true }).click();
    await answered('Then this instead.');
    await rested(page);
    expect(lastRequest(deck.fake)).not.toContain('The first half.');
    await entries(page, 'text', 'cancelled').getByText('missing from the agent’s transcript').waitFor();
    await screenshot(page, 'codex-steered');
  });

  test('A6 A50 a fork at a message continues before it, and the model doesn’t get the later messages', async () => {
    await send(page, 'SCN:text gamma-three');
    await rested(page);
    const users = entries(page, 'user');
    await users.last().hover();
    await toAnother(page, () => users.last().getByRole('button', { name: 'Fork from here' }).click());
    await expect.poll(() => users.count(), PATIENCE).toBe(3);
    deck.fake.script('copy', [text('In the copy.')]);
    await send(page, 'SCN:copy');
    await answered('In the copy.');
    await rested(page);
    expect(lastRequest(deck.fake)).toContain('beta-two');
    expect(lastRequest(deck.fake)).not.toContain('gamma-three');
  });

  test('A50 in plan mode the plan is drawn, then the previous mode returns', async () => {
    await newSession(page);
    const proposal = '<proposed_plan>\n# The plan of the day\n\n1. Look around\n</proposed_plan>\n';
    deck.fake.script('proposal', [text(`This is how.\n${proposal}`)]);
    await choose('Mode', 'Plan');
    await send(page, 'SCN:proposal');
    await entries(page, 'text').getByRole('heading', { name: 'The plan of the day' }).waitFor(PATIENCE);
    await rested(page);
    await choose('Mode', 'Read-only');
  });

  test('A50 M13 a subagent is one entry, and its messages are inside it', async () => {
    await newSession(page);
    deck.fake.script('parent', [
      toolUse('Agent', { prompt: 'SCN:child look around' }),
      text([hold('after'), 'The subagent works.']),
    ]);
    deck.fake.script('child', [text('I looked around.')]);
    deck.fake.open('after');
    await send(page, 'SCN:parent');
    await answered('The subagent works.');
    await rested(page);
    const tool = entries(page, 'tool').filter({ hasText: 'look around' }).first();
    await tool.getByRole('button').first().click();
    await tool.getByText('I looked around.').first().waitFor(PATIENCE);
    await screenshot(page, 'codex-subagent');
  });

  const permission = () => page.getByRole('group', { name: /^Permission: / }).first();
  const bash = (command: string) => toolUse('Bash', { command, description: 'Make it' });
  const made = (name: string): boolean => existsSync(join(deck.sandbox.project, name));

  test('C6 A50 every answer to a command: for the session, always, denied, denied and stopped', async () => {
    await newSession(page);
    const ask = async (keyword: string, name: string) => {
      deck.fake.script(keyword, [bash(`touch ${name}`), text(`After ${keyword}.`)]);
      await send(page, `SCN:${keyword}`);
    };
    const choose = async (label: string) => {
      await pressAnswer(permission().getByRole('button', { name: 'Always allow' }));
      await page.getByRole('menuitem').filter({ hasText: label }).first().click();
    };
    await ask('session', 'for-session.txt');
    await choose('Allow for this session');
    await answered('After session.');
    await rested(page);
    await ask('unasked', 'for-session.txt');
    await answered('After unasked.');
    await rested(page);
    await ask('always', 'for-ever.txt');
    await choose('in ~/.codex/rules');
    await answered('After always.');
    await rested(page);
    const rules = readdirSync(join(deck.sandbox.home, '.codex/rules')).map((name) =>
      readFileSync(join(deck.sandbox.home, '.codex/rules', name), 'utf8'),
    );
    expect(rules.join('\n')).toContain('for-ever.txt');
    await ask('denied', 'denied.txt');
    await pressAnswer(permission().getByRole('button', { name: 'Deny', exact: true }));
    await answered('After denied.');
    await rested(page);
    await ask('stopped', 'stopped.txt');
    await choose('Deny and stop');
    await rested(page);
    expect([made('for-session.txt'), made('for-ever.txt'), made('denied.txt'), made('stopped.txt')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(deck.fake.requests.some(({ keyword, step }) => keyword === 'stopped' && step === 1)).toBe(false);
  });

  test('A50 /review, /compact and /goal are turns with their results', async () => {
    await newSession(page);
    await send(page, 'SCN:text before');
    await rested(page);
    await send(page, '/review SCN:text only the names');
    await entries(page, 'notice').getByText('Review: ').first().waitFor(PATIENCE);
    await rested(page);
    await send(page, '/compact');
    await entries(page, 'notice')
      .getByText(/^The conversation was/)
      .waitFor(PATIENCE);
    await rested(page);
    await send(page, '/goal clear');
    await rested(page);
    await send(page, 'SCN:text after');
    await rested(page);
    expect(lastRequest(deck.fake)).toContain('SCN:text after');
  });

  test('A50 the sandbox of a mode stays after the host was killed', async () => {
    await newSession(page);
    await choose('Mode', 'Workspace access');
    await send(page, 'SCN:text before-the-kill');
    await rested(page);
    const [host] = deck.records('host').filter(({ session }) => page.url().includes(session ?? ' '));
    kill9(host?.identity.pid ?? 0);
    await waitFor(() => !deck.records('host').some(({ identity }) => identity.pid === host?.identity.pid), {
      what: 'the ledger to forget the host',
    });
    // Without a question: the sandbox of the mode allows it.
    deck.fake.script('writes', [
      toolUse('exec_command', { cmd: 'touch in-workspace.txt' }),
      text('Written.'),
    ]);
    await send(page, 'SCN:writes');
    await answered('Written.');
    await rested(page);
    expect(made('in-workspace.txt')).toBe(true);
    await page.getByRole('button', { name: 'Mode: Workspace access' }).waitFor(PATIENCE);
    const { body } = await deck.fake.called({ kind: 'answer', keyword: 'writes' });
    expect(JSON.stringify(body)).toContain('before-the-kill');
  });

  test('A50 the form of an MCP server is filled in, and declined', async () => {
    await newSession(page);
    const ask = toolUse('mcp__asker__ask', { how: 'form' });
    deck.fake.script('form', [ask, text('Form over.')]);
    const form = page.getByRole('form').filter({ hasText: 'Who are you?' });
    const open = async () => {
      // The tool itself needs a permission, too.
      await permission().waitFor(PATIENCE);
      await pressAnswer(permission().getByRole('button', { name: 'Allow', exact: true }));
      await form.waitFor(PATIENCE);
    };
    await send(page, 'SCN:form');
    await open();
    await form.getByRole('textbox', { name: 'Name' }).fill('Ada');
    await screenshot(page, 'codex-form');
    await pressAnswer(form.getByRole('button', { name: 'Accept' }));
    await answered('Form over.');
    await rested(page);
    expect(lastRequest(deck.fake)).toContain('Ada');
    deck.fake.script('form-again', [ask, text('Declined.')]);
    await send(page, 'SCN:form-again');
    await open();
    await pressAnswer(form.getByRole('button', { name: 'Decline' }));
    await answered('Declined.');
    await rested(page);
    expect(lastRequest(deck.fake)).toContain('decline');
  });

  test('A50 C14 model and effort are in the next model request; tokens and limits are in the usage', async () => {
    await newSession(page);
    await choose('Model', 'GPT-5.5');
    await choose('Effort', 'high');
    const inAnHour = Math.floor(Date.now() / 1000) + 3600;
    deck.fake.script('limits', [
      answer(text('Here are the limits.'), {
        headers: {
          'x-codex-primary-used-percent': '84',
          'x-codex-primary-window-minutes': '300',
          'x-codex-primary-reset-at': String(inAnHour),
        },
      }),
    ]);
    await send(page, 'SCN:limits');
    await answered('Here are the limits.');
    await rested(page);
    const { body } = await deck.fake.called({ kind: 'answer', keyword: 'limits' });
    expect(body).toMatchObject({ model: 'gpt-5.5', reasoning: { effort: 'high' } });
    await page.getByRole('button', { name: /^Usage: / }).click();
    const usage = page.getByRole('dialog', { name: 'Usage' });
    await usage.getByText('5-hour limit').waitFor(PATIENCE);
    await usage.getByText(/84%/).waitFor();
    await usage.getByText(/of the context/).waitFor();
    await screenshot(page, 'codex-usage');
    await page.keyboard.press('Escape');
  });

  test('A50 C12 a command left in the background is stopped with its button', async () => {
    await newSession(page);
    deck.fake.script('leave', [
      toolUse('exec_command', { cmd: 'tail -f notes.md', yield_time_ms: 250 }),
      text('It runs on.'),
    ]);
    await send(page, 'SCN:leave');
    await answered('It runs on.');
    await rested(page);
    const runs = (): boolean => commandRuns(deck.sandbox);
    expect(runs()).toBe(true);
    await screenshot(page, 'codex-background');
    const tool = entries(page, 'tool').filter({ hasText: 'tail -f notes.md' }).first();
    await tool.hover();
    await tool.getByRole('button', { name: /Stop/ }).click();
    await waitFor(() => !runs(), { what: 'the end of the command' });
  });

  test('A40 A50 a session of codex exec is listed, read, followed live and continued', async () => {
    const program = join(agentFolder('codex'), 'codex');
    const exec = async (...args: string[]) => {
      const child = spawn(program, ['exec', '--skip-git-repo-check', ...args], {
        cwd: deck.sandbox.project,
        env: deck.environment,
        stdio: 'ignore',
      });
      const [code] = await once(child, 'close');
      expect(code).toBe(0);
    };
    await exec('SCN:text from-exec');
    const row = page.getByRole('navigation', { name: 'Projects' }).getByRole('link', { name: /from-exec/ });
    await row.first().click();
    await page.getByRole('note').filter({ hasText: 'to continue it here' }).waitFor(PATIENCE);
    await answered('Hello from the scripted model.');
    deck.fake.script('followed', [text('Seen while it is open.')]);
    await exec('resume', '--last', 'SCN:followed from-exec');
    await answered('Seen while it is open.');
    deck.fake.script('continued', [text('Continued here.')]);
    await send(page, 'SCN:continued');
    await answered('Continued here.');
    await rested(page);
    expect(lastRequest(deck.fake)).toContain('from-exec');
  });
});
