import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTail } from '@tugdeck/journal/reader';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { type Entry, isRequest } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { closeBrowser, screenshot } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { kill9, waitFor, waitGone } from '@tugdeck/testkit/process-facts';
import { longAnswer } from '@tugdeck/testkit/scenarios';
import { hold, text } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mountSmallDisk, noDisk, type SmallDisk } from './campaign/small-disk.ts';
import { connected, type Deck, drawnForm, entries, openDeck, outcomes, rested, send } from './deck.ts';

/** Only in the full tier: a quicker test checks the same, or it takes too long here. */
const testFull = test.skipIf(!isFullTier);

let deck: Deck;

beforeEach(async () => {
  deck = await openDeck({ timings: { restartMs: 20 } });
});
afterEach(() => deck?.close());
afterAll(() => closeBrowser());

/** The conversation on disk of the only session. */
function onDisk(): Conversation | undefined {
  const data = dataDirectory(deck.sandbox.data);
  const [session] = readdirSync(join(data.root, 'sessions'));
  return session === undefined ? undefined : readTail(data.session(session));
}

function journal(): Entry[] {
  const state = onDisk();
  return state ? [...entriesFrom(state.entries)] : [];
}

function textOf(kind: Entry['kind']): string {
  const found = journal().findLast((entry) => entry.kind === kind);
  if (!found || !('text' in found)) return '';
  return found.text;
}

async function started(scenario: string): Promise<Page> {
  // The first page creates a session by itself (D12).
  const { page } = await deck.page();
  await send(page, `SCN:${scenario}`);
  return page;
}

const third = Math.floor(longAnswer.length / 3);
const inThirds = [
  text([
    longAnswer.slice(0, third),
    hold('one'),
    longAnswer.slice(third, 2 * third),
    hold('two'),
    longAnswer.slice(2 * third),
  ]),
];

/** The drawn text of the last answer. */
const drawn = (page: Page) => drawnForm(entries(page, 'text').last());

/** Both may still be drawing: they are compared until they are the same. */
async function equalsFresh(page: Page): Promise<void> {
  const { page: fresh, close } = await deck.page();
  await entries(fresh, 'text', 'complete').last().waitFor();
  await expect.poll(async () => (await drawn(page)) === (await drawn(fresh))).toBe(true);
  await close();
}

describe('kill -9 of the server', () => {
  test('H1 after a kill in mid-answer the turn continues, the page reconnects, and the text equals the model’s', async () => {
    deck.fake.script('thirds', inThirds);
    const page = await started('thirds');
    await deck.fake.reached('one');
    await entries(page, 'text', 'partial').waitFor();
    await deck.killServer();
    deck.fake.release('one');
    await deck.fake.reached('two');
    await deck.startServer();
    await connected(page);
    deck.fake.release('two');
    await entries(page, 'text', 'complete').waitFor();
    await rested(page);
    await expect.poll(() => textOf('text') === longAnswer).toBe(true);
    await equalsFresh(page);
  });

  testFull('H1 after a kill with the page closed, a new page shows everything', async () => {
    deck.fake.script('thirds', inThirds);
    const page = await started('thirds');
    await deck.fake.reached('one');
    await page.close();
    await deck.killServer();
    deck.fake.release('one');
    deck.fake.release('two');
    await waitFor(() => textOf('text').length === longAnswer.length, { what: 'the whole answer on disk' });
    await deck.startServer();
    const { page: later } = await deck.page();
    await entries(later, 'text', 'complete').waitFor();
    await expect.poll(() => textOf('text') === longAnswer).toBe(true);
  });
});

describe('kill -9 of the session host', () => {
  test('H5 H6 in mid-answer: text on disk is kept, the session resumes, nothing is shown twice', async () => {
    deck.fake.script('slow', [text(longAnswer, { chunk: 20, delayMs: 5 })]);
    const page = await started('slow');
    await entries(page, 'text', 'partial').waitFor();
    const [agent, host] = [await deck.pidOf('agent'), await deck.pidOf('host')];
    await waitFor(() => textOf('text').length > 100, { what: 'text on disk, while more of it comes' });
    const seen = textOf('text').length;
    kill9(host);
    await entries(page, 'notice').first().waitFor();
    await waitGone(agent);
    expect(textOf('text').length).toBeGreaterThanOrEqual(seen);
    expect(longAnswer.startsWith(textOf('text'))).toBe(true);
    await expect.poll(() => entries(page, 'text', 'stale').count()).toBe(1);
    await send(page, 'SCN:text and now?');
    await entries(page, 'text', 'complete').first().waitFor();
    await rested(page);
    const kept = (wanted: Entry['kind']) => journal().filter(({ kind }) => kind === wanted).length;
    await expect.poll(() => [kept('user'), kept('text')]).toEqual([2, 2]);
    // The second prompt came with the history of the first: the agent's own session was resumed.
    const call = await deck.fake.called({ keyword: 'text' });
    expect(JSON.stringify(call.body)).toContain('SCN:slow');
    await screenshot(page, 'fault-host-killed');
  });
});

