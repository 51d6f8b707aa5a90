import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { expect, test } from 'vitest';
import { afterRestore } from '../src/sessions/after-restore.ts';

const turn = { id: 't', firstSeq: 3, prompts: ['p'], startedAt: 1 } as never;
const restore = (seq: number, conversation: boolean) => ({
  id: 'r',
  at: 1,
  target: { entry: 'p' },
  parts: { files: true, conversation },
  state: 'done' as const,
  seq,
});

test("T18 T25 send says what the agent doesn't know after a restore, until it has a turn", () => {
  const state = { ...EMPTY, turns: [turn] };
  expect(afterRestore(state, 's')).toEqual([]);
  const told = { ...state, memory: { kind: 'told' as const, upTo: 3 } };
  expect(afterRestore(told, 's')).toEqual([expect.stringMatching(/earlier messages.*sessions export s$/)]);
  expect(afterRestore({ ...state, restores: [restore(5, false)] }, 's')).toEqual([
    expect.stringContaining('Files were restored'),
  ]);
  expect(afterRestore({ ...state, restores: [restore(5, true)] }, 's')).toEqual([]);
  expect(afterRestore({ ...state, restores: [restore(2, false)] }, 's')).toEqual([]);
});
