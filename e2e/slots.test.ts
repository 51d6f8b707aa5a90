// One slot and three prompts (D40): places, a kill -9 of the server and of a host, and the order afterwards.
import { readTail } from '@tugdeck/journal/reader';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { closeBrowser } from '@tugdeck/testkit/browser';
import { kill9, waitFor, waitGone } from '@tugdeck/testkit/process-facts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, openDeck } from './deck.ts';

let deck: Deck;

const start = async (text: string) => {
  const { code, stdout, stderr } = await deck.run(
    ...['send', '--new', '--agent', 'demo', '--trust', '--dir', deck.sandbox.project, text],
  );
  expect(code, stderr).toBe(0);
  return { session: stdout.trim(), note: stderr.trim() };
};
const stateOf = (session: string) => readTail(dataDirectory(deck.sandbox.data).session(session));
const turnsOf = (session: string) => stateOf(session)?.turns ?? [];

beforeAll(async () => {
  deck = await openDeck({ withoutAgent: true, config: { maxTurns: 1 } });
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

test('D40 prompts over the limit are queued, survive kill -9 in order, and are sent once', async () => {
  const running = await start('slow 3600');
  expect(running.note).toBe('');
  await waitFor(() => turnsOf(running.session).length === 1, { what: 'the first turn' });
  const two = await start('think of two');
  const three = await start('think of three');
  expect([two.note, three.note]).toEqual(['queued (next)', 'queued (1 ahead)']);

  const opened = await deck.page();
  const { page } = opened;
  await page.getByRole('button', { name: 'Home' }).click();
  const queued = page.getByRole('region', { name: 'Home' }).getByRole('region', { name: 'Queued' });
  await queued.getByRole('article', { name: /^think of three, Queued · 1 ahead/ }).waitFor();
  await page.getByText('1/1 agents · 2 queued').waitFor();

  await deck.killServer();
  const host = deck.records('host').find(({ session }) => session === two.session)?.identity.pid ?? 0;
  kill9(host);
  await waitGone(host);
  await deck.startServer();
  await queued.getByRole('article', { name: /^think of two, Queued · next/ }).waitFor();
  expect([two, three].flatMap(({ session }) => turnsOf(session))).toEqual([]);

  await page
    .getByRole('region', { name: 'Home' })
    .getByRole('article', { name: /^slow/ })
    .getByRole('link')
    .click();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  const ended = (session: string) => turnsOf(session)[0]?.endedAt;
  await waitFor(() => ended(three.session) !== undefined, { what: 'the last turn' });
  expect(turnsOf(two.session)).toHaveLength(1);
  expect(turnsOf(three.session)).toHaveLength(1);
  expect(turnsOf(three.session)[0]?.startedAt).toBeGreaterThanOrEqual(ended(two.session) ?? Number.NaN);
  opened.assertNoProblems([/503|ERR_CONNECTION|WebSocket/]);
});
