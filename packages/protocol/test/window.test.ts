import { describe, expect, it } from 'vitest';
import type { Change, ChangeBody } from '../src/conversation/changes.ts';
import { CHUNK, entriesFrom, entryAt } from '../src/conversation/entry-store.ts';
import { fold, foldAll } from '../src/conversation/fold.ts';
import { settleOpen, withWholeText } from '../src/conversation/settle.ts';
import {
  type Conversation,
  EMPTY,
  entryById,
  KINDS_OF_DRIFT,
  openEntries,
  promptUnderway,
  RECEIPTS,
  TURNS,
  turnState,
} from '../src/conversation/state.ts';
import { fromSnapshot, type Page, takeSnapshot, trim, withPage } from '../src/conversation/window.ts';

function applyBodies(state: Conversation, ...bodies: ChangeBody[]): Conversation {
  return foldAll(
    state,
    bodies.map((body, index) => ({ ...body, v: state.v + 1 + index, at: 1 }) as Change),
  );
}

function text(id: string, status: 'partial' | 'complete' = 'complete'): ChangeBody {
  return { kind: 'entry.opened', entry: { id, kind: 'text', status, text: `text ${id}` } };
}

function many(count: number): Conversation {
  return applyBodies(EMPTY, ...Array.from({ length: count }, (_, index) => text(`e${index}`)));
}

function window(state: Conversation, tail: number): Conversation {
  return fromSnapshot(takeSnapshot(state, { tail, receipts: false }));
}

function pageOf(state: Conversation, from: number, to: number): Page {
  const entries = [...entriesFrom(state.entries, from)].filter(({ seq }) => seq < to);
  return { v: state.v, from, to, entries };
}

const seqs = (state: Conversation) => [...entriesFrom(state.entries)].map(({ seq }) => seq);
const patch = (entry: string, value: string): ChangeBody => ({
  kind: 'entry.patched',
  entry,
  patch: { text: value },
});

describe('snapshots', () => {
  it('M3 contain the last entries and every open one', () => {
    const state = applyBodies(
      applyBodies(EMPTY, text('open', 'partial')),
      ...Array.from({ length: 300 }, (_, n) => text(`e${n}`)),
    );
    const snapshot = takeSnapshot(state, { tail: 3, receipts: false });
    expect(snapshot.from).toBe(298);
    expect(snapshot.entries.map(({ seq }) => seq)).toEqual([0, 298, 299, 300]);
    expect(openEntries(fromSnapshot(snapshot)).map(({ id }) => id)).toEqual(['open']);
  });

  it('M4 contain receipts only on request', () => {
    const state = fold(EMPTY, { kind: 'turn.cancelling', v: 1, at: 1, cause: 'c1' });
    expect(takeSnapshot(state, { tail: 0, receipts: true }).receipts).toEqual(['c1']);
    expect(takeSnapshot(state, { tail: 0, receipts: false }).receipts).toEqual([]);
  });

  it('M3 of a window reach no further back than the window', () => {
    expect(takeSnapshot(window(many(300), 10), { tail: 100, receipts: false }).from).toBe(290);
  });
});

