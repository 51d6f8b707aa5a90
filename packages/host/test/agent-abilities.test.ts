// Agent capabilities besides answering: steering, options, controls, attachments, session starts.
import { createGate, scriptedDriver } from '@tugdeck/drivers/kit/scripted';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { REFUSALS } from '@tugdeck/protocol/conversation/decide';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { fold } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import type { Query } from '@tugdeck/protocol/wire/host-link';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { QuietWatch } from '../src/quiet-watch.ts';
import { hostFixture, RecordingClient } from './host-fixture.ts';

const entries = (state: Conversation): Entry[] => [...entriesFrom(state.entries)];
const rested = (state: Conversation) => !state.turn && state.queue.length === 0 && state.turns.length > 0;

/** An agent that reports its capabilities, then is ready. */
const able = (facts: object) => () =>
  [{ step: 'emit', outputs: [{ kind: 'session.described', facts }] }, { step: 'ready' }] as const;

describe('steering', () => {
  test('A25 a steered message joins the running turn, and its entry shows it', async () => {
    const gate = createGate();
    const reached = createGate();
    const fixture = hostFixture({
      start: able({ canSteer: true }),
      turn: (prompt) =>
        prompt.text === 'one'
          ? [{ step: 'delivered' }, { step: 'gate', gate, reached }, { step: 'end' }]
          : [{ step: 'delivered' }],
    });
    fixture.command({ kind: 'prompt.send', text: 'one' });
    await reached.opened;
    const { command } = fixture.command({ kind: 'prompt.send', text: 'two', steer: true });
    expect(fixture.driver.calls.prompts.map(({ text, steer }) => ({ text, steer }))).toEqual([
      { text: 'one', steer: undefined },
      { text: 'two', steer: true },
    ]);
    const { turn, turns } = fixture.host.state;
    expect(entries(fixture.host.state)[1]).toMatchObject({ id: command, steered: true, turn: turn?.id });
    expect(turns[0]?.prompts).toContain(command);
    gate.open();
    await fixture.until(rested);
  });

  test('A25 a queued message can be steered into the running turn', async () => {
    const gate = createGate();
    const reached = createGate();
    const fixture = hostFixture({
      start: able({ canSteer: true }),
      turn: (prompt) =>
        prompt.text === 'one'
          ? [{ step: 'delivered' }, { step: 'gate', gate, reached }, { step: 'end' }]
          : [{ step: 'delivered' }],
    });
    fixture.command({ kind: 'prompt.send', text: 'one' });
    await reached.opened;
    const { command } = fixture.command({ kind: 'prompt.send', text: 'two' });
    expect(fixture.driver.calls.prompts).toHaveLength(1);
    expect(fixture.command({ kind: 'prompt.steer', prompt: command }).refusal).toBeUndefined();
    expect(fixture.driver.calls.prompts[1]).toMatchObject({ id: command, steer: true });
    expect(fixture.host.state.queue).toEqual([]);
    gate.open();
    await fixture.until(rested);
  });
});

