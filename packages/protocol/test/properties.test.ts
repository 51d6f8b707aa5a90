import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change } from '../src/conversation/changes.ts';
import { decide } from '../src/conversation/decide.ts';
import { CHUNK, entriesFrom, entryAt } from '../src/conversation/entry-store.ts';
import { classifyChange, fold, foldAll, foldAppend } from '../src/conversation/fold.ts';
import { type Conversation, EMPTY } from '../src/conversation/state.ts';
import { fromSnapshot, snapshotSchema, takeSnapshot, trim } from '../src/conversation/window.ts';
import { stableText } from '../src/ids.ts';
import {
  createRandom,
  createRandomHost,
  differences,
  randomCommand,
  randomConversation,
  type Step,
  sharedText,
} from './random-conversation.ts';

const runs = (numRuns: number) => ({ seed: 20260101, numRuns });
const seeds = fc.integer({ min: 1, max: 1_000_000 });

function follow(state: Conversation, steps: readonly Step[]): Conversation {
  let followed = state;
  for (const step of steps) {
    followed =
      step.type === 'changes' ? foldAll(followed, step.changes) : step.appends.reduce(foldAppend, followed);
  }
  return followed;
}

/** As read from a wire or a file. */
function written(state: Conversation, tail: number): Conversation {
  const text = JSON.stringify(takeSnapshot(state, { tail, receipts: true }));
  return fromSnapshot(snapshotSchema.parse(JSON.parse(text)));
}

describe('any snapshot', () => {
  it('M2 plus any overlap equals the full fold', () => {
    fc.assert(
      fc.property(seeds, fc.nat(200), fc.nat(60), fc.nat(300), (seed, point, overlap, tail) => {
        const { steps, final } = randomConversation(seed, 200);
        const at = follow(EMPTY, steps.slice(0, point));
        const state = follow(written(at, tail), steps.slice(Math.max(0, point - overlap)));
        expect(sharedText(state)).toBe(sharedText(final));
        expect(differences(state, final)).toEqual([]);
        expect(state.receipts).toEqual(final.receipts);
      }),
      runs(150),
    );
  });

  it('M3 loses nothing in its window', () => {
    fc.assert(
      fc.property(seeds, fc.nat(300), (seed, tail) => {
        const { final } = randomConversation(seed, 150);
        const state = written(final, tail);
        expect(sharedText(state)).toBe(sharedText(final));
        expect(differences(state, final)).toEqual([]);
      }),
      runs(100),
    );
  });

  it('M3 trimmed any number of times, at any time, still folds to the same state', () => {
    fc.assert(
      fc.property(seeds, fc.nat(40), (seed, keep) => {
        const random = createRandom(seed);
        const { steps, final } = randomConversation(seed, 600);
        let state = EMPTY;
        for (const step of steps) {
          state = follow(state, [step]);
          if (random.chance(0.1)) state = trim(state, keep);
        }
        expect(sharedText(state)).toBe(sharedText(final));
        expect(differences(state, final)).toEqual([]);
      }),
      runs(30),
    );
  });
});

describe('changes', () => {
  it('M2 applied twice change nothing, nor does one that leaves a gap', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { steps } = randomConversation(seed, 120);
        let state = EMPTY;
        for (const step of steps) {
          const before = state;
          state = follow(state, [step]);
          expect(follow(state, [step])).toBe(state);
          if (step.type !== 'changes' || step.changes.length < 2) continue;
          const late = step.changes.at(-1);
          expect(late && fold(before, late)).toBe(before);
        }
      }),
      runs(60),
    );
  });

  it('M1 seq starts at 0 and has no gaps, v has none', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const host = createRandomHost(seed);
        for (let left = 200; left > 0; left--) host.step();
        const seqs = [...entriesFrom(host.state.entries)].map(({ seq }) => seq);
        expect(seqs).toEqual([...seqs.keys()]);
        expect(host.changes.map(({ v }) => v)).toEqual([...host.changes.keys()].map((index) => index + 1));
      }),
      runs(40),
    );
  });

  it('M1 rev grows by one with a durable change of the entry and never with live text', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const host = createRandomHost(seed);
        for (let left = 150; left > 0; left--) {
          const before = host.state;
          const step = host.step();
          const limit = step.type === 'live' ? 0 : step.changes.length;
          for (const entry of entriesFrom(host.state.entries)) {
            const known = entryAt(before.entries, entry.seq);
            if (known && known !== entry) {
              expect(entry.rev - known.rev).toBeGreaterThanOrEqual(0);
              expect(entry.rev - known.rev).toBeLessThanOrEqual(limit);
            }
          }
        }
      }),
      runs(20),
    );
  });
});

