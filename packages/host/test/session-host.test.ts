import type { DatedChange, Driver, Prompt } from '@tugdeck/drivers/kit/port';
import { createGate, echo, scriptedDriver } from '@tugdeck/drivers/kit/scripted';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Entry, NewEntry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { fold, foldAll } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY, pendingRequests } from '@tugdeck/protocol/conversation/state';
import { describe, expect, test } from 'vitest';
import type { TreeRecorder } from '../src/tree-recorder.ts';
import { hostFixture, RecordingClient, refold } from './host-fixture.ts';

const entries = (state: Conversation): Entry[] => [...entriesFrom(state.entries)];
const texts = (state: Conversation) =>
  entries(state).flatMap((entry) => ('text' in entry ? [`${entry.kind}: ${entry.text}`] : []));
const rested = (state: Conversation) => !state.turn && state.queue.length === 0 && state.turns.length > 0;
const noticeOf = (state: Conversation) => entries(state).find((entry) => entry.kind === 'notice');

const ask: NewEntry = {
  id: 'ask-1',
  kind: 'permission',
  status: 'partial',
  request: {
    status: 'pending',
    shown: 'hash-1',
    tool: 'Run',
    toolKind: 'shell',
    title: 'Run a command',
    fields: [],
    options: [],
    canEdit: false,
    canComment: true,
  },
};

function recorder(calls: string[]): TreeRecorder {
  return {
    accepted: () => void calls.push('accepted'),
    ready: () => undefined,
    late: () => void calls.push('late'),
    started: () => void calls.push('started'),
    joined: () => void calls.push('joined'),
    ended: () => void calls.push('ended'),
  };
}

describe('delivery', () => {
  test('H11 a message sent while the agent starts waits and is delivered once', async () => {
    const starting = createGate();
    const fixture = hostFixture({ start: () => [{ step: 'gate', gate: starting }, { step: 'ready' }] });
    fixture.command({ kind: 'prompt.send', text: 'hello' });
    expect(entries(fixture.host.state)[0]).toMatchObject({ kind: 'user', delivery: 'accepted' });
    starting.open();
    const state = await fixture.until(rested);
    expect(texts(state)).toEqual(['user: hello', 'text: You said: hello']);
    expect(fixture.driver.calls.prompts).toHaveLength(1);
  });

  test('H10 a host asked to leave if idle stays for a message that came just before', async () => {
    const starting = createGate();
    const fixture = hostFixture({ start: () => [{ step: 'gate', gate: starting }, { step: 'ready' }] });
    fixture.command({ kind: 'prompt.send', text: 'hello' });
    fixture.host.handle(new RecordingClient(), { type: 'end', ifIdle: true });
    starting.open();
    const state = await fixture.until(rested);
    expect(texts(state)).toEqual(['user: hello', 'text: You said: hello']);
  });

  test('W4 records the project when a prompt is accepted and when its turn starts and ends', async () => {
    const calls: string[] = [];
    const fixture = hostFixture({}, { trees: recorder(calls) });
    fixture.command({ kind: 'prompt.send', text: 'hello' });
    await fixture.until(rested);
    expect(calls).toEqual(['accepted', 'started', 'ended']);
  });

  test('T3 the agent gets the prompt after the files are recorded', async () => {
    const calls: string[] = [];
    let record: () => void = () => undefined;
    let recorded: Promise<void> | undefined = new Promise((resolve) => {
      record = resolve;
    });
    const trees = { ...recorder(calls), ready: () => recorded };
    const fixture = hostFixture({}, { trees, timings: { treeWaitMs: 600_000 } });
    fixture.command({ kind: 'prompt.send', text: 'hello' });
    await fixture.until(({ agent }) => agent.state === 'connected');
    expect(fixture.host.state.turn).toBeNull();
    expect(calls).toEqual(['accepted']);
    recorded = undefined;
    record();
    await fixture.until(rested);
    expect(calls).toEqual(['accepted', 'started', 'ended']);
  });

  test('T4 a host that ends right after a turn records its end first', async () => {
    const gate = createGate();
    const nothing = () => undefined;
    const trees = { accepted: nothing, ready: nothing, late: nothing, started: nothing, joined: nothing };
    const fixture = hostFixture({}, { trees: { ...trees, ended: nothing, settled: () => gate.opened } });
    fixture.command({ kind: 'prompt.send', text: 'go' });
    await fixture.until(rested);
    const ending = fixture.host.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(fixture.ended()).toBe(false);
    gate.open();
    await ending;
    expect(fixture.ended()).toBe(true);
  });

  test('T3 a record that takes longer than the limit is marked late', async () => {
    const calls: string[] = [];
    const trees = { ...recorder(calls), ready: () => new Promise(() => undefined) };
    const fixture = hostFixture({}, { trees, timings: { treeWaitMs: 1 } });
    fixture.command({ kind: 'prompt.send', text: 'hello' });
    await fixture.until(rested);
    expect(calls).toEqual(['accepted', 'late', 'started', 'ended']);
  });

  test('M5 sending is on disk before the agent gets the prompt', async () => {
    const journaled = (): string[] =>
      fixture.lines.flatMap((line) =>
        'changes' in line
          ? line.changes.map((change) =>
              change.kind === 'prompt.progressed' ? change.delivery : change.kind,
            )
          : [],
      );
    let whenWritten: string[] = [];
    const turn = (prompt: Prompt) => {
      whenWritten = journaled();
      return echo(prompt);
    };
    const fixture = hostFixture({ turn });
    fixture.command({ kind: 'prompt.send', text: 'hello' });
    await fixture.until(rested);
    expect(whenWritten.slice(-2)).toEqual(['sending', 'turn.started']);
    expect(journaled().filter((kind) => kind === 'sending' || kind === 'delivered')).toEqual([
      'sending',
      'delivered',
    ]);
  });

  test('A25 messages sent during a turn are queued and sent one by one', async () => {
    const gate = createGate();
    const reached = createGate();
    const fixture = hostFixture({
      turn: (prompt) => [
        { step: 'delivered' },
        ...(prompt.text === 'one' ? [{ step: 'gate' as const, gate, reached }] : []),
        { step: 'text', pieces: [prompt.text] },
        { step: 'end' },
      ],
    });
    fixture.command({ kind: 'prompt.send', text: 'one' });
    await reached.opened;
    fixture.command({ kind: 'prompt.send', text: 'two' });
    fixture.command({ kind: 'prompt.send', text: 'three' });
    expect(fixture.host.state.queue.map(({ text }) => text)).toEqual(['two', 'three']);
    gate.open();
    const state = await fixture.until((now) => now.turns.length === 3 && rested(now));
    expect(texts(state)).toEqual([
      'user: one',
      'text: one',
      'user: two',
      'text: two',
      'user: three',
      'text: three',
    ]);
  });

  test('M4 a repeated command takes effect once', async () => {
    const fixture = hostFixture();
    const id = '00000000-0000-4000-8000-00000000abcd';
    const first = fixture.command({ kind: 'prompt.send', id, text: 'hello' });
    await fixture.until(rested);
    const second = fixture.command({ kind: 'prompt.send', id, text: 'hello' });
    expect(first).toMatchObject({ type: 'receipt', command: id });
    expect(second).toMatchObject({ type: 'receipt', command: id });
    expect(fixture.driver.calls.prompts).toHaveLength(1);
  });
});