describe('controls', () => {
  test('M4 a query is answered to its client and not journaled, even if asked while the agent was down', async () => {
    const facts = { controls: ['context'] };
    const state = fold(EMPTY, { kind: 'session.described', facts, v: 1, at: 1 } as Change);
    const fixture = hostFixture(
      { control: (_what, input) => ({ ok: true, text: 'Nothing.', data: input }) },
      { state },
    );
    const query = (id: string, what: Query) =>
      fixture.host.handle(fixture.client, { type: 'query', command: { id, what, input: { a: 1 } } });
    query('one', 'context');
    query('two', 'task.output');
    const answers = () => fixture.client.messages.filter(({ type }) => type === 'answer');
    await fixture.until(() => answers().length === 2);
    expect(answers()).toEqual([
      { type: 'answer', id: 'two', ok: false, text: REFUSALS.CONTROL_UNKNOWN },
      { type: 'answer', id: 'one', ok: true, text: 'Nothing.', data: { a: 1 } },
    ]);
    expect(fixture.host.state.nextSeq).toBe(0);
  });

  test("M4 a control's answer is the entry with its id, even if requested while the agent was down", async () => {
    const offered = fold(EMPTY, {
      kind: 'session.described',
      facts: { controls: ['cost', 'plan'] },
      v: 1,
      at: 1,
    } as Change);
    const fixture = hostFixture(
      {
        control: (what, input) =>
          what === 'cost' ? { ok: true, text: 'Nothing.', data: input } : { ok: false, text: 'No plan.' },
      },
      { state: offered },
    );
    const cost = fixture.command({ kind: 'agent.control', what: 'cost', input: { a: 1 } });
    const plan = fixture.command({ kind: 'agent.control', what: 'plan', hidden: true });
    const state = await fixture.until((now) => Object.keys(now.open).length === 0 && now.nextSeq === 2);
    expect(entries(state)).toMatchObject([
      {
        id: cost.command,
        kind: 'command',
        name: 'cost',
        text: 'Nothing.',
        data: { a: 1 },
        status: 'complete',
      },
      { id: plan.command, kind: 'command', name: 'plan', text: 'No plan.', hidden: true, status: 'failed' },
    ]);
  });

  test('A13 does not retry an agent that failed fatally, and shows the reason', async () => {
    const fixture = hostFixture({
      start: () => [{ step: 'exit', exit: { code: 0, fatal: 'Too old. Update it with `get it`.' } }],
    });
    fixture.command({ kind: 'prompt.send', text: 'hello' });
    const state = await fixture.until((now) => now.agent.state === 'failed');
    expect(state.agent.reason).toBe('Too old. Update it with `get it`.');
    expect(fixture.driver.calls.starts).toHaveLength(1);
  });
});

