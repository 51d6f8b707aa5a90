/** H10 with two real builds (full tier): a newer server with a working and an idle host of an older one, and its page. */
import { closeBrowser } from '@tugdeck/testkit/browser';
import { isAlive, waitFor, waitGone } from '@tugdeck/testkit/process-facts';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { afterAll, expect, test } from 'vitest';
import { type Builds, makeBuilds } from './campaign/builds.ts';
import { connected, type Deck, entries, openDeck, rested, send } from './deck.ts';

let builds: Builds | undefined;
let deck: Deck | undefined;
afterAll(async () => {
  await deck?.close();
  builds?.dispose();
  await closeBrowser();
});

test.runIf(isFullTier)(
  'H10 a host of an older build finishes its turn under a newer server and is replaced when idle; nothing is lost',
  async () => {
    builds = makeBuilds();
    const [older, newer] = builds.programs;
    deck = await openDeck({ withoutAgent: true, program: older });
    const { records } = deck;
    const { page } = await deck.page();
    await send(page, 'slow 600');
    await entries(page, 'text', 'partial').waitFor();
    const [host] = records('host');
    const { pid = 0 } = host?.identity ?? {};
    expect(host?.program).toContain('campaign-a');

    const [keeper] = records('keeper');
    const { origin } = new URL(page.url());
    await deck.killServer();
    await deck.startServer(newer);
    const state = page.getByRole('status', { name: 'Connection' });
    await state.and(page.locator('[data-state="outdated"]')).waitFor();
    // Signed in at the same address, which the same keeper still holds (X1).
    expect(new URL(page.url()).origin).toBe(origin);
    expect(keeper).toBeDefined();
    expect(records('keeper')).toEqual([keeper]);
    // The old page and the old host keep working through the new server.
    const drawn = () => entries(page, 'text', 'partial').innerText();
    const before = (await drawn()).length;
    await expect.poll(async () => (await drawn()).length).toBeGreaterThan(before);
    expect(records('host').map(({ identity }) => identity.pid)).toEqual([pid]);
    expect(isAlive(pid)).toBe(true);

    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await rested(page);
    await waitGone(pid);
    await page.getByRole('button', { name: 'Reload' }).click();
    await connected(page);
    await entries(page, 'user').getByText('slow 600').waitFor();
    await send(page, 'think of the upgrade');
    await entries(page, 'user').getByText('think of the upgrade').waitFor();
    await entries(page, 'text', 'complete').last().waitFor();
    await rested(page);
    const next = await waitFor(() => records('host')[0], { what: 'the next host' });
    expect(next.program).toContain('campaign-b');
  },
);
