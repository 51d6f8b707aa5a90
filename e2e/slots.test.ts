// One slot and three prompts (D40): places, a kill -9 of the server and of a host, and the order afterwards.
import { readTail } from '@tugdeck/journal/reader';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { kill9, waitFor, waitGone } from '@tugdeck/testkit/process-facts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, openDeck } from './deck.ts';

let deck: Deck;
let opened: TestPage;
/** Session ids by the prompt that began them. */
const sent: Record<'slow' | 'first' | 'second', string> = { slow: '', first: '', second: '' };
const notes: string[] = [];

const start = async (text: string) => {
  const { code, stdout, stderr } = await deck.run(
    ...['send', '--new', '--agent', 'demo', '--trust', '--dir', deck.sandbox.project, text],
  );
  expect(code, stderr).toBe(0);
  return { session: stdout.trim(), note: stderr.trim() };
};
const turnsOf = (session: string) => readTail(dataDirectory(deck.sandbox.data).session(session))?.turns ?? [];
const home = () => opened.page.getByRole('region', { name: 'Home' });
const card = (name: RegExp) => home().getByRole('article', { name });

beforeAll(async () => {
  deck = await openDeck({ withoutAgent: true, config: { maxTurns: 1 } });
  sent.slow = (await start('slow 3600')).session;
});
// One after the other: a place that is printed can change as long as another prompt is on its way.
beforeAll(async () => {
  for (const which of ['first', 'second'] as const) {
    const { session, note } = await start(`think of the ${which}`);
    sent[which] = session;
    notes.push(note);
  }
});
beforeAll(async () => {
  opened = await deck.page();
  await opened.page.getByRole('button', { name: 'Home' }).click();
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

test('D40 prompts over the limit are queued with their place, and nothing is refused', async () => {
  expect(notes).toEqual(['queued (next)', 'queued (1 ahead)']);
  await card(/^think of the first, Queued · next/).waitFor();
  await card(/^think of the second, Queued · 1 ahead/).waitFor();
  await opened.page.getByText('1/1 working · 2 queued').waitFor();
  opened.assertNoProblems();
});

test('D40 they survive a kill -9 of server and host in order, and are sent once', async () => {
  await deck.killServer();
  const host = deck.records('host').find(({ session }) => session === sent.first)?.identity.pid ?? 0;
  kill9(host);
  await waitGone(host);
  await deck.startServer();
  await waitFor(
    () =>
      deck.records('host').some(({ session, identity }) => session === sent.first && identity.pid !== host),
    {
      what: 'the next host of the killed one',
    },
  );
  expect([sent.first, sent.second].flatMap(turnsOf)).toEqual([]);
  await card(/^slow/).getByRole('link').click();
  await opened.page.getByRole('button', { name: 'Stop', exact: true }).click();
  const ended = (session: string) => turnsOf(session)[0]?.endedAt;
  await waitFor(() => ended(sent.second) !== undefined, { what: 'the last turn' });
  expect([sent.first, sent.second].map((session) => turnsOf(session).length)).toEqual([1, 1]);
  expect(turnsOf(sent.second)[0]?.startedAt).toBeGreaterThanOrEqual(ended(sent.first) ?? Number.NaN);
});
