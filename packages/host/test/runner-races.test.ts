import { createGate, scriptedDriver } from '@tugdeck/drivers/kit/scripted';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { describe, expect, test } from 'vitest';
import { hostFixture } from './host-fixture.ts';

/** Ending the agent's processes takes until `finish` is called. */
function slowEnding() {
  const begun = createGate();
  const gate = createGate();
  return {
    begun: begun.opened,
    finish: gate.open,
    gone: () => {
      begun.open();
      return gate.opened;
    },
  };
}

describe('between the exit of an agent and the end of its children', () => {
  test('H6 a message starts no second agent beside the leftovers, and the next one gets it', async () => {
    const ending = slowEnding();
    const fixture = hostFixture({}, { gone: ending.gone });
    fixture.host.handle(fixture.client, { type: 'wake' });
    await fixture.until(({ agent }) => agent.state === 'connected');
    fixture.driver.die({ code: 1 });
    await ending.begun;
    fixture.command({ kind: 'prompt.send', text: 'hello' });
    expect(fixture.driver.calls.starts).toHaveLength(1);
    ending.finish();
    const state = await fixture.until(({ turns, turn }) => turns.length === 1 && !turn);
    expect(fixture.driver.calls.starts).toHaveLength(2);
    expect(fixture.driver.calls.prompts).toHaveLength(1);
    expect([...entriesFrom(state.entries)].at(-1)).toMatchObject({ text: 'You said: hello' });
  });

  test('L8 a host that is asked to end waits for them', async () => {
    const ending = slowEnding();
    const fixture = hostFixture({}, { gone: ending.gone, timings: { restartMs: 60_000 } });
    fixture.host.handle(fixture.client, { type: 'wake' });
    await fixture.until(({ agent }) => agent.state === 'connected');
    fixture.driver.die({ code: 1 });
    await ending.begun;
    const ended = fixture.host.end();
    await new Promise(setImmediate);
    expect(fixture.ended()).toBe(false);
    ending.finish();
    await ended;
    expect(fixture.ended()).toBe(true);
    expect(fixture.driver.calls.starts).toHaveLength(1);
  });
});

test('M4 an ending host takes no command: the next one gets it', async () => {
  const ending = slowEnding();
  const fixture = hostFixture({}, { gone: ending.gone });
  fixture.host.handle(fixture.client, { type: 'wake' });
  await fixture.until(({ agent }) => agent.state === 'connected');
  const ended = fixture.host.end();
  await ending.begun;
  expect(() => fixture.command({ kind: 'prompt.send', text: 'too late' })).toThrowError('no receipt');
  ending.finish();
  await ended;
  expect([...entriesFrom(fixture.host.state.entries)]).toEqual([]);
});

describe('while an agent is being ended', () => {
  test('H11 a message sent during shutdown restarts the agent and is delivered', async () => {
    const ending = slowEnding();
    const fixture = hostFixture({}, { gone: ending.gone });
    fixture.host.handle(fixture.client, { type: 'wake' });
    await fixture.until(({ agent }) => agent.state === 'connected');
    fixture.command({ kind: 'agent.stop' });
    await ending.begun;
    fixture.command({ kind: 'prompt.send', text: 'one more' });
    ending.finish();
    await fixture.until(({ turns, turn }) => turns.length === 1 && !turn);
    expect(fixture.driver.calls.prompts).toHaveLength(1);
  });

  test('H6 ends an agent that is just starting, and its successor is the only one', async () => {
    const never = createGate();
    const fixture = hostFixture({
      start: (run) => (run === 1 ? [{ step: 'gate', gate: never }] : [{ step: 'ready' }]),
    });
    fixture.host.handle(fixture.client, { type: 'wake' });
    fixture.command({ kind: 'agent.restart' });
    fixture.command({ kind: 'agent.restart' });
    await fixture.until(({ agent }) => agent.state === 'connected');
    await new Promise(setImmediate);
    expect(fixture.driver.calls.starts).toHaveLength(2);
    expect(fixture.driver.calls.ends).toBe(1);
  });
});

test('A24 a synchronous spawn failure is a failed start, not the end of the host', async () => {
  const driver = scriptedDriver();
  const fixture = hostFixture(
    {},
    {
      driver: {
        ...driver,
        start: () => {
          throw Object.assign(new Error('spawn ENOTDIR'), { code: 'ENOTDIR' });
        },
      },
    },
  );
  fixture.command({ kind: 'prompt.send', text: 'hello' });
  const state = await fixture.until(({ agent }) => agent.state === 'failed');
  expect(state.agent.reason).toContain('ENOTDIR');
  expect([...entriesFrom(state.entries)][0]).toMatchObject({ delivery: 'failed' });
});
