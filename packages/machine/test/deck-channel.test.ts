import { expect, test } from 'vitest';
import type { DeckPush } from '../src/port.ts';
import { DeckChannel } from '../src/sessions/deck-channel.ts';
import type { DeckListener, DeckService } from '../src/sessions/deck-service.ts';

function openDeck(sessions: number) {
  const listeners = new Set<DeckListener>();
  const deck = {
    head: () => ({ projects: [], agents: [], defaultAgent: 'demo' }),
    walk: () => Array.from({ length: sessions }, (_, at) => `s${at}`)[Symbol.iterator](),
    rows: (ids: readonly string[]) => ids.map((id) => ({ id })),
    subscribe(listener: DeckListener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const sent: DeckPush[] = [];
  const channel = new DeckChannel(deck as unknown as DeckService, (push) => sent.push(push));
  const publish = (push: DeckPush) => {
    for (const listener of listeners) listener(push);
  };
  return { channel, sent, publish, head: deck.head() };
}

const show: DeckPush = { type: 'show', project: 'p' };
const rowCounts = (sent: readonly DeckPush[]) =>
  sent.flatMap((push) => (push.type === 'rows' ? [[push.rows.length, push.more]] : []));

test('S5 a page gets the newest rows at once and the others in batches', async () => {
  const { sent } = openDeck(450);
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({ type: 'whole', deck: { more: true } });
  await expect
    .poll(() => rowCounts(sent))
    .toEqual([
      [200, true],
      [50, false],
    ]);
});

test('S3 a paused page gets the complete list again instead of every change, but shows a project when asked to', async () => {
  const { channel, sent, publish, head } = openDeck(2);
  channel.pause();
  publish({ type: 'deck', deck: head });
  publish({ type: 'rows', rows: [], gone: ['s1'] });
  publish(show);
  expect(sent.slice(1)).toEqual([show]);
  channel.resume();
  expect(sent.at(-1)).toEqual({ type: 'deck', deck: head });
  await expect.poll(() => rowCounts(sent)).toEqual([[2, false]]);
});

test('S1 a closed deck channel sends nothing more', async () => {
  const { channel, sent, publish } = openDeck(450);
  channel.close();
  publish(show);
  await new Promise((done) => setImmediate(() => setImmediate(done)));
  expect(sent).toHaveLength(1);
});
