import { expect, test } from 'vitest';
import { DeckService, type DeckServiceOptions } from '../src/sessions/deck-service.ts';
import { type DatedSession, NewestFirst } from '../src/sessions/newest-first.ts';
import { take } from '../src/take.ts';

function deckOf(own: NewestFirst<DatedSession>, others: NewestFirst<DatedSession>): DeckService {
  const known = {
    sessions: { walk: () => own.walk() },
    external: { walk: () => others.walk() },
    now: () => 1_500,
  };
  return new DeckService(known as unknown as DeckServiceOptions);
}

test('S5 sessions are listed newest first, including one that becomes newest during the iteration', () => {
  const [own, others] = [new NewestFirst<DatedSession>(), new NewestFirst<DatedSession>()];
  for (let at = 1; at <= 1_000; at++) (at % 2 === 0 ? own : others).add({ id: `s${at}`, activeAt: at });
  others.add({ id: 'ahead', activeAt: 9_000 });
  const walk = deckOf(own, others).walk();
  // One from a clock that is ahead.
  expect(take(walk, 3)).toEqual(['ahead', 's1000', 's999']);
  own.remove({ id: 's2', activeAt: 2 });
  own.add({ id: 's2', activeAt: 5_000 });
  others.add({ id: 'new', activeAt: 5_001 });
  const rest = [...walk];
  expect(rest.slice(-3)).toEqual(['ahead', 'new', 's2']);
  expect(new Set(rest).size).toBe(rest.length);
  expect(rest).toHaveLength(1_000);
});
