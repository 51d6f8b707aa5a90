import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { foldAll } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY, entryById } from '@tugdeck/protocol/conversation/state';
import { expect, test } from 'vitest';
import { type Recovery, type RecoveryOptions, recoveryChanges } from '../src/recovery.ts';

function applyBodies(state: Conversation, ...bodies: ChangeBody[]): Conversation {
  return foldAll(
    state,
    bodies.map((body, at) => ({ ...body, v: state.v + at + 1, at: 1 }) as Change),
  );
}

const OPTIONS: RecoveryOptions = {
  label: 'Scripted',
  why: 'It was killed.',
  now: 1_000,
  readRecord: () => undefined,
  isKnown: () => false,
};

const bodies = ({ changes }: Recovery) => changes.map(({ body }) => body);

test('H6 M2 a successor retracts streamed text that never reached the disk', () => {
  const onDisk = applyBodies(
    EMPTY,
    { kind: 'turn.started', turn: 't', origin: 'agent', prompts: [] },
    {
      kind: 'entry.opened',
      entry: {
        kind: 'tool',
        id: 'a',
        status: 'partial',
        name: 'x',
        title: 'x',
        toolKind: 'shell',
        state: 'preparing',
      },
    },
  );
  const changes = bodies(recoveryChanges(onDisk, OPTIONS));
  const seen = entryById(onDisk, 'a');
  if (seen?.kind !== 'tool') throw new Error('no tool');
  // A page received more than the journal: it must end as the journal does.
  const page = applyBodies(onDisk, {
    kind: 'entry.patched',
    entry: 'a',
    patch: { inputText: '{"comm', output: 'li' },
  });
  const ended = [onDisk, page].map((state) => entryById(applyBodies(state, ...changes), 'a'));
  expect(ended[0]).toMatchObject({ status: 'stale', state: 'stale', inputText: '', output: '' });
  expect({ ...ended[1], rev: 0 }).toEqual({ ...ended[0], rev: 0 });
});

const tool = (id: string, command: string, more: object = {}) =>
  ({
    kind: 'entry.opened',
    entry: {
      kind: 'tool',
      id,
      status: 'partial',
      name: 'Bash',
      title: command,
      toolKind: 'shell',
      state: 'running',
      input: { command },
      ...more,
    },
  }) as ChangeBody;
const words = (id: string, text: string, status: 'partial' | 'complete' = 'complete', more: object = {}) =>
  ({ kind: 'entry.opened', entry: { kind: 'text', id, status, text, ...more } }) as ChangeBody;
const done = (id: string, stdout: string) =>
  ({
    kind: 'entry.closed',
    entry: id,
    status: 'complete',
    patch: { state: 'done', result: { type: 'terminal', stdout, stderr: '', exitCode: 0 } },
  }) as ChangeBody;
const turn = (prompt: string, text: string): ChangeBody[] => [
  { kind: 'prompt.accepted', prompt: { id: prompt, text } },
  { kind: 'turn.started', turn: `turn-${prompt}`, origin: 'user', prompts: [prompt] },
  { kind: 'prompt.progressed', prompt, delivery: 'delivered' },
];

/** The entries after the recovery, one line each. */
function recovered(
  half: Conversation,
  record: Conversation | undefined,
  options: Partial<RecoveryOptions> = {},
) {
  const isKnown = (id: string) => entryById(half, id) !== undefined;
  const recovery = recoveryChanges(half, { ...OPTIONS, isKnown, readRecord: () => record, ...options });
  const state = applyBodies(half, ...bodies(recovery));
  const lines = [...entriesFrom(state.entries)].map((entry) => {
    const what = entry.kind === 'tool' ? entry.title : 'text' in entry ? entry.text : '';
    const mark = 'forgotten' in entry && entry.forgotten ? ' (not known)' : '';
    return `${entry.kind} ${entry.kind === 'user' ? entry.delivery : entry.status}: ${what}${mark}`;
  });
  return { state, lines };
}

test('H21 completes interrupted entries from the agent’s record and adds missing ones below a notice, in order', () => {
  const half = applyBodies(
    EMPTY,
    ...turn('p', 'go'),
    words('m1:0', 'I be', 'partial'),
    tool('t1', 'sleep 9'),
    tool('t2', 'preparing', { input: undefined, state: 'preparing' }),
  );
  const record = applyBodies(
    EMPTY,
    ...turn('p', 'go'),
    words('m1:0', 'I begin.'),
    tool('t1', 'sleep 9'),
    done('t1', 'slept'),
    tool('t2', 'ls', { state: 'stale', status: 'stale' }),
    tool('t3', 'make'),
    done('t3', 'made'),
    words('m2:0', 'All done.'),
    words('c:0', 'from below', 'complete', { parent: 't3' }),
  );
  const { state, lines } = recovered(half, record);
  expect(lines).toEqual([
    'user delivered: go',
    'text complete: I begin.',
    'tool complete: sleep 9',
    'tool stale: ls',
    "notice complete: It was killed. Recovered from Scripted's session file: 2 entries completed above, 3 entries added below.",
    'tool complete: make',
    'text complete: All done.',
    'text complete: from below',
  ]);
  expect(entryById(state, 't1')).toMatchObject({ state: 'done', result: { stdout: 'slept' } });
  expect(entryById(state, 't2')).toMatchObject({ state: 'stale', input: { command: 'ls' } });
  expect(entryById(state, 'c:0')).toMatchObject({ parent: 't3', turn: 'turn-p' });
  expect(state.turn).toBeNull();
  // A host killed during recovery recovers again: nothing is duplicated.
  const again = recovered(applyBodies(half, words('m2:0', 'All done.')), record);
  expect(again.lines.filter((line) => line.includes('All done.'))).toHaveLength(1);
});