describe('kill -9 with a permission pending', () => {
  test('H1 H6 of the server: it is still there and can be answered; of the host: it is stale and cannot', async () => {
    const page = await started('bash');
    const request = page.getByRole('group', { name: /^Permission: / });
    const allow = request.getByRole('button', { name: 'Allow', exact: true });
    await request.waitFor();
    await deck.killServer();
    await deck.startServer();
    await connected(page);
    await pressAnswer(allow);
    await entries(page, 'text', 'complete').getByText('The file is made.').waitFor();
    await rested(page);

    await send(page, 'SCN:write');
    await request.waitFor();
    kill9(await deck.pidOf('host'));
    await outcomes(page, 'stale').waitFor();
    await expect.poll(() => allow.count()).toBe(0);
    await expect
      .poll(() =>
        journal()
          .filter(isRequest)
          .map(({ request: { status } }) => status),
      )
      .toEqual(['answered', 'stale']);
    await screenshot(page, 'fault-stale-permission');
  });
});

describe('kill -9 of the agent', () => {
  test('H6 it is restarted and resumes; three times in a minute it is left stopped, and Restart works', async () => {
    const page = await started('text');
    await entries(page, 'text', 'complete').waitFor();
    await rested(page);
    for (let death = 1; death <= 3; death++) {
      const agent = await deck.pidOf('agent');
      kill9(agent);
      await entries(page, 'notice')
        .nth(death - 1)
        .waitFor();
      if (death < 3) {
        await waitFor(
          () =>
            onDisk()?.agent.state === 'connected' &&
            deck.records('agent').some(({ identity }) => identity.pid !== agent),
          { what: 'another agent, ready' },
        );
      }
    }
    const restart = page.getByRole('button', { name: 'Restart agent' });
    await restart.waitFor();
    await page
      .getByText(/three times/)
      .first()
      .waitFor();
    await screenshot(page, 'fault-agent-failed');
    await restart.click();
    await send(page, 'SCN:thinking still there?');
    await entries(page, 'thinking', 'complete').waitFor();
    await rested(page);
  });
});

testFull(
  'H5 H12 H24 a full disk: the page says what is not saved, and with room again the rest comes in',
  async () => {
    await deck.close();
    let disk: SmallDisk = noDisk('not mounted');
    deck = await openDeck({
      timings: { restartMs: 20, roomMs: 100 },
      async prepare({ data }) {
        disk = await mountSmallDisk(data, 32);
        return disk.dispose;
      },
    });
    // Needs the right to mount.
    if (disk.missing !== undefined) return;
    // Longer than what is left in the last page of a file.
    const rest = `${longAnswer.slice(0, 12_000)} This is the rest of it.`;
    deck.fake.script('full', [text(['I begin the answer. ', hold('half'), rest], { chunk: 400 })]);
    const page = await started('full');
    await deck.fake.reached('half');
    await entries(page, 'text', 'partial').waitFor();
    await disk.fill();
    deck.fake.release('half');
    const banner = page.getByRole('alert').filter({ hasText: 'written to disk' });
    await banner.waitFor();
    await screenshot(page, 'fault-full-disk');
    await banner.getByText("the end of this turn isn't saved").waitFor();
    await expect.poll(() => page.getByText('Your conversation is saved').count()).toBe(0);
    await rested(page);
    // Shown as failed in the sidebar and on the tab, as working nowhere.
    const glyphs = (state: string) => page.locator(`.glyph[data-state="${state}"]`);
    await expect.poll(() => glyphs('failed').count()).toBe(2);
    await expect.poll(() => glyphs('working').count()).toBe(0);
    await disk.empty();
    await entries(page, 'notice').getByText('The disk was full').waitFor();
    await banner.waitFor({ state: 'hidden' });
    await entries(page, 'text').getByText('This is the rest of it.').waitFor();
    expect(textOf('text')).toBe(`I begin the answer. ${rest}`);
    await send(page, 'SCN:text and now?');
    const call = await deck.fake.called({ keyword: 'text' });
    expect(JSON.stringify(call.body)).toContain('This is the rest of it.');
    await rested(page);
    await screenshot(page, 'fault-full-disk-recovered');
  },
);
