/** Every rule of the judge accepts correct evidence and rejects wrong evidence: a rule that can't fail proves nothing. */
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { fold } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { summarize } from '@tugdeck/protocol/conversation/summarize';
import { expect, test } from 'vitest';
import { type Evidence, judge, RULES } from './judge.ts';
import { answersTo } from './prompts.ts';
import type { Answered, Sent } from './user.ts';

const NAME = 'n11111111x1';
const SENT: Sent = { id: 'p', name: NAME, kind: 'run', text: `SCN:campaign-run ${NAME}` };
const [ANSWER = ''] = answersTo('claude', SENT);
const TAKEN: Answered = { entry: 'r', by: 'page 1', behavior: 'allow', accepted: true };

function conversation(): Conversation {
  const request = {
    status: 'pending',
    shown: 'h',
    tool: 'Bash',
    toolKind: 'shell',
    title: 'Run it',
    fields: [],
    options: [],
    canEdit: false,
    canComment: false,
  } as const;
  const changes = [
    { kind: 'prompt.accepted', prompt: { id: 'p', text: SENT.text } },
    { kind: 'prompt.progressed', prompt: 'p', delivery: 'delivered' },
    { kind: 'turn.started', turn: 't', origin: 'user', prompts: ['p'] },
    { kind: 'entry.opened', entry: { kind: 'permission', id: 'r', status: 'partial', request } },
    { kind: 'request.settled', entry: 'r', status: 'answered', answer: { behavior: 'allow' }, by: 'page 1' },
    {
      kind: 'entry.opened',
      entry: {
        kind: 'tool',
        id: 'c',
        status: 'complete',
        name: 'Bash',
        title: 'Run it',
        toolKind: 'shell',
        state: 'done',
        input: { command: `echo ${NAME}` },
      },
    },
    { kind: 'entry.opened', entry: { kind: 'text', id: 'a', status: 'partial', text: '' } },
    { kind: 'entry.closed', entry: 'a', status: 'complete', patch: { text: ANSWER } },
    { kind: 'turn.ended', turn: 't', endedBy: 'completed' },
  ] as const;
  return changes.reduce<Conversation>(
    (state, body, at) => fold(state, { ...body, v: at + 1, at: at + 1 } as never),
    EMPTY,
  );
}

function evidence(): Evidence {
  const disk = conversation();
  const entries = [...entriesFrom(disk.entries)];
  return {
    cast: 'claude',
    sent: [SENT],
    answered: [TAKEN, { ...TAKEN, by: 'page 2', behavior: 'deny', accepted: false }],
    disk,
    entries,
    views: [{ name: 'page 1', conversation: disk }],
    fresh: entries,
    row: {
      id: 's',
      project: 'p',
      agent: 'claude',
      title: 't',
      createdAt: 1,
      activeAt: 1,
      archived: false,
      live: true,
      summary: summarize(disk),
    },
    received: new Map([[NAME, 1]]),
    asked: new Map([[NAME, 1]]),
    ran: new Map([[NAME, 1]]),
    indexed: new Map([[NAME, new Set(['p', 'a'])]]),
  };
}

const changed = (id: string, patch: object): Entry[] =>
  evidence().entries.map((entry) => (entry.id === id ? ({ ...entry, ...patch } as Entry) : entry));
const twice = (id: string, as: string): Entry[] =>
  evidence().entries.flatMap((entry) => (entry.id === id ? [entry, { ...entry, id: as }] : [entry]));

test('H5 correct evidence passes every rule', () => {
  expect(judge(evidence())).toEqual([]);
});

