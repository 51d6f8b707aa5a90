/** Which snapshots are applied: versions are compared only within one edition. */
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { takeSnapshot } from '@tugdeck/protocol/conversation/window';
import { expect, test } from 'vitest';
import { SessionReplica } from '../src/session-replica.ts';

function told(v: number, title: string, edition?: string) {
  const state = { ...EMPTY, v, facts: { agentTitle: title }, ...(edition === undefined ? {} : { edition }) };
  return { type: 'snapshot', snapshot: takeSnapshot(state, { tail: 1, receipts: false }) } as const;
}

function followed(v: number, edition?: string): SessionReplica {
  const follower = new SessionReplica({ request: () => undefined, now: () => 0 });
  follower.connected();
  follower.receive(told(v, 'first', edition));
  return follower;
}

test('A40 M2 applies a snapshot of another edition even if its version is lower', () => {
  const follower = followed(40, 'of a file');
  follower.receive(told(4, 'second'));
  expect(follower.state).toMatchObject({ v: 4, facts: { agentTitle: 'second' } });
  expect(follower.state.edition).toBeUndefined();
});

test('M2 ignores a late older snapshot of the same edition', () => {
  const follower = followed(40);
  follower.receive(told(4, 'second'));
  expect(follower.state).toMatchObject({ v: 40, facts: { agentTitle: 'first' } });
});
