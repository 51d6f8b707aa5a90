/** Every real ACP agent through the whole product: server, host and browser. Registered by agents.test.ts. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AcpAgent } from '@tugdeck/testkit/agents';
import { closeBrowser, screenshot } from '@tugdeck/testkit/browser';
import { kill9, waitFor, waitGone } from '@tugdeck/testkit/process-facts';
import { madeFile, shortAnswer } from '@tugdeck/testkit/scenarios';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type Deck, entries, openDeck, rested, send } from '../deck.ts';
import { began, type Row, saw } from './matrix.ts';

/** An agent that starts in two seconds alone takes a minute beside other work. */
const PATIENCE = { timeout: 90_000 };

export function browserScenes(agent: AcpAgent): void {
  let deck: Deck;
  afterEach(() => deck?.close());
  afterAll(() => closeBrowser());

  async function opened(row: Row): Promise<Page> {
    began(agent, [row]);
    deck = await openDeck({ agent, timings: { startTimeoutMs: 90_000 } });
    const { page } = await deck.page();
    page.setDefaultTimeout(PATIENCE.timeout);
    return page;
  }

  test('A20 C6 a message, a permission and a diff, as a user sees them', async () => {
    const page = await opened('In the browser: message, permission, diff');
    await send(page, 'SCN:text');
    await entries(page, 'text', 'complete')
      .filter({ hasText: shortAnswer.replaceAll('*', '') })
      .waitFor(PATIENCE);
    await rested(page);
    await send(page, 'SCN:bash');
    const request = page.getByRole('group', { name: /^Permission: / });
    await request.waitFor(PATIENCE);
    expect(existsSync(join(deck.sandbox.project, madeFile))).toBe(false);
    await allow(page);
    await entries(page, 'text', 'complete').getByText('The file is made.').waitFor(PATIENCE);
    expect(existsSync(join(deck.sandbox.project, madeFile))).toBe(true);
    await rested(page);
    await send(page, 'SCN:edit');
    await request.getByText('const whom = name.trim();').first().waitFor(PATIENCE);
    await screenshot(page, `agent-${agent}`);
    await allow(page);
    await entries(page, 'text', 'complete').getByText('The greeting is edited.').waitFor(PATIENCE);
    await rested(page);
    expect(readFileSync(join(deck.sandbox.project, 'src/greet.ts'), 'utf8')).toContain('name.trim()');
    await entries(page, 'tool', 'complete').getByText('+2').first().waitFor();
    saw(agent, 'In the browser: message, permission, diff');
  });

  test('L8 the host killed while the agent asks: the agent is ended with all that is its own', async () => {
    const page = await opened('Nothing left: kill -9 of the host');
    await send(page, 'SCN:bash');
    await page.getByRole('group', { name: /^Permission: / }).waitFor(PATIENCE);
    const [first, host] = [await deck.pidOf('agent'), await deck.pidOf('host')];
    kill9(host);
    await waitGone(first, 30_000);
    await deck.run('stop', '--all');
    await waitFor(() => deck.sandbox.strays().length === 0, { what: 'the last process to be gone' });
    saw(agent, 'Nothing left: kill -9 of the host');
  });

  test('L8 the server killed while the agent asks, then stop --all: nothing is left', async () => {
    const page = await opened('Nothing left: kill -9 of the server, then stop --all');
    await send(page, 'SCN:bash');
    await page.getByRole('group', { name: /^Permission: / }).waitFor(PATIENCE);
    await deck.killServer();
    const { code } = await deck.run('stop', '--all');
    expect(code).toBe(0);
    await waitFor(() => deck.sandbox.strays().length === 0, { what: 'the last process to be gone' });
    saw(agent, 'Nothing left: kill -9 of the server, then stop --all');
  });
}

async function allow(page: Page): Promise<void> {
  const request = page.getByRole('group', { name: /^Permission: / });
  await request.getByRole('button', { name: 'Allow', exact: true }).click();
}
