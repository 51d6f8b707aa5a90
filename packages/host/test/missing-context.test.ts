// Marks entries missing from the agent's transcript: a file that lost its end, and one that was rewound.

import { missingFrom } from '@tugdeck/drivers/claude/missing-entries';
import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { fold } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY, entryById } from '@tugdeck/protocol/conversation/state';
import { expect, test } from 'vitest';
import { markMissing } from '../src/missing-context.ts';

const said = (id: string, parentUuid: string | null) => ({
  type: 'user',
  uuid: id,
  parentUuid,
  message: { content: id },
});
const answer = (id: string, parentUuid: string) => ({
  type: 'assistant',
  uuid: `line-${id}`,
  parentUuid,
  message: { id, content: [{ type: 'text', text: id }] },
});

function folded(state: Conversation, bodies: readonly ChangeBody[]): Conversation {
  return bodies.reduce((now, body) => fold(now, { ...body, v: now.v + 1, at: 1 } as Change), state);
}

const turn = (prompt: string, answer: string): ChangeBody[] => [
  { kind: 'prompt.accepted', prompt: { id: prompt, text: prompt } },
  { kind: 'prompt.progressed', prompt, delivery: 'delivered' },
  { kind: 'entry.opened', entry: { id: `${answer}:0`, kind: 'text', status: 'complete', text: answer } },
];

const ours = folded(EMPTY, [
  ...turn('p1', 'm1'),
  ...turn('p2', 'm2'),
  ...turn('/cost', 'm3'),
  { kind: 'prompt.accepted', prompt: { id: 'waits', text: 'waits' } },
]);

const whole = [
  said('p1', null),
  answer('m1', 'p1'),
  said('p2', 'line-m1'),
  answer('m2', 'p2'),
  answer('m3', 'line-m2'),
];

const marked = (state: Conversation, lines: Parameters<typeof missingFrom>[0]): [Conversation, string[]] => {
  const after = folded(
    state,
    markMissing(state, (entries) => missingFrom(lines, entries)),
  );
  const ids = ['p1', 'm1:0', 'p2', 'm2:0', '/cost', 'm3:0', 'waits'];
  return [after, ids.filter((id) => (entryById(after, id) as { forgotten?: boolean }).forgotten === true)];
};

test('A42 marks messages the agent no longer has, and unmarks them once it has them', () => {
  expect(marked(ours, whole)[1]).toEqual([]);
  // Killed before its end was on disk.
  const [lost, ids] = marked(ours, whole.slice(0, 3));
  expect(ids).toEqual(['m2:0', 'm3:0']);
  expect(marked(lost, whole)[1]).toEqual([]);
  // Another program went back to the first answer and continued differently.
  const back = [...whole, said('theirs', 'line-m1')];
  expect(marked(ours, back)[1]).toEqual(['p2', 'm2:0', 'm3:0']);
});

test('A42 leaves entries unmarked when the transcript is inconclusive', () => {
  expect(marked(ours, [said('x', null)])[1]).toEqual([]);
  const merged = [
    said('p1', null),
    answer('m1', 'p1'),
    { ...said('last', 'line-m1'), mergedSendUuids: ['p2'] },
  ];
  expect(marked(ours, [...merged, answer('m2', 'last'), answer('m3', 'line-m2')])[1]).toEqual([]);
  const queued = { type: 'attachment', uuid: 'q', parentUuid: 'line-m1', attachment: { prompt: 'p2' } };
  expect(
    marked(ours, [
      said('p1', null),
      answer('m1', 'p1'),
      queued,
      answer('m2', 'q'),
      answer('m3', 'line-m2'),
    ])[1],
  ).toEqual([]);
  const cleared = folded(ours, [
    {
      kind: 'entry.opened',
      entry: { id: 'n', kind: 'notice', status: 'complete', notice: 'fresh', level: 'info', text: 'Cleared' },
    },
  ]);
  expect(marked(cleared, whole.slice(0, 3))[1]).toEqual([]);
});