test('M4 A14 a mode requested during the start is set before the first prompt', async () => {
  const starting = createGate();
  const fixture = hostFixture({
    start: () => [
      { step: 'gate', gate: starting },
      { step: 'emit', outputs: [{ kind: 'session.described', facts: { mode: 'ask' } }] },
      { step: 'ready' },
    ],
  });
  fixture.command({ kind: 'prompt.send', text: 'hello' });
  fixture.command({ kind: 'session.configure', option: 'mode', value: 'plan' });
  starting.open();
  await fixture.until(rested);
  expect(fixture.driver.calls.configured).toEqual([{ option: 'mode', value: 'plan' }]);
});

describe('requests', () => {
  test('M4 the first answer wins, and the second is refused', async () => {
    const fixture = hostFixture({
      turn: () => [{ step: 'delivered' }, { step: 'ask', entry: ask }, { step: 'end' }],
    });
    fixture.command({ kind: 'prompt.send', text: 'do it' });
    await fixture.until((state) => pendingRequests(state).length === 1);
    const answer = { type: 'permission', behavior: 'allow' } as const;
    const stale = fixture.command({ kind: 'request.answer', entry: 'ask-1', shown: 'other', answer });
    expect(stale).toMatchObject({ refusal: 'REQUEST_CHANGED' });
    const first = fixture.command({ kind: 'request.answer', entry: 'ask-1', shown: 'hash-1', answer });
    expect(first).not.toHaveProperty('refusal');
    const second = fixture.command({ kind: 'request.answer', entry: 'ask-1', shown: 'hash-1', answer });
    expect(second).toMatchObject({ refusal: 'REQUEST_NOT_OPEN' });
    await fixture.until(rested);
    expect(fixture.driver.calls.answers).toHaveLength(1);
  });
});

