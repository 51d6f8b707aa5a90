import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Dated, mergeNewest, NewestFirst } from '../src/sessions/newest-first.ts';

const dated = fc.record({ id: fc.string({ maxLength: 2 }), activeAt: fc.integer({ min: 0, max: 9 }) });
const newest = (sessions: Iterable<Dated>) =>
  [...sessions].sort((a, b) => b.activeAt - a.activeAt || (a.id < b.id ? -1 : 1));

test('S5 sessions that come, change and go are in the order that sorting gives them', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(dated, fc.boolean())), (changes) => {
      const kept = new Map<string, Dated>();
      const order = new NewestFirst<Dated>();
      for (const [session, stays] of changes) {
        const known = kept.get(session.id);
        if (known) order.remove(known);
        kept.delete(session.id);
        if (!stays) continue;
        kept.set(session.id, session);
        order.add(session);
      }
      expect([...order]).toEqual(newest(kept.values()));
    }),
  );
});

test('S5 two lists become one, newest first, and of the same time the first list’s come first', () => {
  fc.assert(
    fc.property(fc.array(dated), fc.array(dated), (one, other) => {
      const [these, those] = [newest(one), newest(other)];
      const sorted = these.concat(those).sort((a, b) => b.activeAt - a.activeAt);
      expect(mergeNewest(these, those)).toEqual(sorted);
    }),
  );
});
