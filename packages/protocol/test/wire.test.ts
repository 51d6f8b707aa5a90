import { describe, expect, it } from 'vitest';
import { appendSchema, changeBodySchema, parseChange } from '../src/conversation/changes.ts';
import { commandSchema, MAX_PROMPT } from '../src/conversation/commands.ts';
import { ENTRY_KINDS, entrySchema, newEntrySchema } from '../src/conversation/entries.ts';
import { hasField } from '../src/conversation/entry-fields.ts';
import { foldAll } from '../src/conversation/fold.ts';
import { EMPTY } from '../src/conversation/state.ts';
import { shortTitle, summarize, summarySchema } from '../src/conversation/summarize.ts';
import { fromSnapshot, snapshotSchema, takeSnapshot } from '../src/conversation/window.ts';
import { contentHash, stableText } from '../src/ids.ts';
import { deckRequestSchema } from '../src/wire/deck.ts';
import { CodedError, reportOf } from '../src/wire/errors.ts';
import { decodeFrame, encodeFrame, FEED } from '../src/wire/frames.ts';
import { hostMessageSchema, hostRequestSchema } from '../src/wire/host-link.ts';
import { createRandomHost, randomConversation } from './random-conversation.ts';

const GARBAGE: readonly unknown[] = [
  undefined,
  null,
  0,
  '',
  'text',
  [],
  [[]],
  {},
  { kind: 1 },
  { kind: '__proto__' },
  { type: 'constructor' },
  { kind: 'entry.opened' },
  { type: 'command', command: {} },
  { type: 'follow', v: -1 },
  { type: 'follow', v: 1.5 },
  { type: 'entries', before: 0, limit: 1e9 },
];

describe('schemas', () => {
  it('M10 reject garbage', () => {
    const schemas = [
      changeBodySchema,
      appendSchema,
      commandSchema,
      entrySchema,
      newEntrySchema,
      snapshotSchema,
    ];
    const wire = [hostMessageSchema, hostRequestSchema, deckRequestSchema, summarySchema];
    for (const schema of [...schemas, ...wire]) {
      for (const value of GARBAGE) expect(schema.safeParse(value).success, JSON.stringify(value)).toBe(false);
    }
    for (const value of GARBAGE) expect(parseChange(value)).toBeUndefined();
  });

  it('M2 accept every change, append, entry and snapshot of a conversation', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const { steps, final } = randomConversation(seed, 300);
      for (const step of steps) {
        if (step.type === 'live')
          for (const append of step.appends) expect(appendSchema.parse(append)).toEqual(append);
        else for (const change of step.changes) expect(parseChange(change)).toEqual(change);
      }
      const snapshot = JSON.parse(JSON.stringify(takeSnapshot(final, { tail: 1_000, receipts: true })));
      expect(snapshotSchema.parse(snapshot)).toEqual(snapshot);
    }
  });

  it('M2 accept a future kind of change, but not an invalid known one', () => {
    const future = { kind: 'weather.changed', v: 1, at: 1, to: 'rain' };
    expect(parseChange(future)).toEqual(future);
    expect(parseChange({ kind: 'weather.changed', v: 0, at: 1 })).toBeUndefined();
    expect(parseChange({ kind: 'turn.started', v: 1, at: 1 })).toBeUndefined();
    const message = { type: 'changes', changes: [future] };
    expect(hostMessageSchema.parse(message)).toEqual(message);
    expect(hostMessageSchema.safeParse({ type: 'changes', changes: [{ kind: 'turn.ended' }] }).success).toBe(
      false,
    );
  });

  it('M4 commands need an id, and prompts have a size limit', () => {
    const id = '00000000-0000-4000-8000-000000000001';
    const send = { kind: 'prompt.send', id, text: 'x'.repeat(MAX_PROMPT) };
    expect(commandSchema.safeParse(send).success).toBe(true);
    expect(commandSchema.safeParse({ ...send, text: `${send.text}x` }).success).toBe(false);
    expect(commandSchema.safeParse({ ...send, id: 'mine' }).success).toBe(false);
    expect(commandSchema.safeParse({ kind: 'turn.cancel' }).success).toBe(false);
  });

  it('M3 a page request has a default length', () => {
    expect(hostRequestSchema.parse({ type: 'entries', before: 5 })).toMatchObject({ limit: 100 });
  });

  it('M10 the kinds of entries are the frozen ones', () => {
    expect(entrySchema.options.map(({ shape }) => shape.kind.value)).toEqual([...ENTRY_KINDS]);
    expect(hasField('tool', 'output') && !hasField('text', 'output')).toBe(true);
  });
});

