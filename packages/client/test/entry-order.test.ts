import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import {
  CHUNK,
  differencesOf,
  dropBefore,
  type EntryStore,
} from '@tugdeck/protocol/conversation/entry-store';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { describe, expect, test } from 'vitest';
import { EntryOrder } from '../src/entry-order.ts';

function conversation(count: number): Conversation {
  let state = EMPTY;
  const open = (id: string, status: 'partial' | 'complete'): ChangeBody => ({
    kind: 'entry.opened',
    entry: { kind: 'text', id, text: '', status },
  });
  for (let at = 0; at < count; at++) {
    state = fold(state, { ...open(`e${at}`, 'complete'), v: state.v + 1, at });
  }
  return fold(state, { ...open('open', 'partial'), v: state.v + 1, at: count });
}

describe('differences between two states', () => {
  test('C17 a delta never reads an unchanged chunk', () => {
    const before = conversation(10 * CHUNK);
    const after = foldAppend(before, { entry: 'open', field: 'text', at: 0, text: 'x' });
    const looked = new Set<number>();
    const watched = new Map<unknown, unknown>();
    const watch = (store: EntryStore): EntryStore =>
      store.map((block) =>
        block?.map((chunk, index) => {
          if (!chunk) return chunk;
          const known = watched.get(chunk);
          if (known) return known as typeof chunk;
          const proxy = new Proxy(chunk, {
            get: (target, key) => {
              looked.add(index);
              return Reflect.get(target, key);
            },
          });
          watched.set(chunk, proxy);
          return proxy;
        }),
      );
    const differences = differencesOf(watch(before.entries), watch(after.entries));
    expect(differences.map(({ now }) => now?.id)).toEqual(['open']);
    expect([...looked]).toEqual([10]);
  });

  test('M1 finds entries by id after they moved', () => {
    const drawn = new EntryOrder();
    const base = conversation(2);
    const mine: ChangeBody = { kind: 'prompt.accepted', prompt: { id: 'mine', text: 'm' } };
    const other: ChangeBody = {
      kind: 'entry.opened',
      entry: { kind: 'text', id: 'other', text: 'o', status: 'complete' },
    };
    const next = (state: Conversation, body: ChangeBody) => fold(state, { ...body, v: state.v + 1, at: 1 });
    drawn.update(next(base, mine));
    expect(drawn.order).toEqual(['e0', 'e1', 'open', 'mine']);
    const later = next(base, other);
    expect([...drawn.update(next(later, mine))].sort()).toEqual(['mine', 'other']);
    expect(drawn.order).toEqual(['e0', 'e1', 'open', 'other', 'mine']);
    expect(drawn.entry('mine')).toMatchObject({ id: 'mine', seq: 4 });
    expect([...drawn.update(later)]).toEqual(['mine']);
    expect(drawn.entry('mine')).toBeUndefined();
    drawn.update(next(base, mine));
    drawn.update(later);
    expect(drawn.entry('mine')).toBeUndefined();
    expect(drawn.order).toEqual(['e0', 'e1', 'open', 'other']);
  });

  test('M3 an older page goes before what is loaded', () => {
    const whole = conversation(10 * CHUNK);
    const drawn = new EntryOrder();
    const load = (from: number) => drawn.update({ ...whole, from, entries: dropBefore(whole.entries, from) });
    const ids = Array.from({ length: 10 * CHUNK }, (_, at) => `e${at}`);
    for (const from of [8 * CHUNK, 5 * CHUNK + 7, 5 * CHUNK, 3, 0]) {
      load(from);
      expect(drawn.order).toEqual([...ids.slice(from), 'open']);
      expect(drawn.entry(`e${from}`)).toMatchObject({ seq: from });
    }
  });
});
