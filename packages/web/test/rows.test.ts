/** Rows of a conversation that is loaded page by page, from its end. */
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MadeRows, makeRows, needsUser, pathTo, updateRows } from '../src/features/conversation/rows.ts';

const kinds = {
  prompt: { kind: 'user' },
  text: { kind: 'text', status: 'complete' },
  cut: { kind: 'text', status: 'cancelled' },
  read: { kind: 'tool', toolKind: 'read', state: 'done' },
  shell: { kind: 'tool', toolKind: 'shell', state: 'done' },
  retry: { kind: 'notice', notice: 'retry' },
  interrupted: { kind: 'notice', notice: 'interrupted' },
  permission: { kind: 'permission', request: { status: 'answered' } },
} as const;

interface Shape {
  readonly kind: keyof typeof kinds;
  /** Entries between it and the tool it lies under or is about; 0: none. */
  readonly under: number;
}

function conversation(shapes: readonly Shape[]): Map<string, Entry> {
  const entries = shapes.map(({ kind, under }, at) => {
    const other = under > 0 && at >= under ? `e${at - under}` : undefined;
    const parent = other === undefined ? {} : kind === 'permission' ? { about: other } : { parent: other };
    return [`e${at}`, { id: `e${at}`, ...kinds[kind], ...parent } as unknown as Entry] as const;
  });
  return new Map(entries);
}

/** Loads pages of these sizes from the end, as a reader who scrolls up does. */
function loadUpwards(entries: ReadonlyMap<string, Entry>, sizes: readonly number[]): MadeRows {
  const all = [...entries.keys()];
  let from = all.length;
  let made = makeRows([], () => undefined);
  for (const size of [...sizes, all.length]) {
    from = Math.max(0, from - size);
    const order = all.slice(from);
    const loaded = new Set(order);
    made = updateRows(made, order, (id) => (loaded.has(id) ? entries.get(id) : undefined));
  }
  return made;
}

describe('D20 a permission request', () => {
  const tool = (id: string, own: object = {}) => ({
    id,
    kind: 'tool',
    toolKind: 'read',
    state: 'done',
    ...own,
  });
  const asks = (id: string, about: string, own: object = {}) => ({
    id,
    kind: 'permission',
    about,
    request: { status: 'answered' },
    ...own,
  });
  const rowsOf = (...list: readonly { readonly id: string }[]) => {
    const byId = new Map(list.map((entry) => [entry.id, entry as unknown as Entry]));
    return makeRows([...byId.keys()], (id) => byId.get(id)).rows;
  };

  test('is in the row of its tool, which is never folded into a group', () => {
    expect(rowsOf(tool('t1'), tool('t2'), asks('p2', 't2'), tool('t3'))).toEqual([
      { id: 't1', ids: ['t1'] },
      { id: 't2', ids: ['t2'], permission: 'p2' },
      { id: 't3', ids: ['t3'] },
    ]);
  });

  test('has its own row without its tool, at another level, or before a later request', () => {
    expect(rowsOf(asks('p1', 'gone')).map(({ id }) => id)).toEqual(['p1']);
    expect(rowsOf(tool('t1'), asks('p1', 't1'), asks('p2', 't1'))).toEqual([
      { id: 't1', ids: ['t1'], permission: 'p2' },
      { id: 'p1', ids: ['p1'] },
    ]);
    const nested = rowsOf(tool('t1'), tool('t2'), asks('p2', 't2', { parent: 't1' }));
    expect(nested).toEqual([
      { id: 't1', ids: ['t1'], nested: [{ id: 'p2', ids: ['p2'] }] },
      { id: 't2', ids: ['t2'] },
    ]);
  });

  test('is found by its id and needs the user while it is open', () => {
    const rows = rowsOf(tool('t1'), asks('p1', 't1'));
    expect(pathTo(rows, 'p1')).toEqual(rows);
    const open = { ...asks('p1', 't1'), request: { status: 'pending' } } as unknown as Entry;
    expect(rows.map((row) => needsUser(row, (id) => (id === 'p1' ? open : undefined)))).toEqual([true]);
  });
});

describe('C4 C12 rows of older pages', () => {
  test('are the rows of the whole conversation, wherever the pages begin', () => {
    const shape = fc.record({
      kind: fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])),
      under: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 12 })),
    });
    fc.assert(
      fc.property(
        fc.array(shape, { maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 15 }), { maxLength: 12 }),
        (shapes, sizes) => {
          const entries = conversation(shapes);
          const whole = makeRows([...entries.keys()], (id) => entries.get(id));
          expect(loadUpwards(entries, sizes).rows).toEqual(whole.rows);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('C17 cost only their own entries, however many are loaded', () => {
    const shapes = Array.from(
      { length: 20_000 },
      (_, at): Shape => ({ kind: at % 9 ? 'read' : 'prompt', under: 0 }),
    );
    const entries = conversation(shapes);
    const all = [...entries.keys()];
    const looked: number[] = [];
    let made = makeRows([], () => undefined);
    for (let from = all.length - 100; from >= 0; from -= 100) {
      let count = 0;
      made = updateRows(made, all.slice(from), (id) => {
        count += 1;
        return entries.get(id);
      });
      looked.push(count);
    }
    expect(Math.max(...looked)).toBeLessThan(500);
  });
});
