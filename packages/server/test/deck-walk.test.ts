import { expect, test } from 'vitest';
import { nextOf } from '../src/next-of.ts';
import { Deck, type DeckOptions } from '../src/sessions/deck.ts';
import { type Dated, NewestFirst } from '../src/sessions/newest-first.ts';

function deckOf(own: NewestFirst<Dated>, others: NewestFirst<Dated>): Deck {
  const known = {
    sessions: { walk: () => own.walk() },
    foreign: { walk: () => others.walk() },
    now: () => 1_500,
  };
  return new Deck(known as unknown as DeckOptions);
}

test('S5 all sessions are walked newest first, and one that moves to the front meanwhile is not left out', () => {
  const [own, others] = [new NewestFirst<Dated>(), new NewestFirst<Dated>()];
  for (let at = 1; at <= 1_000; at++) (at % 2 === 0 ? own : others).add({ id: `s${at}`, activeAt: at });
  others.add({ id: 'ahead', activeAt: 9_000 });
  const walk = deckOf(own, others).walk();
  // One of another clock, ahead of ours.
  expect(nextOf(walk, 3)).toEqual(['ahead', 's1000', 's999']);
  own.remove({ id: 's2', activeAt: 2 });
  own.add({ id: 's2', activeAt: 5_000 });
  others.add({ id: 'new', activeAt: 5_001 });
  const rest = [...walk];
  expect(rest.slice(-3)).toEqual(['ahead', 'new', 's2']);
  expect(new Set(rest).size).toBe(rest.length);
  expect(rest).toHaveLength(1_000);
});
