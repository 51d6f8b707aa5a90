/** Every rule about killed hosts accepts correct evidence and rejects wrong evidence. */
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { expect, test } from 'vitest';
import { judgeKill, KILL_RULES, type KillEvidence } from './kill-judge.ts';
import { contextFromClaude, contextFromCodex } from './model-context.ts';

const entry = (seq: number, more: object) => ({ seq, rev: 0, at: 1, status: 'complete', ...more }) as Entry;
const USER = entry(0, { id: 'p', kind: 'user', text: 'SCN:kill-text n1x1', delivery: 'delivered' });
const HALF = entry(1, { id: 'h', kind: 'text', text: 'Half', status: 'stale', forgotten: true });
const TOOL = entry(2, {
  id: 't',
  kind: 'tool',
  state: 'done',
  input: { command: 'sh note.sh n1x1-a' },
  result: { type: 'terminal', stdout: 'noted n1x1-a', stderr: '' },
});
const TEXT = entry(3, { id: 'a', kind: 'text', text: 'All of it.' });
const ENTRIES = [USER, HALF, TOOL, TEXT];

const RIGHT: KillEvidence = {
  entries: ENTRIES,
  page: ENTRIES,
  exported: 'SCN:kill-text n1x1\nAll of it.',
  context: [
    { kind: 'prompt', text: 'SCN:kill-text n1x1' },
    { kind: 'call', id: 't', text: '{"command":"sh note.sh n1x1-a"}' },
    { kind: 'result', id: 't', text: 'noted n1x1-a' },
    { kind: 'text', text: 'All of it.' },
  ],
  ran: ['n1x1-a'],
  left: [],
};

const DRAWN = ENTRIES.map((one) => ({ id: one.id, text: 'text' in one ? one.text : '' }));

const without = (...gone: Entry[]) => {
  const entries = ENTRIES.filter((one) => !gone.includes(one));
  return { ...RIGHT, entries, page: entries };
};
const instead = (old: Entry, changed: object) => {
  const entries = ENTRIES.map((one) => (one === old ? ({ ...one, ...changed } as Entry) : one));
  return { ...RIGHT, entries, page: entries };
};

test('H12 the judge accepts evidence that agrees', () => {
  expect(judgeKill(RIGHT)).toEqual([]);
  expect(judgeKill({ ...RIGHT, drawn: DRAWN })).toEqual([]);
});

test('H12 the judge accepts an entry that is marked, and all above the notice of a new agent session', () => {
  const isMarked = instead(TOOL, { forgotten: true });
  expect([...KILL_RULES.shownInContext({ ...isMarked, context: RIGHT.context.slice(3) })]).toEqual([]);
  const fresh = entry(4, { id: 'f', kind: 'notice', notice: 'fresh', level: 'warning', text: 'A new one.' });
  const entries = [...ENTRIES, fresh];
  expect([...KILL_RULES.shownInContext({ ...RIGHT, entries, context: [] })]).toEqual([]);
  const later = [...entries, { ...TEXT, seq: 5, id: 'b' } as Entry];
  expect([...KILL_RULES.shownInContext({ ...RIGHT, entries: later, context: [] })]).toHaveLength(1);
});

const WRONG: Readonly<Record<keyof typeof KILL_RULES, readonly KillEvidence[]>> = {
  contextShown: [
    without(TEXT),
    without(TOOL),
    instead(TEXT, { text: 'All' }),
    instead(TOOL, { state: 'running' }),
    instead(TOOL, { result: undefined }),
    { ...RIGHT, entries: [USER, TEXT, TOOL] },
    { ...RIGHT, exported: 'SCN:kill-text n1x1' },
  ],
  shownInContext: [instead(HALF, { forgotten: false }), { ...RIGHT, context: RIGHT.context.slice(0, 3) }],
  ranShown: [{ ...RIGHT, ran: ['n1x1-a', 'n1x1-b'] }],
  shownOnce: [{ ...RIGHT, entries: [...ENTRIES, { ...TEXT, id: 'b' }] }],
  nothingOpen: [instead(TEXT, { status: 'partial' })],
  pageAgrees: [
    { ...RIGHT, page: [USER, TOOL, TEXT] },
    { ...RIGHT, page: [USER, HALF, { ...TOOL, rev: 1 }, TEXT] },
  ],
  nothingLeft: [{ ...RIGHT, left: ['tail -f'] }],
  drawnAgrees: [
    { ...RIGHT, drawn: DRAWN.slice(1) },
    { ...RIGHT, drawn: DRAWN.toReversed() },
    { ...RIGHT, drawn: DRAWN.map(({ id }) => ({ id, text: '' })) },
  ],
};

test('H12 the judge knows a call by its id, also behind the id of a thread', () => {
  const prefixed = instead(TOOL, { id: `thread/${TOOL.id}` });
  expect(judgeKill({ ...prefixed, page: prefixed.entries, drawn: undefined })).toEqual([]);
});

test.each(Object.entries(WRONG))('H12 the judge finds violations of %s', (name, cases) => {
  for (const evidence of cases) {
    expect([...KILL_RULES[name as keyof typeof KILL_RULES](evidence)]).not.toEqual([]);
  }
});

test('H12 the model’s knowledge is read from requests of both APIs', () => {
  const context = [
    { kind: 'prompt', text: 'SCN:kill-text n1x1' },
    { kind: 'text', text: 'Yes.' },
    { kind: 'call', id: 't', text: '{"cmd":"ls"}' },
    { kind: 'result', id: 't', text: 'out' },
  ];
  expect(
    contextFromClaude({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: '<x>' },
            { type: 'text', text: 'SCN:kill-text n1x1' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Yes.' },
            { type: 'tool_use', id: 't', input: { cmd: 'ls' } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'out' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'No response requested.' }] },
      ],
    }),
  ).toEqual(context);
  expect(
    contextFromCodex({
      input: [
        { type: 'message', role: 'developer', content: [{ text: 'SCN:kill-text n1x1' }] },
        { type: 'message', role: 'user', content: [{ text: 'SCN:kill-text n1x1' }] },
        { type: 'message', role: 'assistant', content: [{ text: 'Yes.' }] },
        { type: 'function_call', call_id: 't', arguments: '{"cmd":"ls"}' },
        { type: 'function_call_output', call_id: 't', output: 'out' },
      ],
    }),
  ).toEqual(context);
});