describe('pages', () => {
  it('M3 that adjoin the window extend it, others only add', () => {
    const full = many(300);
    const state = window(full, 10);
    const apart = withPage(state, pageOf(full, 100, 200));
    expect(apart.from).toBe(290);
    expect(entryAt(apart.entries, 150)?.id).toBe('e150');
    const joined = withPage(apart, pageOf(full, 200, 290));
    expect(joined.from).toBe(200);
    expect(withPage(joined, pageOf(full, 0, 250)).from).toBe(0);
  });

  it('M3 of two copies the higher rev wins', () => {
    const full = many(20);
    const old = pageOf(full, 0, 20);
    const newer = applyBodies(full, patch('e3', 'new'));
    const held = withPage(newer, old);
    expect(entryById(held, 'e3')).toMatchObject({ text: 'new', rev: 1 });
    const behind = { ...window(full, 5), v: newer.v };
    expect(entryById(withPage(behind, pageOf(newer, 0, 15)), 'e3')).toMatchObject({ text: 'new', rev: 1 });
  });

  it('M3 rejects a page that lacks a skipped change, and takes one read after it', () => {
    const full = many(20);
    const before = pageOf(full, 0, 15);
    const change = { ...patch('e3', 'late'), v: full.v + 1, at: 1 } as Change;
    const later = fold(full, change);
    const state = fold(window(full, 5), change);
    expect(withPage(state, before)).toBe(state);
    expect(entryById(withPage(state, pageOf(later, 0, 15)), 'e3')).toMatchObject({ text: 'late', rev: 1 });
  });

  it('M3 rejects a page from before a snapshot, which skipped changes', () => {
    const full = many(20);
    const later = window(applyBodies(full, patch('e3', 'late')), 5);
    expect(withPage(later, pageOf(full, 0, 15))).toBe(later);
  });

  it('M3 takes a page read later than the window, and does not apply its changes again', () => {
    const full = many(20);
    const changes = [patch('e3', 'one'), patch('e18', 'two'), patch('e3', 'three')].map(
      (body, index) => ({ ...body, v: full.v + 1 + index, at: 1 }) as Change,
    );
    const later = foldAll(full, changes);
    const early = withPage(window(full, 5), pageOf(later, 0, 15));
    const state = foldAll(early, changes);
    expect(entryById(state, 'e3')).toEqual(entryById(later, 'e3'));
    expect(entryById(state, 'e18')).toEqual(entryById(later, 'e18'));
    expect(state.ahead).toEqual([]);
    const next = { ...patch('e3', 'four'), v: later.v + 1, at: 1 } as Change;
    expect(entryById(fold(state, next), 'e3')).toEqual(entryById(fold(later, next), 'e3'));
  });

  it('M3 an entry that a page reopens is open', () => {
    const sent = applyBodies(EMPTY, { kind: 'prompt.accepted', prompt: { id: 'u', text: 'x' } });
    const full = applyBodies(sent, ...Array.from({ length: 20 }, (_, n) => text(`e${n}`)));
    expect(promptUnderway(window(full, 3))?.id).toBe('u');
    const lost = { ...window(full, 3), open: {}, entries: [] };
    expect(promptUnderway(withPage(lost, pageOf(full, 0, 18)))?.id).toBe('u');
  });
});

describe('trimming', () => {
  it('M3 drops whole chunks and keeps open entries', () => {
    const opened = applyBodies(EMPTY, text('open', 'partial'));
    const state = applyBodies(opened, ...Array.from({ length: 5 * CHUNK }, (_, n) => text(`e${n}`)));
    const trimmed = trim(state, 10);
    expect(trimmed.from).toBe(4 * CHUNK);
    expect(entryById(trimmed, 'open')?.seq).toBe(0);
    expect(seqs(trimmed)).toEqual([...Array(CHUNK).keys(), ...seqs(state).slice(4 * CHUNK)]);
    expect(trim(trimmed, 10)).toBe(trimmed);
    expect(trim(trimmed, 100_000)).toBe(trimmed);
  });

  it('M3 never claims that missing entries are loaded', () => {
    const state = window(many(3 * CHUNK), CHUNK + 20);
    const trimmed = trim(state, CHUNK + 10);
    expect(trimmed.from).toBe(state.from);
    for (let seq = trimmed.from; seq < trimmed.nextSeq; seq++)
      expect(entryAt(trimmed.entries, seq)).toBeDefined();
  });

  it('M1 a reused id gets the same seq in every window', () => {
    const full = many(3 * CHUNK);
    const again = text('e0', 'partial');
    expect(applyBodies(trim(full, 5), again).nextSeq).toBe(applyBodies(full, again).nextSeq);
    expect(applyBodies(window(full, 5), again).open).toEqual(applyBodies(full, again).open);
  });
});

