import { createGate } from '@tugdeck/drivers/kit/scripted';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { foldAll } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { expect, test, vi } from 'vitest';
import { hostFixture, refold } from './host-fixture.ts';

const noSpace = () => Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' });

/** The same turn in the agent's file. */
function record(prompt: string): Conversation {
  const bodies = [
    { kind: 'prompt.accepted', prompt: { id: prompt, text: 'go' } },
    { kind: 'turn.started', turn: 't', origin: 'user', prompts: [prompt] },
    { kind: 'entry.opened', entry: { kind: 'text', id: 'a', status: 'complete', text: 'One. Two.' } },
    { kind: 'entry.opened', entry: { kind: 'text', id: 'b', status: 'complete', text: 'Three.' } },
  ];
  return foldAll(
    EMPTY,
    bodies.map((body, at) => ({ ...body, v: at + 1, at: 1 }) as Change),
  );
}

const texts = (state: Conversation) =>
  [...entriesFrom(state.entries)].flatMap((entry) =>
    entry.kind === 'text' || entry.kind === 'notice' ? [`${entry.status}: ${entry.text}`] : [],
  );

test('H5 H12 on a full disk, pages show what is not saved; with space again, it comes from the agent’s file', async () => {
  const [half, rest, driverExited] = [createGate(), createGate(), createGate()];
  let isFull = false;
  let prompt = '';
  const { host, client, command, lines, until } = hostFixture(
    {
      start: () => [
        { step: 'emit', outputs: [{ kind: 'session.described', facts: { agentSession: 's' } }] },
        { step: 'ready' },
      ],
      turn: () => [
        { step: 'delivered' },
        {
          step: 'emit',
          outputs: [
            { kind: 'entry.opened', entry: { kind: 'text', id: 'a', status: 'partial', text: '' } },
            { kind: 'live', entry: 'a', field: 'text', at: 0, text: 'One. ' },
          ],
        },
        { step: 'gate', gate: rest, reached: half },
      ],
    },
    {
      timings: { roomMs: 1, checkpointMs: 60_000 },
      recorded: () => record(prompt),
      // The agent's exit is reported before its children are gone.
      gone: () => driverExited.opened,
      disk: () => {
        if (isFull) throw noSpace();
      },
    },
  );
  prompt = command({ kind: 'prompt.send', text: 'go' }).command;
  await half.opened;
  host.handle(client, { type: 'watch' });
  isFull = true;
  const waiting = host.waitForSpace(noSpace());
  expect(host.isWaitingForSpace).toBe(true);
  expect(client.messages.findLast(({ type }) => type === 'error')).toMatchObject({
    code: 'DATA_UNWRITABLE',
    message: expect.stringContaining("the end of this turn isn't saved"),
    hint: expect.stringContaining("recovered from Scripted's session file"),
  });
  // Not shown as Working anywhere, though the journal cannot say so yet.
  expect(client.messages.findLast(({ type }) => type === 'summary')).toMatchObject({
    summary: { turn: 'idle', agentState: 'failed' },
  });
  host.handle(client, {
    type: 'command',
    command: { kind: 'agent.restart', id: '00000000-0000-4000-8000-00000000dead' },
  });
  expect(client.messages.at(-1)).toMatchObject({
    code: 'DATA_UNWRITABLE',
    command: expect.stringMatching(/dead$/),
  });
  expect(host.state.turn).not.toBeNull();
  isFull = false;
  // The runner's own handling of the exit must not end the turn before the recovery.
  setImmediate(() => setImmediate(driverExited.open));
  expect(await waiting).toBe(true);
  await until((state) => state.turn === null);
  const shown = [
    'complete: One. Two.',
    "complete: The disk was full, so the agent was stopped. Recovered from Scripted's session file: 1 entry completed above, 1 entry added below.",
    'complete: Three.',
  ];
  expect(texts(host.state)).toEqual(shown);
  expect(texts(refold(lines))).toEqual(shown);
});

test('H24 a summary that was due before the disk was full doesn’t show the stopped session as working', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const [half, rest] = [createGate(), createGate()];
    let isFull = false;
    const { host, client, command } = hostFixture(
      {
        start: () => [{ step: 'ready' }],
        turn: () => [
          { step: 'delivered' },
          {
            step: 'emit',
            outputs: [
              { kind: 'entry.opened', entry: { kind: 'text', id: 'a', status: 'partial', text: '' } },
              { kind: 'live', entry: 'a', field: 'text', at: 0, text: 'One. ' },
            ],
          },
          { step: 'gate', gate: rest, reached: half },
        ],
      },
      {
        timings: { roomMs: 1, checkpointMs: 60_000 },
        disk: () => {
          if (isFull) throw noSpace();
        },
      },
    );
    const summaries = () =>
      client.messages.flatMap((message) => (message.type === 'summary' ? [message.summary] : []));
    host.handle(client, { type: 'watch' });
    command({ kind: 'prompt.send', text: 'go' });
    await half.opened;
    expect(summaries().at(-1)).toMatchObject({ turn: 'running' });
    isFull = true;
    const waiting = host.waitForSpace(noSpace());
    const stopped = { turn: 'idle', agentState: 'failed', waiting: 0 };
    expect(summaries().at(-1)).toMatchObject(stopped);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(summaries().at(-1)).toMatchObject(stopped);
    // A new server asks for it.
    host.handle(client, { type: 'watch' });
    expect(summaries().at(-1)).toMatchObject(stopped);
    isFull = false;
    expect(await waiting).toBe(true);
    expect(summaries().at(-1)).toMatchObject({ turn: 'idle', lastTurn: 'error' });
  } finally {
    vi.useRealTimers();
  }
});

test('H5 a permanent disk error ends the host', async () => {
  const { host } = hostFixture();
  expect(await host.waitForSpace(Object.assign(noSpace(), { code: 'EFBIG' }))).toBe(false);
  expect(host.isWaitingForSpace).toBe(false);
});