describe('settings and sessions', () => {
  test('A3 sets an option, and again after a restart', async () => {
    const options = [
      {
        id: 'effort',
        label: 'Effort',
        kind: 'select',
        value: 'high',
        choices: [{ id: 'low', label: 'Low' }],
      },
    ];
    const fixture = hostFixture({ start: able({ options }) });
    fixture.host.handle(fixture.client, { type: 'wake' });
    await fixture.until((state) => state.agent.state === 'connected');
    expect(
      fixture.command({ kind: 'session.configure', option: 'effort', value: 'low' }).refusal,
    ).toBeUndefined();
    expect(fixture.host.state.wanted).toEqual({});
    fixture.driver.die({ code: 1 });
    await fixture.until(
      (state) => state.agent.state === 'connected' && fixture.driver.calls.starts.length === 2,
    );
    expect(fixture.driver.calls.configured).toEqual([
      { option: 'effort', value: 'low' },
      { option: 'effort', value: 'low' },
    ]);
  });

  test('A6 starts from an agent session once, then resumes under its new id', async () => {
    const fixture = hostFixture(
      { start: able({ agentSession: 'copy' }) },
      { from: { kind: 'fork', id: 'parent', at: 'message' } },
    );
    fixture.host.handle(fixture.client, { type: 'wake' });
    await fixture.until((state) => state.agent.state === 'connected');
    fixture.driver.die({ code: 1 });
    await fixture.until(
      (state) => state.agent.state === 'connected' && fixture.driver.calls.starts.length === 2,
    );
    expect(fixture.driver.calls.starts.map(({ session }) => session)).toEqual([
      { kind: 'fork', id: 'parent', at: 'message', replayHistory: true },
      { kind: 'resume', id: 'copy' },
    ]);
  });

  test('A42 replays history that only the agent has before the first message, which waits', async () => {
    const gate = createGate();
    const reached = createGate();
    const old = { id: 'old', kind: 'user', status: 'complete', text: 'Long ago', delivery: 'delivered' };
    const fixture = hostFixture(
      {
        start: () => [
          { step: 'gate', gate, reached },
          { step: 'emit', outputs: [{ kind: 'entry.opened', entry: old }] } as never,
          { step: 'ready' },
        ],
      },
      { from: { kind: 'resume', id: 'own' } },
    );
    await reached.opened;
    const id = '00000000-0000-4000-8000-0000000000aa';
    fixture.host.handle(fixture.client, {
      type: 'command',
      command: { kind: 'prompt.send', id, text: 'And now' },
    });
    expect(fixture.host.state.nextSeq).toBe(0);
    gate.open();
    const state = await fixture.until(rested);
    expect(entries(state).map((entry) => ('text' in entry ? entry.text : entry.kind))).toEqual([
      'Long ago',
      'And now',
      'You said: And now',
    ]);
    expect(fixture.driver.calls.starts[0]?.session).toEqual({
      kind: 'resume',
      id: 'own',
      replayHistory: true,
    });
  });

  test('A42 keeps and marks a message to a session whose agent does not start', async () => {
    const fixture = hostFixture(
      { start: () => [{ step: 'exit', exit: { code: 1 } }] },
      { from: { kind: 'resume', id: 'own' } },
    );
    const id = '00000000-0000-4000-8000-0000000000ab';
    fixture.host.handle(fixture.client, {
      type: 'command',
      command: { kind: 'prompt.send', id, text: 'Hello' },
    });
    const state = await fixture.until((now) => entries(now).some(({ status }) => status === 'failed'));
    expect(entries(state)).toMatchObject([{ kind: 'user', delivery: 'failed' }]);
  });

  test("A40 sends the agent's own sessions to watchers, also to later ones", async () => {
    const sessions = [{ id: 'old', directory: '/', title: 'Older work', updatedAt: 5 }];
    const fixture = hostFixture({ sessions });
    const listed = () => fixture.client.messages.filter(({ type }) => type === 'listed');
    fixture.host.handle(fixture.client, { type: 'watch' });
    expect(listed()).toEqual([]);
    const arrived = new Promise<void>((resolve) => {
      fixture.client.onMessage(() => {
        if (listed().length > 0) resolve();
      });
    });
    fixture.host.handle(fixture.client, { type: 'wake' });
    await arrived;
    expect(listed()).toEqual([{ type: 'listed', sessions }]);
    const late = new RecordingClient();
    fixture.host.attach(late);
    fixture.host.handle(late, { type: 'watch' });
    expect(late.messages.at(-1)).toEqual({ type: 'listed', sessions });
    expect(fixture.host.state.nextSeq).toBe(0);
  });

  test("A42 the agent's own files come first, with their times, once", async () => {
    const driver = {
      ...scriptedDriver(),
      history: () => [
        { at: 5, body: { kind: 'prompt.accepted' as const, prompt: { id: 'old', text: 'before' } } },
        {
          at: 6,
          body: { kind: 'prompt.progressed' as const, prompt: 'old', delivery: 'delivered' as const },
        },
      ],
    };
    const fixture = hostFixture({}, { driver, from: { kind: 'resume', id: 'parent' } });
    expect(entries(fixture.host.state)).toMatchObject([{ id: 'old', text: 'before', at: 5, endedAt: 6 }]);
    const again = hostFixture(
      {},
      { driver, from: { kind: 'resume', id: 'parent' }, state: fixture.host.state },
    );
    expect(entries(again.host.state)).toHaveLength(1);
  });

  test('A12 sends attachments with their data; a missing one fails the message', async () => {
    const blob = 'a'.repeat(64);
    const data = { blob, size: 4, head: '', tail: '' };
    const attachment = { name: 'a.png', mimeType: 'image/png', size: 3, data };
    const fixture = hostFixture({}, { blobs: new Map([[blob, 'QUJD']]) });
    fixture.command({ kind: 'prompt.send', text: 'look', attachments: [attachment] });
    await fixture.until(rested);
    expect(fixture.driver.calls.prompts[0]?.attachments).toEqual([{ ...attachment, data: 'QUJD' }]);
    const lost = { ...attachment, data: { ...data, blob: 'b'.repeat(64) } };
    const { command } = fixture.command({ kind: 'prompt.send', text: 'look', attachments: [lost] });
    expect(entries(fixture.host.state).at(-1)).toMatchObject({
      id: command,
      delivery: 'failed',
      why: 'a.png no longer exists.',
    });
    expect(fixture.driver.calls.prompts).toHaveLength(1);
  });
});