/** The defect, the rule that must find it, and the expected text. */
const WRONGS: readonly [what: string, rule: keyof typeof RULES, spoilt: Partial<Evidence>, words: RegExp][] =
  [
    ['a lost prompt', 'promptOnce', { entries: evidence().entries.slice(1) }, /is lost/],
    ['a prompt twice', 'promptOnce', { entries: twice('p', 'p') }, /there 2 times/],
    ['a doubted prompt', 'promptOnce', { entries: changed('p', { delivery: 'doubted' }) }, /is doubted/],
    ['a prompt under another id', 'promptsOnly', { entries: twice('p', 'q') }, /nobody sent/],
    ['a prompt received twice', 'receivedOnce', { received: new Map([[NAME, 2]]) }, /received n\S+ 2 times/],
    ['a prompt never received', 'receivedOnce', { received: new Map() }, /never received/],
    ['a model asked twice', 'askedOnce', { asked: new Map([[NAME, 2]]) }, /2 times/],
    ['a model never asked', 'askedOnce', { asked: new Map() }, /never received/],
    ['a doubled answer', 'answersWhole', { entries: twice('a', 'b') }, /answered 2 times/],
    [
      'an answer doubled in itself',
      'answersWhole',
      { entries: changed('a', { text: ANSWER + ANSWER }) },
      /not the agent's/,
    ],
    [
      'a byte changed',
      'answersWhole',
      { entries: changed('a', { text: ANSWER.replace('Line 7', 'line 7') }) },
      /not the agent's/,
    ],
    [
      'a partial one that was never said',
      'answersWhole',
      { entries: changed('a', { status: 'failed', text: 'Line 2' }) },
      /not the agent's/,
    ],
    ['no answer', 'answersWhole', { entries: evidence().entries.slice(0, -1) }, /has no answer/],
    [
      'an answer without a prompt',
      'answersPlaced',
      { entries: changed('a', { turn: 'other' }) },
      /belongs to no prompt/,
    ],
    ['an open entry', 'nothingOpen', { entries: changed('a', { status: 'partial' }) }, /still open/],
    [
      'a running turn',
      'nothingOpen',
      { disk: { ...conversation(), turn: { id: 't', phase: 'running', cancelling: false } } },
      /still runs/,
    ],
    ['two answers taken', 'requestsOnce', { answered: [TAKEN, { ...TAKEN, by: 'page 2' }] }, /2 answers/],
    ['no answer taken', 'requestsOnce', { answered: [] }, /0 answers/],
    ['the wrong winner', 'requestsOnce', { answered: [{ ...TAKEN, by: 'page 2' }] }, /instead of page 2/],
    ['another answer', 'requestsOnce', { answered: [{ ...TAKEN, behavior: 'deny' }] }, /instead of deny/],
    [
      'a request that is gone',
      'requestsOnce',
      { answered: [TAKEN, { ...TAKEN, entry: 'x', accepted: false }] },
      /is gone/,
    ],
    ['a command run twice', 'ranAsAllowed', { ran: new Map([[NAME, 2]]) }, /ran 2 times/],
    [
      'a command nobody allowed',
      'ranAsAllowed',
      { answered: [{ ...TAKEN, behavior: 'deny' }] },
      /nobody allowed/,
    ],
    ['a command that is not drawn', 'ranShown', { entries: changed('c', { input: {} }) }, /is not shown/],
    [
      'a page behind',
      'pagesAgree',
      { views: [{ name: 'page 1', conversation: { ...conversation(), v: 3 } }] },
      /version 3/,
    ],
    [
      'a page that lacks one',
      'pagesAgree',
      { views: [{ name: 'page 1', conversation: { ...conversation(), entries: EMPTY.entries } }] },
      /shows 0 entries/,
    ],
    [
      'a page with another turn',
      'pagesAgree',
      { views: [{ name: 'page 1', conversation: { ...conversation(), turns: [] } }] },
      /turns/,
    ],
    [
      'a fresh page that lacks one',
      'freshAgrees',
      { fresh: evidence().entries.slice(1) },
      /fresh page shows 3/,
    ],
    ['a fresh page with another text', 'freshAgrees', { fresh: changed('a', { text: 'x' }) }, /instead of/],
    ['a list without the session', 'rowAgrees', { row: undefined }, /does not have it/],
    ['a list that is behind', 'rowAgrees', { disk: { ...conversation(), v: 99 } }, /the list says/],
    ['an index that lacks one', 'indexAgrees', { indexed: new Map([[NAME, new Set(['p'])]]) }, /not find a/],
    [
      'an index with what is gone',
      'indexAgrees',
      { indexed: new Map([[NAME, new Set(['p', 'a', 'z'])]]) },
      /which is gone/,
    ],
  ];

test.each(WRONGS)('H5 the judge finds %s', (_what, rule, spoilt, words) => {
  const found = [...RULES[rule]({ ...evidence(), ...spoilt })].join('\n');
  expect(found).toMatch(words);
});

test('H5 every rule has a case that fails', () => {
  expect(new Set(WRONGS.map(([, rule]) => rule))).toEqual(new Set(Object.keys(RULES)));
});
