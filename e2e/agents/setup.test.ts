/**
 * The setup of agents (A61), by kind and agent: added in the page and used in the next turn, changed by hand and shown,
 * edited in a file with odd formatting. Writes the second table of docs/agents.md in full; by default three kinds of
 * Claude Code.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findAgent } from '@tugdeck/agents/catalog';
import { whyMissing } from '@tugdeck/testkit/agents';
import { closeBrowser, screenshot } from '@tugdeck/testkit/browser';
import { echoOf } from '@tugdeck/testkit/mcp-server';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { text, toolUse } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Deck, entries, openDeck, rested, send } from '../deck.ts';
import { began, SETUP, type SetupRow, saw, writeMatrix } from './matrix.ts';
import { type AgentRow, HOOK_FILE, hookFile, pluginFile, put, ROWS, VIOLET } from './setup-rows.ts';

const PATIENCE = 60_000;
const NOT_BY_ACP = 'not offered by ACP';
const isTested = (kind: SetupRow): boolean =>
  isFullTier || ['MCP servers', 'Permission rules', 'Memory files'].includes(kind);

for (const row of ROWS) {
  const isSkipped = row.agent !== 'claude' && (!isFullTier || whyMissing(row.agent) !== undefined);
  describe.skipIf(isSkipped)(row.agent, () => scenes(row));
}

afterAll(async () => {
  await closeBrowser();
  if (isFullTier) writeMatrix();
});

function scenes(row: AgentRow): void {
  const { agent } = row;
  const label = findAgent(agent)?.label ?? agent;
  const used = new Set<SetupRow>();
  let deck: Deck;
  let page: Page;
  let settings: Locator;
  let plugin: ReturnType<AgentRow['plugin']> | undefined;
  const kind = (name: SetupRow): Locator => settings.getByRole('region', { name, exact: true });
  const note = (name: SetupRow, ...more: string[]): void =>
    saw(agent, name, [...(used.has(name) ? ['used'] : []), ...more].join(', ') || undefined);

  beforeAll(async () => {
    const { config } = row;
    deck = await openDeck({ agent, ...(config ? { config } : {}) });
    if (isTested('Plugins')) plugin = row.plugin(deck);
    ({ page } = await deck.page());
    page.setDefaultTimeout(PATIENCE);
    settings = page.getByRole('group', { name: 'Settings' });
    await send(page, 'SCN:text before');
    await entries(page, 'text', 'complete').first().waitFor();
    await rested(page);
    await openSettings(page);
    await settings.getByRole('combobox', { name: 'Agent', exact: true }).selectOption({ label });
    await kind('Memory files').waitFor();
    for (const name of SETUP) if ((await kind(name).count()) === 0) saw(agent, name, 'it has none');
  });
  afterAll(() => deck?.close());

  test('A61 everything added in the page is used in the next turn', async () => {
    for (const [name, button, values] of row.added.filter(([one]) => isTested(one))) {
      began(agent, [name]);
      const region = kind(name);
      await region.getByRole('button', { name: `Add ${button}` }).click();
      await fill(region, values, deck);
      await write(page, region.getByRole('button', { name: 'Preview' }));
      await region.getByRole('form', { name: 'New' }).waitFor({ state: 'hidden' });
    }
    if (isFullTier && agent === 'codex')
      await write(page, kind('Hooks').getByRole('checkbox', { name: 'Trust hook UserPromptSubmit' }));
    if (plugin?.isAdded) {
      await kind('Plugins').getByRole('button', { name: 'Add plugin' }).click();
      await fill(kind('Plugins'), { Name: plugin.name }, deck);
      await write(page, kind('Plugins').getByRole('button', { name: 'Preview' }));
    } else if (plugin)
      await write(page, kind('Plugins').getByRole('checkbox', { name: `Use plugin ${plugin.name}` }));
    const rules = kind('Permission rules');
    await rules.getByRole('textbox', { name: 'Command to test' }).fill('touch made.txt');
    await rules.getByRole('button', { name: 'Test', exact: true }).click();
    await rules.getByText('Allowed by').waitFor();
    await screenshot(page, `setup-matrix-${agent}`);

    deck.fake.script('use', [
      toolUse('Bash', { command: 'touch made.txt', description: 'Make it' }),
      toolUse('mcp__testkit__echo', { text: 'ahoy' }),
      text('Both were used.'),
    ]);
    const made = join(deck.sandbox.project, 'made.txt');
    await openConversation(page);
    await send(page, 'SCN:use');
    const answered = entries(page, 'text', 'complete').filter({ hasText: 'Both were used.' });
    const allow = page.getByRole('button', { name: /^Allow/ }).first();
    await answered.or(allow).first().waitFor();
    if (await allow.isVisible()) {
      // Only a tool of a server may ask, and only where the agent has no rules for them.
      expect({ agent, isMade: existsSync(made) }).toEqual({ agent, isMade: true });
      expect(agent).not.toBe('claude');
      await pressAnswer(allow);
    }
    await rested(page);
    const { body } = await deck.fake.called({ kind: 'answer', keyword: 'use', step: 2 });
    const request = JSON.stringify(body);
    const facts: Readonly<Partial<Record<SetupRow, boolean>>> = {
      'MCP servers': request.includes(echoOf('ahoy')),
      'Permission rules': existsSync(made),
      'Memory files': request.includes(VIOLET.memory),
      Hooks: existsSync(hookFile(deck)),
      Skills: request.includes(VIOLET.skill),
      Subagents: request.includes(VIOLET.subagent),
      Plugins: request.includes(VIOLET.plugin) || existsSync(pluginFile(deck)),
    };
    const tested = (Object.entries(facts) as [SetupRow, boolean][]).filter(
      ([name]) => isTested(name) && (name === 'Plugins' || row.added.some(([one]) => one === name)),
    );
    for (const [name, isUsed] of tested) if (isUsed) used.add(name);
    for (const name of used) note(name);
    expect(tested.filter(([, isUsed]) => !isUsed)).toEqual([]);
  });

  const isAdded = (name: SetupRow): boolean => isTested(name) && row.added.some(([one]) => one === name);

  test.skipIf(!isAdded('Slash commands'))(
    'A61 a slash command added in the page is sent by its name',
    async () => {
      deck.fake.script('violetcommand', [text('The command was done.')]);
      await openConversation(page);
      await send(page, `/${VIOLET.commandName}`);
      if (row.hasNoCommands) {
        const dialog = page.getByRole('dialog', { name: 'isn’t a command' });
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        note('Slash commands', NOT_BY_ACP);
        return;
      }
      await entries(page, 'text', 'complete').filter({ hasText: 'The command was done.' }).waitFor();
      await rested(page);
      const { body } = await deck.fake.called({ kind: 'answer', keyword: 'violetcommand' });
      expect(JSON.stringify(body)).toContain(VIOLET.command);
      used.add('Slash commands');
      note('Slash commands');
    },
  );

  test.skipIf(!isAdded('Output styles'))('A61 an output style added in the page can be chosen', async () => {
    await openConversation(page);
    await page.getByRole('button', { name: 'More settings' }).click();
    await page.getByRole('menuitemradio', { name: 'Output style: violet' }).click();
    await send(page, 'SCN:text styled');
    await rested(page);
    await waitFor(() => JSON.stringify(deck.fake.requests.at(-1)?.body ?? '').includes(VIOLET.style), {
      what: 'the style in a model request',
    });
    used.add('Output styles');
    note('Output styles');
  });

  test.skipIf(!isFullTier)('A61 a change during a turn is used in the next one', async () => {
    deck.fake.script('held', [
      toolUse('Bash', { command: 'touch held.txt', description: 'Make it' }),
      text('Held.'),
    ]);
    await openConversation(page);
    await send(page, 'SCN:held');
    const allow = page.getByRole('button', { name: /^Allow/ }).first();
    await allow.waitFor();
    await openSettings(page);
    const line = kind('Memory files').getByRole('listitem').filter({ hasText: VIOLET.memory }).first();
    await line.getByRole('button', { name: /^Edit / }).click();
    await fill(kind('Memory files'), { Text: 'Remember the green heron.' }, deck);
    await write(page, kind('Memory files').getByRole('button', { name: 'Preview' }));
    await openConversation(page);
    await pressAnswer(allow);
    await entries(page, 'text', 'complete').filter({ hasText: 'Held.' }).waitFor();
    await rested(page);
    deck.fake.script('after', [text('The turn after.')]);
    await send(page, 'SCN:after');
    await entries(page, 'text', 'complete').filter({ hasText: 'The turn after.' }).waitFor();
    const { body } = await deck.fake.called({ kind: 'answer', keyword: 'after' });
    expect(JSON.stringify(body)).toContain('Remember the green heron.');
  });

  test('A61 changes by hand are shown, and edits keep every other byte', async () => {
    await openSettings(page);
    const odd = row.odd.filter(({ edits }) => edits.some((edit) => isTested(edit.kind)));
    const failed: unknown[] = [];
    for (const { path, text: content, edits } of odd) {
      put(deck.sandbox.home, path, content);
      let expected = content;
      for (const { kind: name, item, by, change } of edits.filter((edit) => isTested(edit.kind))) {
        const region = kind(name);
        const line = region.getByRole('listitem').filter({ hasText: item }).first();
        await line.waitFor();
        const seen = name === 'Slash commands' && row.hasNoCommands ? [NOT_BY_ACP, 'shown'] : ['shown'];
        note(name, ...seen);
        if (by === 'turn on' || by === 'turn off')
          await write(page, line.getByRole('checkbox', { checked: by === 'turn off' }));
        else if (by === 'remove') await write(page, line.getByRole('button', { name: /^Remove / }));
        else {
          await line.getByRole('button', { name: /^Edit / }).click();
          await fill(region, by, deck);
          await write(page, region.getByRole('button', { name: 'Preview' }));
        }
        expected = expected.replace(...change);
        const written = readFileSync(join(deck.sandbox.home, path), 'utf8');
        if (written === expected) note(name, ...seen, 'kept');
        else failed.push({ path, name, written, expected });
        expected = written;
      }
    }
    expect(failed).toEqual([]);
  });
}

async function openConversation(page: Page): Promise<void> {
  await page.getByRole('tablist', { name: 'Open tabs' }).getByRole('tab').first().click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
}

async function fill(region: Locator, values: Readonly<Record<string, string>>, deck: Deck): Promise<void> {
  const form = region.getByRole('form');
  for (const [name, value] of Object.entries(values)) {
    const named = { name, exact: true };
    const field = form.getByRole('textbox', named).or(form.getByRole('combobox', named));
    if ((await field.evaluate((node) => node.tagName)) === 'SELECT') await field.selectOption(value);
    else await field.fill(value.replace(HOOK_FILE, hookFile(deck)));
  }
}

/** From a button through the difference to the file. */
async function write(page: Page, button: Locator): Promise<void> {
  await button.click();
  const dialog = page.getByRole('dialog', { name: /this file\?$/ });
  await dialog.getByRole('region', { name: 'Difference' }).getByRole('row').first().waitFor();
  await pressAnswer(dialog.getByRole('button', { name: 'Write file' }));
  await dialog.waitFor({ state: 'hidden' });
}

async function openSettings(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('combobox').fill('open settings');
  await palette.getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
  await palette.waitFor({ state: 'hidden' });
  await page.getByRole('group', { name: 'Settings' }).getByRole('region', { name: 'MCP servers' }).waitFor();
}
