import { createGate } from '@tugdeck/drivers/kit/scripted';
import type { HostMessage } from '@tugdeck/protocol/wire/host-link';
import { describe, expect, test } from 'vitest';
import { hostFixture, RecordingClient, refold } from './host-fixture.ts';

type Options = Parameters<typeof hostFixture>[1];

/** The host handles the next command once the answer of the machine is processed. */
const released = () => new Promise(setImmediate);

function slotOf(message: HostMessage | undefined) {
  return message?.type === 'summary' ? message.summary.slot : undefined;
}

/** A host whose machine answers each request for a slot as the test says. */
function managed(answers: ('grant' | number)[], options: Options = {}, script = {}) {
  const fixture = hostFixture(script, { slots: true, ...options });
  const machine = new RecordingClient();
  fixture.host.attach(machine);
  let asked: number | undefined;
  machine.onMessage(() => {
    const slot = slotOf(machine.messages.at(-1));
    if (!slot) asked = undefined;
    if (!slot || slot.since === asked || slot.ahead !== undefined) return;
    asked = slot.since;
    const next = answers.shift();
    if (next === undefined) return;
    const answer = next === 'grant' ? { granted: true } : { granted: false, ahead: next };
    queueMicrotask(() => fixture.host.handle(machine, { type: 'slot', ...answer }));
  });
  fixture.host.handle(machine, { type: 'watch', slots: 'grant' });
  const grant = () => fixture.host.handle(machine, { type: 'slot', granted: true });
  const slot = () => slotOf(machine.messages.findLast(({ type }) => type === 'summary'));
  const send = (text: string, id = crypto.randomUUID()) => {
    fixture.host.handle(fixture.client, { type: 'command', command: { kind: 'prompt.send', id, text } });
    return id;
  };
  return { ...fixture, machine, grant, slot, send };
}

describe('a prompt and the slots of the machine', () => {
  test('D40 with a free slot a prompt is delivered at once and never queued', async () => {
    const session = managed(['grant']);
    session.send('hello');
    await session.until(({ turns, turn }) => turns.length === 1 && !turn);
    const kinds = session.lines
      .flatMap((line) => ('changes' in line ? line.changes : []))
      .map(({ kind }) => kind);
    expect(kinds).toContain('prompt.accepted');
    expect(kinds).not.toContain('prompt.queued');
    expect(session.slot()).toBeUndefined();
  });

  test('D40 without a slot it is queued with its place, starts no agent, and is sent once when granted', async () => {
    const session = managed([2]);
    const id = session.send('later');
    await session.until(({ queue }) => queue.length === 1);
    expect(session.client.messages.findLast(({ type }) => type === 'receipt')).toMatchObject({ command: id });
    expect(session.slot()).toEqual({ since: 1_000, ahead: 2 });
    expect(session.driver.calls.starts).toHaveLength(0);
    session.grant();
    session.grant();
    await session.until(({ turns, turn }) => turns.length === 1 && !turn);
    expect(session.driver.calls.prompts.map(({ text }) => text)).toEqual(['later']);
  });

  test('D40 a queued prompt can be edited and canceled', async () => {
    const session = managed([0]);
    const id = session.send('first');
    await session.until(({ queue }) => queue.length === 1);
    await released();
    session.command({ kind: 'prompt.edit', prompt: id, text: 'second' });
    expect(session.host.state.queue[0]?.text).toBe('second');
    session.command({ kind: 'prompt.withdraw', prompt: id });
    expect(session.slot()).toBeUndefined();
    session.grant();
    expect(session.driver.calls.starts).toHaveLength(0);
  });

  test('D40 each turn takes its own slot: a queued message waits after the first turn', async () => {
    const gate = createGate();
    const reached = createGate();
    const session = managed(
      ['grant', 1],
      {},
      {
        turn: (prompt: { text: string }) =>
          prompt.text === 'one'
            ? [{ step: 'delivered' }, { step: 'gate', gate, reached }, { step: 'end' }]
            : [{ step: 'delivered' }, { step: 'end' }],
      },
    );
    session.send('one');
    await reached.opened;
    session.send('two');
    expect(session.slot()).toBeUndefined();
    gate.open();
    await session.until(({ turns, turn }) => turns.length === 1 && !turn);
    expect(session.host.state.queue).toHaveLength(1);
    expect(session.driver.calls.prompts).toHaveLength(1);
    session.grant();
    await session.until(({ turns, turn }) => turns.length === 2 && !turn);
    expect(session.driver.calls.prompts).toHaveLength(2);
  });

  test('D40 while no server runs a prompt is queued, and the next server finds it', async () => {
    const session = managed([]);
    session.host.detach(session.machine);
    session.send('hold on');
    expect(session.host.state.queue).toHaveLength(1);
    const next = new RecordingClient();
    session.host.attach(next);
    session.host.handle(next, { type: 'watch', slots: 'grant' });
    expect(slotOf(next.messages[0])).toEqual({ since: 1_000 });
    session.host.handle(next, { type: 'slot', granted: true });
    await session.until(({ turns, turn }) => turns.length === 1 && !turn);
  });

  test('D40 H1 while no server runs a session continues with its own queue', async () => {
    const gate = createGate();
    const reached = createGate();
    const session = managed(
      ['grant'],
      {},
      {
        turn: (prompt: { text: string }) =>
          prompt.text === 'one'
            ? [{ step: 'delivered' }, { step: 'gate', gate, reached }, { step: 'end' }]
            : [{ step: 'delivered' }, { step: 'end' }],
      },
    );
    session.send('one');
    await reached.opened;
    session.send('two');
    session.send('three');
    session.host.detach(session.machine);
    gate.open();
    await session.until(({ turns, turn }) => turns.length === 3 && !turn);
    expect(session.driver.calls.prompts.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    // The slot is released with the last of them.
    session.send('four');
    expect(session.host.state.queue).toHaveLength(1);
  });

  test('D40 a killed host leaves the prompt in its journal, and the next one asks for its slot again', async () => {
    const first = managed([3]);
    first.send('survive');
    await first.until(({ queue }) => queue.length === 1);
    const second = managed([], { state: refold(first.lines) });
    expect(second.driver.calls.starts).toHaveLength(0);
    expect(second.slot()).toEqual({ since: 1_000 });
    second.grant();
    await second.until(({ turns, turn }) => turns.length === 1 && !turn);
    expect(second.driver.calls.prompts.map(({ text }) => text)).toEqual(['survive']);
  });

  test('D40 a server that knows no slots gets prompts delivered at once', async () => {
    const session = managed([1]);
    session.send('old times');
    await session.until(({ queue }) => queue.length === 1);
    const old = new RecordingClient();
    session.host.attach(old);
    session.host.handle(old, { type: 'watch' });
    await session.until(({ turns, turn }) => turns.length === 1 && !turn);
  });

  test('D40 after Stop agent the queue waits for the next message', async () => {
    const session = managed([1, 1]);
    session.send('one');
    await session.until(({ queue }) => queue.length === 1);
    await released();
    session.command({ kind: 'agent.stop' });
    expect(session.slot()).toBeUndefined();
    session.send('two');
    await session.until(({ queue }) => queue.length === 2);
    expect(session.slot()?.since).toBe(1_000);
  });
});
