import type { Deck } from '@tugdeck/protocol/wire/deck';
import { expect, test } from 'vitest';
import type { DockCard } from '../src/kit/layout/layout.ts';
import { contextToShow } from '../src/shell/dock/card-title.ts';

const deck = {
  projects: [
    { id: 'a', name: 'orchard' },
    { id: 'b', name: 'mill\u202etxt' },
  ],
  sessions: [{ id: 's', title: 'Fix login' }],
} as unknown as Deck;
const card = (id: string, kind: string, project?: string, title?: string): DockCard => ({
  id,
  kind,
  params: project === undefined ? {} : { project },
  ...(title === undefined ? {} : { title }),
});

test('D1 a card shows its project only if a card of another project has the same title', () => {
  const [files, others, git] = [card('1', 'files', 'a'), card('2', 'files', 'b'), card('3', 'git', 'a')];
  const contexts = (...cards: DockCard[]) => cards.map((one) => contextToShow(one, cards, deck));
  expect(contexts(files, git, card('4', 'files', 'a'))).toEqual([undefined, undefined, undefined]);
  expect(contexts(files, others, git)).toEqual(['orchard', expect.not.stringContaining('\u202e'), undefined]);
  expect(contexts(card('5', 'file', 'a', 'x.ts'), card('6', 'file', 'b', 'y.ts'))).toEqual([
    undefined,
    undefined,
  ]);
  expect(contexts(card('7', 'stats'), card('8', 'stats'))).toEqual([undefined, undefined]);
});

test('D22 a card that was opened for a session shows that session', () => {
  const files = { ...card('1', 'files', 'a'), params: { project: 'a', of: 's' } };
  const review = { ...card('2', 'review', 'a'), params: { project: 'a', session: 's' } };
  expect([files, review].map((one) => contextToShow(one, [files, review], deck))).toEqual([
    'Fix login',
    'Fix login',
  ]);
});
