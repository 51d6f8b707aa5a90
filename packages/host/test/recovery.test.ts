import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { foldAll } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY, entryById } from '@tugdeck/protocol/conversation/state';
import { expect, test } from 'vitest';
import { type Recovery, type RecoveryOptions, recoveryChanges } from '../src/recovery.ts';

function say(state: Conversation, ...bodies: ChangeBody[]): Conversation {
  return foldAll(
    state,
    bodies.map((body, at) => ({ ...body, v: state.v + at + 1, at: 1 })),
  );
}

const OPTIONS: RecoveryOptions = {
  label: 'Scripted',
  why: 'It was killed.',
  now: 1_000,
  recorded: () => undefined,
  isKnown: () => false,
};

const bodies = ({ changes }: Recovery) => changes.map(({ body }) => body);

test('H6 M2 what was streamed and never reached the disk is taken back by who takes over', () => {
  const onDisk = say(
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
  // A page heard more than the journal: it must end as the journal does.
  const page = say(onDisk, {
    kind: 'entry.patched',
    entry: 'a',
    patch: { inputText: '{"comm', output: 'li' },
  });
  const ended = [onDisk, page].map((state) => entryById(say(state, ...changes), 'a'));
  expect(ended[0]).toMatchObject({ status: 'stale', state: 'stale', inputText: '', output: '' });
  expect({ ...ended[1], rev: 0 }).toEqual({ ...ended[0], rev: 0 });
});
