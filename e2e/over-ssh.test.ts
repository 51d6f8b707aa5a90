// Real Claude on another machine over a real sshd, through the page: its turn survives a network cut, a restart of the
// deck, and in the full tier a deck that sleeps.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { freeze, thaw } from '@tugdeck/testkit/process-facts';
import { whyNoRemoteMachine } from '@tugdeck/testkit/remote-machine';
import { hold, text, toolUse } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Deck, entries, newSession, openDeck, send } from './deck.ts';
import { OVER_SSH, overSsh, type SshRoute } from './over-ssh.ts';

const program = fileURLToPath(new URL('../dist/tugdeck.mjs', import.meta.url));
const why = OVER_SSH ? 'It is its own parameter.' : whyNoRemoteMachine();
if (why !== undefined) console.info(`Claude over ssh is not tested. ${why}`);

const CUT_MS = 60_000;
const SLEEP_MS = 600_000;

describe.skipIf(why !== undefined || !isFullTier)('over ssh', () => {
  let deck: Deck & { readonly route: SshRoute };
  let opened: TestPage;

  beforeAll(async () => {
    deck = await overSsh(await openDeck(), program);
    opened = await deck.page();
    await newSession(opened.page);
  });
  afterAll(async () => {
    await deck?.close();
    await closeBrowser();
  });

  const offline = () => opened.page.getByRole('note').filter({ hasText: 'has been offline since' });
  const lines = () => readFileSync(join(deck.sandbox.project, 'ran'), 'utf8').split('\n').filter(Boolean);

  /** A turn that writes, asks for a command while `away` runs, and ends after the answer. */
  async function turnDuring(name: string, away: () => Promise<void>): Promise<void> {
    const { page } = opened;
    deck.fake.script(name, [
      [
        text([`${name} begins. `, hold(name), `${name} continues.`]),
        toolUse('Bash', { command: `echo ${name} >> ran`, description: 'Adds a line' }),
      ],
      text(`${name} is done.`),
    ]);
    await send(page, `SCN:${name} please`);
    await entries(page, 'text').getByText(`${name} begins.`).waitFor();
    await away();
    const request = page.getByRole('group', { name: /^Permission: / });
    await pressAnswer(request.getByRole('button', { name: 'Allow', exact: true }));
    await entries(page, 'text', 'complete').getByText(`${name} is done.`).waitFor();
    await expect.poll(() => entries(page, 'text').getByText(`${name} begins.`).count()).toBe(1);
    expect(lines().filter((line) => line === name)).toHaveLength(1);
  }

  test('N9 N10 a turn of Claude and its permission survive a network cut of 60 s', async () => {
    await turnDuring('cut', async () => {
      deck.route.wire.mute();
      deck.fake.release('cut');
      await offline().waitFor();
      await delay(CUT_MS);
      deck.route.wire.cut();
      await offline().waitFor({ state: 'detached' });
    });
  });

  test('N9 N10 they survive a restart of the deck', async () => {
    await turnDuring('restart', async () => {
      await deck.killServer();
      deck.fake.release('restart');
      await deck.startServer();
    });
  });

  test('N9 N10 they survive a deck that sleeps for ten minutes', { timeout: 2 * SLEEP_MS }, async () => {
    await turnDuring('sleep', async () => {
      const asleep = [deck.serverPid, ...deck.route.carriers()];
      for (const pid of asleep) freeze(pid);
      deck.fake.release('sleep');
      await delay(SLEEP_MS);
      for (const pid of asleep) thaw(pid);
    });
  });
});