test('H21 matches an agent without ids by prompt, beginnings of texts and order of tools', () => {
  const half = applyBodies(
    EMPTY,
    ...turn('p0', 'same words'),
    words('old', 'An old answer.'),
    { kind: 'turn.ended', turn: 'turn-p0', endedBy: 'completed' },
    ...turn('p', 'same words'),
    words('x-1', 'First. Second.'),
    tool('x-2', 'run a'),
    words('x-3', 'Half of', 'partial'),
  );
  const record = applyBodies(
    EMPTY,
    ...turn('r0', 'same words'),
    words('i0', 'An old answer.'),
    ...turn('r1', 'same words\nand an attachment'),
    words('i1', 'First.'),
    words('i2', 'Second.'),
    tool('call-1', 'sh -c run a'),
    done('call-1', 'ran'),
    words('i3', 'Half of the truth.'),
    tool('call-2', 'run b', { status: 'stale', state: 'stale' }),
  );
  const { state, lines } = recovered(half, record);
  expect(lines.slice(2)).toEqual([
    'user delivered: same words',
    'text complete: First. Second.',
    'tool complete: run a',
    'text complete: Half of the truth.',
    "notice complete: It was killed. Recovered from Scripted's session file: 2 entries completed above, 1 entry added below.",
    'tool stale: run b',
  ]);
  expect(entryById(state, 'x-2')).toMatchObject({ input: { command: 'run a' }, result: { stdout: 'ran' } });
});

test('H21 M5 marks text missing from the record, and learns from it that a prompt arrived', () => {
  const half = applyBodies(
    EMPTY,
    { kind: 'prompt.accepted', prompt: { id: 'p', text: 'go' } },
    { kind: 'prompt.progressed', prompt: 'p', delivery: 'sending' },
    { kind: 'turn.started', turn: 'turn-p', origin: 'user', prompts: ['p'] },
    words('m:0', 'Half', 'partial'),
  );
  const foreign = applyBodies(
    EMPTY,
    ...turn('p', 'go'),
    ...turn('q', 'of another program'),
    words('f', 'elsewhere'),
  );
  expect(recovered(half, foreign).lines).toEqual([
    'user delivered: go',
    'text stale: Half (not known)',
    "notice complete: It was killed. Scripted's session file has nothing more of this turn. A step that it had just begun may be missing.",
  ]);
  expect(recovered(half, EMPTY).lines.slice(0, 2)).toEqual([
    'user doubted: go',
    'text stale: Half (not known)',
  ]);
});

test('H21 marks a prompt only if the record lacks its whole turn: several may be merged there', () => {
  const half = applyBodies(
    EMPTY,
    ...turn('p', 'go'),
    { kind: 'prompt.accepted', prompt: { id: 'q', text: 'and this', steer: true } },
    { kind: 'turn.joined', turn: 'turn-p', prompt: 'q' },
    { kind: 'prompt.progressed', prompt: 'q', delivery: 'delivered' },
  );
  expect(recovered(half, applyBodies(EMPTY, ...turn('p', 'go'))).lines.slice(0, 2)).toEqual([
    'user delivered: go',
    'user delivered: and this',
  ]);
  expect(recovered(half, EMPTY).lines.slice(0, 2)).toEqual([
    'user delivered: go (not known)',
    'user delivered: and this (not known)',
  ]);
});

test('H21 A42 marks finished steps that the agent had not saved, and none before a known entry', () => {
  const half = applyBodies(
    EMPTY,
    ...turn('p', 'go'),
    tool('other-form', 'pwd'),
    done('other-form', '/'),
    words('m:0', 'Both.'),
    tool('a', 'make'),
    done('a', 'made'),
    tool('b', 'sleep 9'),
  );
  const record = applyBodies(EMPTY, ...turn('p', 'go'), words('m:0', 'Both.'));
  expect(recovered(half, record).lines.slice(0, 5)).toEqual([
    'user delivered: go',
    'tool complete: pwd',
    'text complete: Both.',
    'tool complete: make (not known)',
    'tool stale: sleep 9',
  ]);
});

test('H22 says that nothing is known if the agent keeps no file', () => {
  const half = applyBodies(EMPTY, ...turn('p', 'go'), words('m:0', 'Half', 'partial'));
  expect(recovered(half, undefined).lines).toEqual([
    'user delivered: go',
    'text stale: Half',
    "notice complete: It was killed. Tugdeck can't read a session file of Scripted, so anything it did after that isn't known here.",
  ]);
});