describe('an agent that crashes', () => {
  test('H23 the rest of its turn comes from its own file, once nothing that it started runs', async () => {
    const [half, rest, gone] = [createGate(), createGate(), createGate()];
    let prompt = '';
    const text = (id: string, words: string): ChangeBody => ({
      kind: 'entry.opened',
      entry: { kind: 'text', id, status: 'complete', text: words },
    });
    const file = (): ChangeBody[] => [
      { kind: 'prompt.accepted', prompt: { id: prompt, text: 'go' } },
      { kind: 'turn.started', turn: 't', origin: 'user', prompts: [prompt] },
      text('a', 'One. Two.'),
      text('b', 'Three.'),
    ];
    const fixture = hostFixture(
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
        recorded: () =>
          foldAll(
            EMPTY,
            file().map((body, at) => ({ ...body, v: at + 1, at: 1 })),
          ),
        gone: () => gone.opened,
      },
    );
    prompt = fixture.command({ kind: 'prompt.send', text: 'go' }).command;
    await half.opened;
    fixture.driver.die({ code: null, signal: 'SIGKILL', stderr: 'out of luck' });
    expect(fixture.host.state.turn).not.toBeNull();
    gone.open();
    const state = await fixture.until((now) => now.turn === null && now.agent.state === 'connected');
    const shown = entries(state).flatMap((entry) =>
      entry.kind === 'text' || entry.kind === 'notice' ? [`${entry.status}: ${entry.text}`] : [],
    );
    expect(shown).toEqual([
      'complete: One. Two.',
      "complete: The agent stopped (killed by SIGKILL). Recovered from Scripted's session file: 1 entry completed above, 1 entry added below.",
      'complete: Three.',
    ]);
    expect(noticeOf(state)).toMatchObject({ notice: 'crash', detail: 'out of luck' });
    expect(state.turns.at(-1)?.endedBy).toBe('error');
  });

  test('H6 open entries become stale, a notice says how, and it restarts and resumes its session', async () => {
    const fixture = hostFixture({
      start: () => [
        { step: 'emit', outputs: [{ kind: 'session.described', facts: { agentSession: 'foreign-1' } }] },
        { step: 'ready' },
      ],
      turn: () => [{ step: 'delivered' }, { step: 'ask', entry: ask }],
    });
    fixture.command({ kind: 'prompt.send', text: 'do it' });
    await fixture.until((state) => pendingRequests(state).length === 1);
    fixture.driver.die({ code: 1, stderr: 'out of luck' });
    const state = await fixture.until(
      (now) => now.agent.state === 'connected' && fixture.driver.calls.starts.length === 2,
    );
    expect(entries(state).find(({ kind }) => kind === 'permission')).toMatchObject({
      status: 'stale',
      request: { status: 'stale' },
    });
    expect(noticeOf(state)).toMatchObject({ notice: 'crash', detail: 'out of luck' });
    expect(state.turns.at(-1)?.endedBy).toBe('error');
    expect(fixture.driver.calls.starts[1]?.session).toEqual({ kind: 'resume', id: 'foreign-1' });
    expect(fixture.driver.calls.prompts).toHaveLength(1);
  });

  test('H6 three crashes in a minute: it stays down and offers a restart', async () => {
    const fixture = hostFixture();
    fixture.host.handle(fixture.client, { type: 'wake' });
    for (let death = 1; death <= 3; death++) {
      await fixture.until(
        ({ agent }) => agent.state === 'connected' && fixture.driver.calls.starts.length === death,
      );
      fixture.driver.die({ code: 1 });
    }
    const state = await fixture.until(({ agent }) => agent.state === 'failed');
    expect(state.agent.reason).toContain('three times');
    // Focus in the composer is not a request to restart it.
    fixture.host.handle(fixture.client, { type: 'wake' });
    expect(fixture.driver.calls.starts).toHaveLength(3);
    fixture.command({ kind: 'agent.restart' });
    await fixture.until(({ agent }) => agent.state === 'connected');
  });

  test('H11 an agent that never starts: the message is marked as not sent, with the reason', async () => {
    const fixture = hostFixture({ start: () => [{ step: 'exit', exit: { code: 127 } }] });
    fixture.command({ kind: 'prompt.send', text: 'hello' });
    const state = await fixture.until(({ agent }) => agent.state === 'failed');
    expect(entries(state)[0]).toMatchObject({ delivery: 'failed', status: 'failed' });
    expect(fixture.driver.calls.prompts).toHaveLength(0);
  });

  test('H9 an agent that cannot resume starts a new session, below a divider', async () => {
    const fixture = hostFixture({
      start: (run) =>
        run === 1 ? [{ step: 'exit', exit: { code: 1, unresumable: true } }] : [{ step: 'ready' }],
    });
    fixture.host.handle(fixture.client, { type: 'wake' });
    const state = await fixture.until(({ agent }) => agent.state === 'connected');
    expect(noticeOf(state)).toMatchObject({ notice: 'fresh' });
    expect(fixture.driver.calls.starts[1]?.session.kind).toBe('new');
  });
});