describe('hashes', () => {
  it('C21 equal data has equal text and hash, whatever the order of its keys', () => {
    expect(stableText({ b: [1, { d: null, c: 'x' }], a: undefined })).toBe('{"b":[1,{"c":"x","d":null}]}');
    expect(contentHash({ a: 1, b: 2 })).toBe(contentHash({ b: 2, a: 1 }));
    expect(contentHash({ a: 1 })).toMatch(/^[0-9a-f]{16}$/);
    expect(stableText(undefined)).toBe('null');
  });

  it('C21 other data has another hash', () => {
    const values = [
      0,
      '0',
      null,
      [],
      {},
      [0],
      { 0: 0 },
      '',
      'a',
      'b',
      ['a', 'b'],
      ['ab'],
      { a: 'b' },
      { b: 'a' },
    ];
    for (let index = 0; index < 5_000; index++) values.push(`rm -rf ./build-${index}`);
    expect(new Set(values.map(contentHash)).size).toBe(values.length);
  });
});

describe('frames', () => {
  it('S1 carry feed, channel and payload', () => {
    const payload = new TextEncoder().encode('{"a":"ä"}');
    const bytes = encodeFrame(FEED.conversationOut, 0xfffffffe, payload);
    expect([...bytes.subarray(0, 5)]).toEqual([0x40, 0xff, 0xff, 0xff, 0xfe]);
    expect(decodeFrame(bytes)).toEqual({ feed: 0x40, channel: 0xfffffffe, payload });
    const within = new Uint8Array(20 + bytes.length);
    within.set(bytes, 20);
    expect(decodeFrame(within.subarray(20))).toEqual(decodeFrame(bytes));
    expect(decodeFrame(encodeFrame(FEED.deck, 0, new Uint8Array()))?.payload).toHaveLength(0);
  });

  it('S1 rejects a frame that is too short for its head', () => {
    for (let length = 0; length < 5; length++) expect(decodeFrame(new Uint8Array(length))).toBeUndefined();
  });
});

describe('errors', () => {
  it('S2 report coded errors as they are, and nothing of others', () => {
    expect(reportOf(new CodedError('DATA_NEWER', 'text', 'hint'))).toEqual({
      code: 'DATA_NEWER',
      message: 'text',
      hint: 'hint',
    });
    expect(JSON.stringify(reportOf(new Error('secret path')))).not.toContain('secret');
    expect(reportOf('thrown')).toMatchObject({ code: 'INTERNAL_ERROR' });
    const full = Object.assign(new Error('at a secret path'), { code: 'SQLITE_FULL' });
    expect(reportOf(full)).toMatchObject({ code: 'DATA_UNWRITABLE' });
    expect(JSON.stringify(reportOf(full))).not.toContain('secret');
  });
});

describe('summaries', () => {
  it('M6 of any state match their schema', () => {
    const host = createRandomHost(3);
    for (let left = 200; left > 0; left--) {
      host.step();
      const summary = summarize(host.state);
      expect(summarySchema.parse(summary)).toEqual(summary);
      expect(summary).toMatchObject({ v: host.state.v, entries: host.state.nextSeq });
    }
  });

  it('M6 the title is the first message until the agent gives one; a window does not invent it', () => {
    const asked = foldAll(EMPTY, [
      { kind: 'prompt.accepted', prompt: { id: 'u1', text: '  fix\n the  build ' }, v: 1, at: 5 },
      { kind: 'turn.started', turn: 't', origin: 'user', prompts: ['u1'], v: 2, at: 6 },
    ]);
    expect(summarize(asked)).toMatchObject({
      title: 'fix the build',
      turn: 'running',
      waiting: 0,
      changedAt: 6,
    });
    const window = fromSnapshot({ ...takeSnapshot(asked, { tail: 5, receipts: false }), from: 1 });
    expect(summarize(window).title).toBeUndefined();
    const named = foldAll(asked, [
      { kind: 'session.described', facts: { agentTitle: 'Build' }, v: 3, at: 7 },
      { kind: 'turn.ended', turn: 't', endedBy: 'limit', v: 4, at: 8 },
    ]);
    expect(summarize(named)).toMatchObject({ title: 'Build', turn: 'idle', lastTurn: 'limit' });
    const endless = foldAll(named, [
      { kind: 'session.described', facts: { agentTitle: 'x'.repeat(2_000_000) }, v: 5, at: 9 },
    ]);
    expect(summarize(endless).title).toHaveLength(300);
    expect(shortTitle('word '.repeat(30))).toHaveLength(50);
    const prompt = 'The greeting looks odd when the name has spaces around it';
    expect(shortTitle(prompt)).toBe('The greeting looks odd when the name has spaces…');
    expect(shortTitle('x'.repeat(60))).toBe(`${'x'.repeat(49)}…`);
  });
});
