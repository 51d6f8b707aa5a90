/**
 * The setup of agents, edited in the page and in the agents' own files (A61): the real agent uses it in its next turn.
 * Claude Code by default, the others in full.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { whyMissing } from '@tugdeck/testkit/agents';
import { closeBrowser, screenshot } from '@tugdeck/testkit/browser';
import { echoOf, mcpServers } from '@tugdeck/testkit/mcp-server';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { text, toolUse } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type Deck, entries, openDeck, rested, send } from './deck.ts';

const PATIENCE = { timeout: 120_000 };

interface Row {
  readonly agent: 'claude' | 'codex' | 'gemini' | 'opencode';
  readonly label: string;
  /** Allows `touch made.txt`. */
  readonly rule: string;
  /** Allows the tool of the server, where the agent asks otherwise. */
  readonly toolRule?: string;
  readonly memory: string;
}

const ROWS: readonly Row[] = [
  {
    agent: 'claude',
    label: 'Claude Code',
    rule: 'Bash(touch made.txt)',
    toolRule: 'mcp__testkit',
    memory: 'CLAUDE.md',
  },
  { agent: 'codex', label: 'Codex', rule: 'touch made.txt', memory: 'AGENTS.md' },
  {
    agent: 'gemini',
    label: 'Gemini',
    rule: 'touch made.txt',
    memory: 'GEMINI.md',
  },
  { agent: 'opencode', label: 'OpenCode', rule: 'bash: touch made.txt', memory: 'AGENTS.md' },
];

let deck: Deck | undefined;
afterEach(async () => {
  await deck?.close();
  deck = undefined;
});
afterAll(closeBrowser);

for (const row of ROWS) {
  const isMissing = row.agent !== 'claude' && (!isFullTier || whyMissing(row.agent) !== undefined);
  describe.skipIf(isMissing)(row.agent, () => {
    test(
      'A61 a server, a rule and a memory file from the page are used in the next turn',
      () => editAndUse(row),
      600_000,
    );
  });
}

async function editAndUse({ agent, label, rule, toolRule, memory }: Row): Promise<void> {
  const opened = await openDeck(agent === 'claude' ? {} : { agent });
  deck = opened;
  const { page } = await opened.page();
  page.setDefaultTimeout(PATIENCE.timeout);
  await send(page, 'SCN:text before');
  await rested(page);
  await command(page, 'open settings');
  const settings = page.getByRole('group', { name: 'Settings' });
  await settings.getByRole('combobox', { name: 'Agent', exact: true }).selectOption({ label });
  const kind = (name: string) => settings.getByRole('region', { name, exact: true });

  const servers = kind('MCP servers');
  const { command: program, args, env } = mcpServers.testkit;
  await servers.getByRole('button', { name: 'Add server' }).click();
  await servers.getByRole('textbox', { name: 'Name' }).fill('testkit');
  await servers.getByRole('textbox', { name: 'Command' }).fill(program);
  await servers.getByRole('textbox', { name: 'Arguments' }).fill(args.join('\n'));
  await servers.getByRole('textbox', { name: 'Environment' }).fill(`TESTKIT_SIGN=${env.TESTKIT_SIGN}`);
  await write(page, servers, `setup-${agent}`);
  await servers.getByRole('button', { name: 'Edit server testkit' }).waitFor();

  const rules = kind('Permission rules');
  for (const one of [rule, ...(toolRule === undefined ? [] : [toolRule])]) {
    await rules.getByRole('button', { name: 'Add rule' }).click();
    await rules.getByRole('textbox', { name: 'Rule' }).fill(one);
    await write(page, rules);
    await rules.getByRole('button', { name: `Edit rule ${one}` }).waitFor();
  }
  await rules.getByRole('textbox', { name: 'Command to test' }).fill('touch made.txt');
  await rules.getByRole('button', { name: 'Test', exact: true }).click();
  await rules.getByText('Allowed by').waitFor();

  const files = kind('Memory files');
  await files.getByRole('button', { name: 'Add memory file' }).click();
  await files.getByRole('textbox', { name: 'Text' }).fill('Remember the violet fox.');
  await write(page, files);
  const row = files.getByRole('listitem').filter({ hasText: 'Remember the violet fox.' });
  await row.waitFor();

  // The same file, changed by hand.
  const written = find(opened.sandbox.home, memory);
  expect(readFileSync(written, 'utf8')).toBe('Remember the violet fox.');
  writeFileSync(written, 'Remember the amber owl.');
  await files.getByText('Remember the amber owl.').waitFor();
  await screenshot(page, `setup-${agent}-list`);

  opened.fake.script('use', [
    toolUse('Bash', { command: 'touch made.txt', description: 'Make it' }),
    toolUse('mcp__testkit__echo', { text: 'ahoy' }),
    text('Both were used.'),
  ]);
  await page.getByRole('tablist', { name: 'Open tabs' }).getByRole('tab').first().click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await send(page, 'SCN:use');
  const answered = entries(page, 'text', 'complete').filter({ hasText: 'Both were used.' });
  const allow = page.getByRole('button', { name: /^Allow/ }).first();
  // Only a tool of a server may ask, and only where the agent has no rules for them.
  if (toolRule === undefined) {
    await Promise.race([answered.waitFor(), allow.waitFor()]);
    if (await allow.isVisible()) {
      expect(existsSync(join(opened.sandbox.project, 'made.txt'))).toBe(true);
      await pressAnswer(allow);
    }
  }
  await answered.waitFor();
  await rested(page);
  expect(existsSync(join(opened.sandbox.project, 'made.txt'))).toBe(true);
  const { body } = await opened.fake.called({ kind: 'answer', keyword: 'use', step: 2 });
  expect(JSON.stringify(body)).toContain(echoOf('ahoy'));
  expect(JSON.stringify(body)).toContain('Remember the amber owl.');
}

/** From the form through the difference to the file. */
async function write(page: Page, form: Locator, name?: string): Promise<void> {
  await form.getByRole('button', { name: 'Preview' }).click();
  const dialog = page.getByRole('dialog', { name: /this file\?$/ });
  await dialog.getByRole('region', { name: 'Difference' }).getByRole('row').first().waitFor();
  if (name !== undefined) await screenshot(page, `${name}-review`);
  await pressAnswer(dialog.getByRole('button', { name: 'Write file' }));
  await dialog.waitFor({ state: 'hidden' });
}

async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('combobox').fill(words);
  await palette.getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
  await palette.waitFor({ state: 'hidden' });
}

/** The only file of this name below the agents' folders of a home. */
function find(home: string, name: string): string {
  const found = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith(`/${name}`) && /^\.(?:claude|codex|gemini|config)/.test(path),
  );
  expect(found).toHaveLength(1);
  return join(home, found[0] ?? '');
}
