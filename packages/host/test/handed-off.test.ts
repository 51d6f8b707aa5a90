/** A session whose directory changed between two hosts (B74). */
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { fold } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { expect, test } from 'vitest';
import { type Fixture, hostFixture, refold } from './host-fixture.ts';

const rested = (count: number) => (state: Conversation) =>
  !state.turn && state.queue.length === 0 && state.turns.length === count;
const kinds = ({ lines }: Fixture) =>
  lines.flatMap((line) => ('changes' in line ? line.changes.map(({ kind }) => kind) : []));
const moves = (fixture: Fixture) => kinds(fixture).filter((kind) => kind === 'workspace.changed').length;

/** The fixture's own directory is `/`. */
const unused = fold(EMPTY, {
  kind: 'session.described',
  facts: { agent: 'scripted', directory: '/old', agentSession: 'a1' },
  v: 1,
  at: 1,
});
const begun = fold(unused, { kind: 'turn.started', turn: 't', origin: 'agent', prompts: [], v: 2, at: 2 });
const elsewhere = fold(begun, { kind: 'turn.ended', turn: 't', endedBy: 'completed', v: 3, at: 3 });

test('B74 B81 a session without a turn starts in another directory without a notice', () => {
  const fixture = hostFixture({}, { state: unused });
  fixture.host.open();
  expect(fixture.host.state.facts.directory).toBe('/');
  expect([...entriesFrom(fixture.host.state.entries)]).toEqual([]);
  expect(moves(fixture)).toBe(0);
});

test('B74 journals the new directory once, and adds it to the first prompt only', async () => {
  const fixture = hostFixture({}, { state: elsewhere });
  fixture.host.open();
  expect(fixture.host.state.facts.directory).toBe('/');
  expect([...entriesFrom(fixture.host.state.entries)]).toMatchObject([
    { kind: 'notice', text: 'This session now works in / instead of /old.' },
  ]);
  fixture.command({ kind: 'prompt.send', text: '/compact' });
  await fixture.until(rested(2));
  fixture.command({ kind: 'prompt.send', text: 'go on' });
  await fixture.until(rested(3));
  fixture.command({ kind: 'prompt.send', text: 'more' });
  const state = await fixture.until(rested(4));
  const [command, first, second] = fixture.driver.calls.prompts.map(({ text }) => text);
  expect([command, second]).toEqual(['/compact', 'more']);
  expect(first).toMatch(/^go on\n\n\(This session now works in \/ instead of \/old\. Use the files/);
  // The journal has the prompt as the user wrote it.
  expect([...entriesFrom(state.entries)].flatMap((one) => (one.kind === 'user' ? [one.text] : []))).toEqual([
    '/compact',
    'go on',
    'more',
  ]);
  expect(moves(fixture)).toBe(1);
  const again = hostFixture({}, { state: refold(fixture.lines, elsewhere) });
  again.host.open();
  expect(moves(again)).toBe(0);
});
