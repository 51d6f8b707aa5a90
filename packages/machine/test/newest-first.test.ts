import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DatedSession, mergeNewest, NewestFirst } from '../src/sessions/newest-first.ts';
import { take } from '../src/take.ts';

const dated = fc.record({ id: fc.string({ maxLength: 2 }), activeAt: fc.integer({ min: 0, max: 9 }) });
const newest = (sessions: Iterable<DatedSession>) =>
  [...sessions].sort((a, b) => b.activeAt - a.activeAt || (a.id < b.id ? -1 : 1));

test('S5 added, changed and removed sessions stay in sorted order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(dated, fc.boolean())), (changes) => {
      const kept = new Map<string, DatedSession>();
      const order = new NewestFirst<DatedSession>();
      for (const [session, stays] of changes) {
        const known = kept.get(session.id);
        if (known) order.remove(known);
        kept.delete(session.id);
        if (!stays) continue;
        kept.set(session.id, session);
        order.add(session);
      }
      expect([...order.walk()]).toEqual(newest(kept.values()));
    }),
  );
});

test('S5 merges two lists, newest first; at the same time the first list comes first', () => {
  fc.assert(
    fc.property(fc.array(dated), fc.array(dated), (one, other) => {
      const [these, those] = [newest(one), newest(other)];
      const sorted = these.concat(those).sort((a, b) => b.activeAt - a.activeAt);
      expect([...mergeNewest(these.values(), those.values())]).toEqual(sorted);
    }),
  );
});

test('S5 iterating a changing list yields each remaining session once', () => {
  const order = new NewestFirst<DatedSession>();
  const session = (at: number) => ({ id: `s${at}`, activeAt: at });
  for (let at = 0; at < 1_000; at++) order.add(session(at));
  const walk = order.walk();
  const met = take(walk, 300);
  // The last yielded one, one before it and one after it are removed; one is added at either end.
  for (const gone of [700, 800, 500]) order.remove(session(gone));
  for (const come of [2_000, -1]) order.add(session(come));
  met.push(...walk);
  const stayed = Array.from({ length: 1_000 }, (_, at) => 999 - at).filter((at) => at !== 500);
  expect(met.map(({ activeAt }) => activeAt)).toEqual([...stayed, -1]);
});
