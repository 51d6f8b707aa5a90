/** Rows of a conversation that is loaded page by page, from its end. */
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MadeRows, makeRows, updateRows } from '../src/features/conversation/rows.ts';

const kinds = {
  prompt: { kind: 'user' },
  text: { kind: 'text', status: 'complete' },
  cut: { kind: 'text', status: 'cancelled' },
  read: { kind: 'tool', toolKind: 'read', state: 'done' },
  shell: { kind: 'tool', toolKind: 'shell', state: 'done' },
  retry: { kind: 'notice', notice: 'retry' },
  interrupted: { kind: 'notice', notice: 'interrupted' },
} as const;

interface Shape {
  readonly kind: keyof typeof kinds;
  /** Entries between it and the tool it lies under; 0: under none. */
  readonly under: number;
}

function conversation(shapes: readonly Shape[]): Map<string, Entry> {
  const entries = shapes.map(({ kind, under }, at) => {
    const parent = under > 0 && at >= under ? { parent: `e${at - under}` } : {};
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
