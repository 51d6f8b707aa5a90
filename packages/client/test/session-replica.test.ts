/** Which snapshots are applied: versions are compared only within one edition. */
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { takeSnapshot } from '@tugdeck/protocol/conversation/window';
import { expect, test } from 'vitest';
import { SessionReplica } from '../src/session-replica.ts';

function snapshotOf(v: number, title: string, edition?: string) {
  const state = { ...EMPTY, v, facts: { agentTitle: title }, ...(edition === undefined ? {} : { edition }) };
  return { type: 'snapshot', snapshot: takeSnapshot(state, { tail: 1, receipts: false }) } as const;
}

function replicaAt(v: number, edition?: string): SessionReplica {
  const replica = new SessionReplica({ request: () => undefined, now: () => 0 });
  replica.connected();
  replica.receive(snapshotOf(v, 'first', edition));
  return replica;
}

test('A40 M2 applies a snapshot of another edition even if its version is lower', () => {
  const replica = replicaAt(40, 'of a file');
  replica.receive(snapshotOf(4, 'second'));
  expect(replica.state).toMatchObject({ v: 4, facts: { agentTitle: 'second' } });
  expect(replica.state.edition).toBeUndefined();
});

test('M2 ignores a late older snapshot of the same edition', () => {
  const replica = replicaAt(40);
  replica.receive(snapshotOf(4, 'second'));
  expect(replica.state).toMatchObject({ v: 40, facts: { agentTitle: 'first' } });
});