describe('bounds', () => {
  it('X2 receipts, turns and kinds of drift are limited', () => {
    let state = EMPTY;
    const next = (body: ChangeBody, cause?: string) => {
      state = fold(state, { ...body, v: state.v + 1, at: 1, cause } as Change);
    };
    for (let index = 0; index < RECEIPTS + 50; index++) {
      next({ kind: 'drift.counted', what: `kind ${index}` }, `c${index}`);
      next({ kind: 'turn.started', turn: `t${index}`, origin: 'agent', prompts: [] });
    }
    expect(state.receipts).toHaveLength(RECEIPTS);
    expect(state.receipts.at(-1)).toBe(`c${RECEIPTS + 49}`);
    expect(state.turns).toHaveLength(TURNS);
    expect(state.unrecognized.count).toBe(RECEIPTS + 50);
    expect(Object.keys(state.unrecognized.kinds)).toHaveLength(KINDS_OF_DRIFT + 1);
    expect(state.unrecognized.kinds.other).toBe(RECEIPTS + 50 - KINDS_OF_DRIFT);
  });
});

describe('undefined fields', () => {
  it('M2 erase nothing, because a wire does not carry them', () => {
    const state = applyBodies(EMPTY, text('a', 'partial'), {
      kind: 'session.described',
      facts: { model: 'm' },
    });
    const erased = { kind: 'entry.patched', entry: 'a', patch: { text: undefined } } as ChangeBody;
    const facts = { kind: 'session.described', facts: { model: undefined } } as ChangeBody;
    const after = applyBodies(state, erased, facts);
    expect(entryById(after, 'a')).toMatchObject({ text: 'text a', rev: 1 });
    expect(after.facts.model).toBe('m');
  });
});

describe('settling', () => {
  const request = { status: 'pending', shown: 'h', title: '', message: '' } as const;
  const tool = { id: 't', kind: 'tool', status: 'partial', name: 'N', title: '', toolKind: 'shell' } as const;
  const left = applyBodies(
    EMPTY,
    { kind: 'turn.started', turn: 't1', origin: 'agent', prompts: [] },
    { kind: 'prompt.accepted', prompt: { id: 'u', text: 'on its way' } },
    text('a', 'partial'),
    { kind: 'entry.opened', entry: { ...tool, state: 'running', output: 'so far' } },
    { kind: 'entry.opened', entry: { id: 'f', kind: 'form', status: 'partial', request } },
    text('done'),
  );

  it.each([
    ['H8', 'cancel', 'cancelled', 'interrupted', 'withdrawn'],
    ['H6', 'crash', 'stale', 'stale', 'stale'],
  ] as const)('%s after a %s only prompts stay open', (_, by, status, state, asked) => {
    expect(turnState(left)).toBe('waiting');
    const settled = applyBodies(left, ...settleOpen(left, by));
    expect(openEntries(settled).map(({ id }) => id)).toEqual(['u']);
    expect(entryById(settled, 'a')).toMatchObject({ status, text: 'text a' });
    expect(entryById(settled, 't')).toMatchObject({ status, state, output: 'so far' });
    expect(entryById(settled, 'f')).toMatchObject({ request: { status: asked } });
    expect(entryById(settled, 'done')).toMatchObject({ status: 'complete', rev: 0 });
    expect(settleOpen(settled, by)).toEqual([]);
  });

  it('H8 can be limited to some entries', () => {
    expect(settleOpen(left, 'cancel', (id) => id === 't')).toMatchObject([{ entry: 't' }]);
  });

  it('M2 a closing change has all streamed text; its own fields take precedence', () => {
    const close = { kind: 'entry.closed', entry: 't', status: 'complete' } as const;
    expect(withWholeText(left, close)).toEqual({ ...close, patch: { output: 'so far' } });
    const own = { ...close, patch: { output: '' } };
    expect(withWholeText(left, own)).toEqual(own);
    expect(withWholeText(left, { kind: 'turn.cancelling' })).toEqual({ kind: 'turn.cancelling' });
  });
});