describe('restart', () => {
  test('M4 the agent ends and starts again; this is not a crash and not delayed', async () => {
    const fixture = hostFixture({}, { timings: { startRetryMs: [60_000], restartMs: 60_000 } });
    fixture.command({ kind: 'prompt.send', text: 'hello' });
    await fixture.until(rested);
    fixture.command({ kind: 'agent.restart' });
    const state = await fixture.until(
      ({ agent }) => agent.state === 'connected' && fixture.driver.calls.starts.length === 2,
    );
    expect(noticeOf(state)).toBeUndefined();
    fixture.command({ kind: 'agent.stop' });
    await fixture.until(({ agent }) => agent.state === 'idle');
  });
});

describe('cancel', () => {
  test('H8 the turn ends as canceled and the next prompt works', async () => {
    const never = createGate();
    const reached = createGate();
    const fixture = hostFixture({
      turn: (prompt) =>
        prompt.text === 'long'
          ? [{ step: 'delivered' }, { step: 'gate', gate: never, reached }]
          : [{ step: 'delivered' }, { step: 'end' }],
    });
    fixture.command({ kind: 'prompt.send', text: 'long' });
    await reached.opened;
    fixture.command({ kind: 'turn.cancel' });
    const state = await fixture.until(rested);
    expect(state.turns.at(-1)?.endedBy).toBe('cancelled');
    fixture.command({ kind: 'prompt.send', text: 'short' });
    await fixture.until((now) => now.turns.length === 2 && rested(now));
  });

  test('H8 an agent that ignores it is ended with a notice and restarted', async () => {
    const never = createGate();
    const reached = createGate();
    const fixture = hostFixture(
      { turn: () => [{ step: 'delivered' }, { step: 'gate', gate: never, reached }], cancel: [] },
      { timings: { cancelMs: 0 } },
    );
    fixture.command({ kind: 'prompt.send', text: 'long' });
    await reached.opened;
    fixture.command({ kind: 'turn.cancel' });
    const state = await fixture.until(
      (now) => now.agent.state === 'connected' && fixture.driver.calls.starts.length === 2,
    );
    expect(state.turn).toBeNull();
    expect(noticeOf(state)).toMatchObject({ level: 'warning' });
  });

  test('H8 is refused if nothing is running', () => {
    const fixture = hostFixture();
    expect(fixture.command({ kind: 'turn.cancel' })).toMatchObject({ refusal: 'TURN_NOT_RUNNING' });
  });
});

describe('a host that crashes', () => {
  test('H5 the data on disk folds to the same state, including streamed text', async () => {
    const gate = createGate();
    const reached = createGate();
    const fixture = hostFixture({
      turn: () => [
        { step: 'delivered' },
        { step: 'text', pieces: ['a long ', 'answer'] },
        { step: 'gate', gate, reached },
        { step: 'end' },
      ],
    });
    fixture.command({ kind: 'prompt.send', text: 'go' });
    await reached.opened;
    expect(texts(refold(fixture.lines))).toEqual(texts(fixture.host.state));
  });

  test('M5 H6 its successor marks open entries, doubts what was being sent, and sends nothing twice', async () => {
    const never = createGate();
    const reached = createGate();
    const first = hostFixture({
      turn: () => [
        { step: 'ask', entry: ask },
        { step: 'gate', gate: never, reached },
      ],
    });
    first.command({ kind: 'prompt.send', text: 'go' });
    await first.until((state) => pendingRequests(state).length === 1);
    const second = hostFixture({}, { state: refold(first.lines) });
    const state = await second.until(({ agent }) => agent.state === 'connected');
    expect(entries(state).map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'user stale',
      'permission stale',
      'notice complete',
    ]);
    expect(second.driver.calls.prompts).toHaveLength(0);
    second.command({ kind: 'prompt.resend', prompt: entries(state)[0]?.id ?? '' });
    await second.until((now) => now.turns.length === 2 && rested(now));
    expect(second.driver.calls.prompts).toHaveLength(1);
  });

  test('M5 its successor sends an accepted message that was not sent yet', async () => {
    const never = createGate();
    const first = hostFixture({ start: () => [{ step: 'gate', gate: never }] });
    first.command({ kind: 'prompt.send', text: 'hello' });
    const second = hostFixture({}, { state: refold(first.lines) });
    const state = await second.until(rested);
    expect(texts(state)).toEqual(['user: hello', 'text: You said: hello']);
  });
});