describe('prediction', () => {
  it('M4 then confirmation equals confirmation, for any window', () => {
    fc.assert(
      fc.property(seeds, fc.nat(20), (seed, tail) => {
        const host = createRandomHost(seed);
        const random = createRandom(seed + 1);
        for (let left = 80; left > 0; left--) {
          host.step();
          const command = randomCommand(random, host.state);
          const page = written(host.state, Math.max(tail, 1));
          // A page only sends commands about entries that it holds.
          if ('prompt' in command && command.kind !== 'prompt.edit' && !holds(page, command.prompt)) continue;
          const predicted = decide(page, command);
          const confirmed = host.command(command);
          expect(predicted.changes === undefined).toBe(confirmed === undefined);
          if (confirmed?.type !== 'changes' || !predicted.changes) continue;
          const stamped = predicted.changes.map((body, index) => {
            const { v, at, cause } = confirmed.changes[index] as Change;
            return { ...body, v, at, cause } as Change;
          });
          const drawn = foldAll(page, stamped);
          const expected = foldAll(page, confirmed.changes);
          expect(stableText(drawn)).toBe(stableText(expected));
          expect(confirmed.changes.every((change) => classifyChange(drawn, change) === 'seen')).toBe(true);
          expect(sharedText(expected)).toBe(sharedText(host.state));
        }
      }),
      runs(40),
    );
  });
});

function holds(state: Conversation, prompt: string): boolean {
  if (prompt === 'none' || state.queue.some(({ id }) => id === prompt)) return true;
  return [...entriesFrom(state.entries)].some(({ id }) => id === prompt);
}

describe('cost', () => {
  /** A state with `count` closed entries and one that streams. */
  function large(count: number): Conversation {
    let state = EMPTY;
    const notice = { kind: 'notice', status: 'complete', text: '', notice: 'info', level: 'info' } as const;
    for (let v = 1; v <= count; v++) {
      state = fold(state, { kind: 'entry.opened', entry: { ...notice, id: `n${v}` }, v, at: v });
    }
    const entry = { id: 'live', kind: 'text', status: 'partial', text: '' } as const;
    return fold(state, { kind: 'entry.opened', entry, v: count + 1, at: 0 });
  }

  /** Number of blocks, and of chunks in them. */
  function copied(before: Conversation, after: Conversation): { blocks: number; chunks: number } {
    const isNew = <T>(these: readonly T[], those: readonly T[]) =>
      these.filter((one, at) => one !== those[at]).length;
    return {
      blocks: isNew(after.entries, before.entries),
      chunks: isNew(after.entries.flat(), before.entries.flat()),
    };
  }
  const ONE = { blocks: 1, chunks: 1 };

  it.each([100, 20_000])('M3 one delta copies one chunk of one block, even with %i entries', (count) => {
    const state = large(count);
    expect(state.entries.flat()).toHaveLength(Math.floor(count / CHUNK) + 1);
    for (const block of state.entries) expect(block?.length).toBeLessThanOrEqual(64);
    const { v } = state;
    const live = foldAppend(state, { entry: 'live', field: 'text', at: 0, text: 'hello' });
    expect(copied(state, live)).toEqual(ONE);
    expect(live.turns).toBe(state.turns);
    expect(live.open).toBe(state.open);
    const patch = { text: 'late' };
    const late = fold(state, { kind: 'entry.patched', entry: 'n1', patch, v: v + 1, at: 0 });
    expect(copied(state, late)).toEqual(ONE);
    const closed = fold(state, { kind: 'entry.closed', entry: 'live', status: 'complete', v: v + 1, at: 0 });
    expect(copied(state, closed)).toEqual(ONE);
    const expected = fold(state, { kind: 'drift.counted', what: 'x', v: v + 1, at: 0 });
    expect(expected.entries).toBe(state.entries);
  });
});
