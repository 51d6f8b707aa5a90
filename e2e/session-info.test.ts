// Functions of the real agent besides messages, through server and browser: MCP servers, tasks, title, settings and
// suggestions. Long: with TUGDECK_TEST_FULL=1 only; packages/web/test has the same without an agent.
import { readFileSync } from 'node:fs';
import { closeBrowser } from '@tugdeck/testkit/browser';
import { type LockedServer, startLockedServer } from '@tugdeck/testkit/locked-server';
import { mcpServers } from '@tugdeck/testkit/mcp-server';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { text, toolUse } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ClaudeSession } from './claude-session.ts';
import { type Deck, openDeck } from './deck.ts';

const PATIENCE = { timeout: 60_000 };

describe.runIf(isFullTier)('besides messages', () => {
  let locked: LockedServer;
  let deck: Deck;
  let session: ClaudeSession;
  let page: Page;

  beforeAll(async () => {
    locked = await startLockedServer();
    deck = await openDeck({
      files: {
        '.mcp.json': JSON.stringify({ mcpServers: { ...mcpServers, ...locked.servers } }),
        '.claude/settings.json': JSON.stringify({ enableAllProjectMcpServers: true }),
      },
      config: { agents: { claude: { args: ['--prompt-suggestions', 'true'] } } },
    });
    session = await ClaudeSession.begin(deck);
    page = session.page;
  });
  afterAll(async () => {
    // A session that is stuck after a failure must not leave its deck running.
    try {
      await session?.close();
    } finally {
      await deck?.close();
      await locked?.close();
      await closeBrowser();
    }
  });

  async function info() {
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'Session info' }).click();
    return page.getByRole('dialog', { name: 'Session info' });
  }

  test('C19 a server is switched off and on, reconnected, and another is signed in to', async () => {
    await session.goesOn();
    await session.box.fill('/mcp ');
    await session.box.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Session info' });
    const own = dialog.getByRole('listitem', { name: 'testkit' });
    await own.getByText('Connected · 1 tool').waitFor();
    await own.getByRole('checkbox', { name: 'On' }).uncheck();
    await own.getByText('Off', { exact: true }).waitFor();
    await own.getByRole('checkbox', { name: 'On' }).check();
    await own.getByText('Connected · 1 tool').waitFor();
    await own.getByRole('button', { name: 'Reconnect' }).click();
    await own.getByText('Connected · 1 tool').waitFor();
    const other = dialog.getByRole('listitem', { name: 'locked' });
    await other.getByText('Sign-in needed').waitFor();
    await other.getByRole('button', { name: 'Sign in' }).click();
    const address = await other
      .getByRole('link', { name: 'Open the sign-in page' })
      .getAttribute('href', PATIENCE);
    // The browser would follow to the agent's own address.
    const visited = await fetch(address ?? '');
    expect([visited.status, locked.visits]).toEqual([200, 1]);
    await expect
      .poll(async () => {
        await dialog.getByRole('button', { name: 'Refresh' }).click();
        return other.getByText('Connected · 1 tool').count();
      }, PATIENCE)
      .toBe(1);
    await dialog.getByRole('region', { name: 'Plugins' }).getByRole('listitem').first().waitFor();
    const settings = dialog.getByRole('region', { name: 'Agent settings' });
    await settings.getByRole('textbox', { name: 'Setting' }).fill('outputStyle');
    await settings.getByRole('textbox', { name: 'Value' }).fill('Learning');
    await settings.getByRole('button', { name: 'Change' }).click();
    await settings.getByRole('status').waitFor();
    expect(JSON.parse(readFileSync(session.inProject('.claude/settings.local.json'), 'utf8'))).toMatchObject({
      outputStyle: 'Learning',
    });
    await dialog.getByRole('button', { name: 'Close' }).click();
  });

  test('C12 a command goes to the background and its output is read, in the page', async () => {
    const command = 'while true; do echo tick; sleep 0.1; done';
    deck.fake.script('loop', [toolUse('Bash', { command, description: 'Tick' }), text('It ticks.')]);
    await session.send('SCN:loop');
    await page.getByRole('button', { name: 'Run in background' }).click();
    await session.answerWith('It ticks.').waitFor();
    await session.rested();
    await page.getByRole('button', { name: 'Show output' }).click();
    const output = page.getByRole('dialog', { name: 'Task output' });
    await output.getByText('tick').first().waitFor();
    await output.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Stop this task' }).click();
    await page.getByText('interrupted').waitFor();
  });

  test('C6 a denied command is listed at the end of its turn, with its path outside the project', async () => {
    deck.fake.script('outside', [
      toolUse('Bash', { command: 'touch /var/outside.txt', description: 'Touch' }),
      text('Then not.'),
    ]);
    await session.send('SCN:outside');
    await session.permission.locator('[data-blocked-path]').getByText('/var/outside.txt').waitFor();
    await pressAnswer(session.permission.getByRole('button', { name: 'Deny', exact: true }));
    await session.answerWith('Then not.').waitFor();
    await session.rested();
    await page.getByText('1 permission denied in this turn').waitFor();
    const dialog = await info();
    await dialog
      .getByRole('region', { name: 'Denied permissions' })
      .getByText('touch /var/outside.txt')
      .waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
  });
});