describe('lifetime of a host', () => {
  test('H1 an idle host ends itself', async () => {
    const fixture = hostFixture({}, { timings: { idleMs: 1 } });
    await expect.poll(() => fixture.ended()).toBe(true);
    expect(fixture.client.closed).toBe(true);
  });

  test('M6 watchers are notified when a session needs the user', async () => {
    const fixture = hostFixture({ turn: () => [{ step: 'delivered' }, { step: 'ask', entry: ask }] });
    fixture.host.handle(fixture.client, { type: 'watch' });
    fixture.command({ kind: 'prompt.send', text: 'do it' });
    await fixture.until((state) => pendingRequests(state).length === 1);
    const summaries = fixture.client.messages.filter((message) => message.type === 'summary');
    expect(summaries.at(-1)).toMatchObject({ summary: { turn: 'waiting', waiting: 1, title: 'do it' } });
  });
});

describe('A42 external turns appear once, in order,', () => {
  const turn = (id: string, words: string): DatedChange[] => [
    { at: 500, body: { kind: 'prompt.accepted', prompt: { id, text: words } } },
    { at: 501, body: { kind: 'prompt.progressed', prompt: id, delivery: 'delivered' } },
    {
      at: 502,
      body: {
        kind: 'entry.opened',
        entry: { id: `${id}-a`, kind: 'text', status: 'complete', text: `So: ${words}` },
      },
    },
  ];
  const ELSEWHERE = [
    'notice: The following is from another program.',
    'user: Said elsewhere',
    'text: So: Said elsewhere',
  ];

  function resumed() {
    const asked: string[] = [];
    const externalTurns: Driver['externalTurns'] = ({ session }, isKnown) => {
      asked.push(session.id);
      return isKnown('theirs') ? [] : turn('theirs', 'Said elsewhere');
    };
    const driver = Object.assign(scriptedDriver({}), { externalTurns });
    const described = { kind: 'session.described', facts: { agentSession: 'own-1' }, v: 1, at: 1 } as const;
    return { asked, fixture: hostFixture({}, { driver, state: fold(EMPTY, described) }) };
  }

  test('A42 when the agent resumes its session', async () => {
    const { asked, fixture } = resumed();
    fixture.host.handle(fixture.client, { type: 'wake' });
    await fixture.until(({ agent }) => agent.state === 'connected');
    fixture.command({ kind: 'agent.restart' });
    await fixture.until(({ agent }) => agent.state === 'idle' || agent.state === 'starting');
    await fixture.until(({ agent }) => agent.state === 'connected');
    // When the host opened the session, and at each start of the agent.
    expect(asked).toEqual(['own-1', 'own-1', 'own-1']);
    expect(texts(fixture.host.state)).toEqual(ELSEWHERE);
  });

  test('A42 when a host opens the session, without an agent', () => {
    const { fixture } = resumed();
    expect(texts(fixture.host.state)).toEqual(ELSEWHERE);
    expect(fixture.host.state.agent.state).toBe('idle');
  });

  test('A42 when a message is sent before the agent has started', async () => {
    const { fixture } = resumed();
    fixture.command({ kind: 'prompt.send', text: 'go on' });
    const state = await fixture.until(rested);
    expect(texts(state)).toEqual([...ELSEWHERE, 'user: go on', 'text: You said: go on']);
  });
});

test('A42 marks missing entries even if a message was sent before the agent could start', async () => {
  const changes: DatedChange['body'][] = [
    { kind: 'session.described', facts: { agentSession: 'own-1' } },
    { kind: 'prompt.accepted', prompt: { id: 'lost', text: 'Lost' } },
    { kind: 'prompt.progressed', prompt: 'lost', delivery: 'delivered' },
  ];
  const state = changes.reduce((now, body) => fold(now, { ...body, v: now.v + 1, at: 1 }), EMPTY);
  const driver = Object.assign(scriptedDriver({}), { missingFrom: () => new Set(['lost']) });
  const fixture = hostFixture({}, { driver, state });
  fixture.command({ kind: 'prompt.send', text: 'go on' });
  const after = await fixture.until(rested);
  const marks = entries(after).flatMap((entry) =>
    'forgotten' in entry && entry.forgotten ? [entry.id] : [],
  );
  expect(marks).toEqual(['lost']);
});
