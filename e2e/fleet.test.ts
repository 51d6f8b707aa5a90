// A fleet with the built product, in a browser: a machine joins by a code through a real nats-server; while it is off, its
// session is read from the copy.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { type NatsServer, whyNoNatsServer } from '@tugdeck/testkit/nats-server';
import { kill9, waitFor } from '@tugdeck/testkit/process-facts';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Deck, openDeck } from './deck.ts';
import { invite, openFleet } from './fleet-world.ts';

const why = whyNoNatsServer();

describe.skipIf(why !== undefined || !isFullTier)('fleet', () => {
  let worker: Deck;
  let deck: Deck;
  let nats: NatsServer;
  let opened: TestPage;
  beforeAll(async () => {
    worker = await openDeck({ withoutAgent: true, projectName: 'shop' });
    deck = await openDeck({ withoutAgent: true });
    nats = await openFleet(deck);
    opened = await deck.page();
  });
  afterAll(async () => {
    await deck?.close();
    await worker?.close();
    await nats?.close();
    await closeBrowser();
  });

  const send = async (text: string) => {
    await opened.page.getByRole('textbox', { name: 'Message' }).fill(text);
    await opened.page.keyboard.press('Enter');
  };
  const journaled = (text: string) => {
    const { stdout } = spawnSync('grep', ['-rho', `"text":"${text}"`, join(worker.sandbox.data, 'sessions')]);
    return stdout.toString().split('\n').length - 1;
  };
  const stateOf = async () =>
    JSON.parse((await deck.run('machine', 'list', '--json')).stdout || '[]') as {
      name: string;
      state?: string;
    }[];
  const isOnline = async () =>
    JSON.parse((await deck.run('fleet', 'status', '--json')).stdout).machines[0]?.state === 'online';

  test('N25 a machine joins with the printed command, and its projects appear', async () => {
    const command = await invite(deck, 'worker');
    const joined = await worker.run(...command);
    expect(joined.stdout).toContain('Joined the fleet as worker.');
    const { page } = opened;
    const project = page.locator('.project-head', { hasText: 'shop' });
    await expect.poll(() => project.locator('.machine-tag').innerText()).toBe('worker');
    await project.hover();
    await project.getByRole('button', { name: 'Start a session in shop' }).click();
    await page.getByRole('button', { name: 'Project: shop · worker' }).waitFor();
    await send('think of rain');
    await expect.poll(() => journaled('think of rain')).toBeGreaterThan(0);
    expect((await worker.run(...command)).stderr).toContain('this is part of a fleet already');
    expect(await stateOf()).toEqual([]);
  });

  test('N34 while it is off, its session opens from the copy, and N10 a message arrives when it is back', async () => {
    const { page } = opened;
    await worker.run('stop', '--all');
    await page.getByRole('note').filter({ hasText: 'worker has been offline since' }).waitFor();
    await page.reload();
    await page.locator('a[data-session]', { hasText: 'think of rain' }).first().click();
    await page.getByRole('log').getByText('think of rain').first().waitFor();
    await page.getByRole('note').filter({ hasText: 'worker has been offline since' }).waitFor();
    await send('think of snow');
    expect(journaled('think of snow')).toBe(0);
    await worker.startServer();
    await expect.poll(() => journaled('think of snow')).toBeGreaterThan(0);
  });

  test('N9 a killed server of NATS ends no session, and the link opens again', async () => {
    kill9(nats.pid);
    await waitFor(async () => !(await isOnline()), { what: 'the machine to be offline' });
    await nats.start();
    await waitFor(isOnline, { what: 'the machine to be online' });
  });

  test('N36 doctor warns about the server, and N25 a revoked machine disappears', async () => {
    const { stdout } = await deck.run('doctor');
    expect(stdout).toContain('nats-server 2.9.10 has known security problems');
    expect((await deck.run('fleet', 'revoke', 'worker')).stdout).toContain('Revoked worker.');
    await opened.page.locator('.machine-tag').first().waitFor({ state: 'detached' });
    const { stdout: audit } = await deck.run('machine', 'audit');
    for (const message of ['invited', 'joined', 'online', 'revoked']) expect(audit).toContain(message);
  });
});