describe('a quiet turn', () => {
  afterEach(() => vi.useRealTimers());

  const running = [{ kind: 'turn.started', turn: 't1', origin: 'user', prompts: [] }];
  const tool = {
    kind: 'tool',
    id: 'x',
    status: 'partial',
    name: 'Run',
    title: 'Run',
    toolKind: 'shell',
    state: 'running',
  };

  function watched(changes: readonly object[]) {
    vi.useFakeTimers({ now: 1_000 });
    let state: Conversation = EMPTY;
    const put = (body: object): void => {
      state = fold(state, { ...body, v: state.v + 1, at: 0 } as Change);
    };
    for (const change of changes) put(change);
    const said: (number | undefined)[] = [];
    const watch = new QuietWatch({
      quietMs: 30_000,
      now: Date.now,
      state: () => state,
      report: (since) => {
        said.push(since);
        put({ kind: 'turn.quiet', ...(since === undefined ? {} : { since }) });
      },
    });
    return { watch, said, put };
  }

  test('H7 is reported once, with its start time, and cleared by the next activity', () => {
    const { watch, said } = watched(running);
    watch.activity();
    vi.advanceTimersByTime(20_000);
    watch.activity();
    vi.advanceTimersByTime(29_999);
    expect(said).toEqual([]);
    vi.advanceTimersByTime(60_000);
    expect(said).toEqual([21_000]);
    watch.activity();
    expect(said).toEqual([21_000, undefined]);
  });

  test('H7 is not reported while a tool runs or a retry waits, nor without a turn', () => {
    for (const more of [
      { kind: 'entry.opened', entry: tool },
      { kind: 'turn.changed', phase: 'retrying', waitMs: 1 },
      { kind: 'turn.ended', turn: 't1', endedBy: 'completed' },
    ]) {
      const { watch, said } = watched([...running, more]);
      watch.activity();
      vi.advanceTimersByTime(300_000);
      expect(said).toEqual([]);
      watch.stop();
      vi.useRealTimers();
    }
  });
});

describe('output of running commands', () => {
  test('C4 is polled while the command runs, and shown as it grows', async () => {
    const gate = createGate();
    const outputs = ['one\n', 'one\ntwo\n', `${'x'.repeat(20_000)}end`];
    let asked = 0;
    const tool = { id: 't', kind: 'tool', status: 'partial', name: 'Bash', title: 'Bash' } as const;
    const fixture = hostFixture(
      {
        start: able({ controls: ['task.output'] }),
        turn: () => [
          { step: 'delivered' },
          {
            step: 'emit',
            outputs: [
              {
                kind: 'entry.opened',
                entry: { ...tool, toolKind: 'shell', state: 'running', task: 'b1' },
              },
            ],
          },
          { step: 'gate', gate },
          { step: 'end' },
        ],
        control: async (what, input) => {
          expect([what, input]).toEqual(['task.output', { task: 'b1' }]);
          return { ok: true, text: outputs[Math.min(asked++, outputs.length - 1)] ?? '' };
        },
      },
      { timings: { taskOutputMs: 1 } },
    );
    fixture.command({ kind: 'prompt.send', text: 'run it' });
    const output = (state: Conversation) =>
      entries(state).find(({ id }) => id === 't') as { output?: string };
    await fixture.until((state) => output(state)?.output === 'one\ntwo\n');
    await fixture.until((state) => output(state)?.output?.endsWith('end') === true);
    expect(output(fixture.host.state).output?.length).toBe(16 * 1024);
    gate.open();
    await fixture.until(rested);
    const before = asked;
    fixture.command({ kind: 'prompt.send', text: 'done' });
    expect(asked).toBe(before);
    await fixture.host.end();
  });
});
