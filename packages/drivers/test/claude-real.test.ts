// The driver with the real, pinned agent against a scripted model on loopback.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { Entry, RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { openEntries, pendingRequests } from '@tugdeck/protocol/conversation/state';
import { claudeBinary, claudeVersion } from '@tugdeck/testkit/agents';
import { claudeEnvironment } from '@tugdeck/testkit/clean-env';
import { type FakeAnthropic, startFakeAnthropic } from '@tugdeck/testkit/fake-anthropic';
import { kill9 } from '@tugdeck/testkit/process-facts';
import { madeFile, planText, projectFiles, shortAnswer, thought } from '@tugdeck/testkit/scenarios';
import { createSandbox, type Sandbox } from '@tugdeck/testkit/temp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claudeDriver } from '../src/claude/driver.ts';
import { CONTRACT, ContractSink, PROGRAM_CONTRACT } from '../src/kit/contract.ts';
import type { Agent, AgentStart } from '../src/kit/port.ts';
import { recordedLine } from '../src/kit/recording.ts';
import { replayFile } from '../src/known-drivers.ts';

let fake: FakeAnthropic;
let sandbox: Sandbox;

beforeEach(async () => {
  fake = await startFakeAnthropic();
  sandbox = await createSandbox({ files: projectFiles });
});

afterEach(async () => {
  await fake.close();
  await sandbox.dispose();
});

function startOf(more: Partial<AgentStart> = {}): AgentStart {
  return {
    command: claudeBinary(),
    args: [],
    directory: sandbox.project,
    environment: claudeEnvironment(sandbox, fake),
    session: { kind: 'new', id: crypto.randomUUID() },
    maxLine: 16 << 20,
    ...more,
  };
}

describe('contract', () => {
  test.each([...CONTRACT, ...PROGRAM_CONTRACT])('A2 contract: $title', async ({ run }) => {
    await run({
      driver: claudeDriver,
      start: startOf,
      prompts: { text: 'SCN:text', permission: 'SCN:bash', endless: 'SCN:hold' },
      uuid: () => crypto.randomUUID(),
    });
  });
});

/** A live agent; the test plays the host. */
class Talk {
  readonly sink = new ContractSink();
  readonly raw: string[] = [];
  readonly agent: Agent;

  constructor(start: AgentStart) {
    const { record } = this.sink;
    this.sink.record = (direction, line) => {
      record(direction, line);
      this.raw.push(recordedLine(this.raw.length, direction, line));
    };
    this.agent = claudeDriver.start(start, this.sink);
  }

  ready(): Promise<void> {
    return this.sink.until('it was ready', (sink) => sink.isReady);
  }

  send(text: string, id: string = crypto.randomUUID()): string {
    this.sink.send(this.agent, { id, text });
    return id;
  }

  async turnOver(): Promise<void> {
    await this.sink.until('the end of the turn', ({ state }) => state.turn === null);
  }

  async request(): Promise<RequestEntry> {
    await this.sink.until('a request', ({ state }) => pendingRequests(state).length > 0);
    const [request] = pendingRequests(this.sink.state);
    if (!request) throw new Error('no request');
    return request;
  }

  answer(request: RequestEntry, answer: Answer): void {
    this.sink.fold({ kind: 'request.settled', entry: request.id, status: 'answered', answer });
    this.agent.answer(request, answer);
  }

  async end(): Promise<void> {
    this.agent.end();
    await this.sink.until('its exit', ({ exit }) => exit !== undefined);
    expect(this.sink.breaches).toEqual([]);
  }

  entries<K extends Entry['kind']>(kind: K): Extract<Entry, { kind: K }>[] {
    return [...entriesFrom(this.sink.state.entries)].filter(
      (entry): entry is Extract<Entry, { kind: K }> => entry.kind === kind,
    );
  }
}

async function begin(more: Partial<AgentStart> = {}): Promise<Talk> {
  const talk = new Talk(startOf(more));
  await talk.ready();
  return talk;
}

describe('the real agent', () => {
  test('A1 models, modes and commands are known before the first message; mode and model can be set', async () => {
    const id = crypto.randomUUID();
    const talk = await begin({ session: { kind: 'new', id }, mode: 'plan' });
    const { facts } = talk.sink.state;
    expect(facts).toMatchObject({ agentVersion: claudeVersion, mode: 'plan' });
    // Until its first turn, the agent has nothing to resume.
    expect(facts.agentSession).toBeUndefined();
    expect(facts.modes?.map((mode) => mode.id)).toContain('acceptEdits');
    expect(facts.models?.length).toBeGreaterThan(1);
    expect(facts.commands?.length).toBeGreaterThan(3);

    talk.sink.fold({ kind: 'config.requested', option: 'mode', value: 'acceptEdits' });
    talk.agent.configure('mode', 'acceptEdits');
    await talk.sink.until(
      'the mode',
      ({ state }) => state.facts.mode === 'acceptEdits' && !state.wanted.mode,
    );
    talk.agent.configure('model', 'sonnet');
    await talk.sink.until('the model', ({ state }) => state.facts.model === 'sonnet');
    talk.sink.fold({ kind: 'config.requested', option: 'mode', value: 'delegate' });
    talk.agent.configure('mode', 'delegate');
    await talk.sink.until('the refusal', ({ changes }) =>
      changes.some(({ kind }) => kind === 'config.refused'),
    );
    talk.send('SCN:text');
    await talk.turnOver();
    expect(talk.sink.state.facts).toMatchObject({ agentSession: id, model: 'sonnet', mode: 'acceptEdits' });
    await talk.end();
  });

  test('A4 text and thinking stream and end exactly; the recording replays identically', async () => {
    const talk = await begin();
    talk.send('SCN:thinking');
    await talk.turnOver();
    talk.send('SCN:edit');
    talk.answer(await talk.request(), { type: 'permission', behavior: 'allow' });
    await talk.turnOver();
    talk.send('SCN:several');
    talk.answer(await talk.request(), { type: 'permission', behavior: 'allow' });
    await talk.turnOver();
    expect(talk.entries('thinking').map(({ text }) => text)).toEqual([thought]);
    expect(talk.entries('tool').map(({ name, state }) => `${name} ${state}`)).toEqual([
      'Edit done',
      'Read done',
      'Bash done',
      'Bash done',
      'Write done',
    ]);
    expect(talk.entries('tool')[0]?.diff?.[0]?.hunks[0]?.lines).toContain("-  return 'Hello ' + name;");
    await talk.end();
    const replayed = replayFile('claude', talk.raw);
    const live = [...entriesFrom(talk.sink.state.entries)];
    expect(replayed.entries.map(({ id, status, text }) => ({ id, status, text }))).toEqual(
      live.map((entry) => ({
        id: entry.id,
        status: entry.status,
        text: 'text' in entry ? entry.text : undefined,
      })),
    );
    expect(replayed.unrecognized.count).toBe(0);
  });

  test('A3 deny with a message, edited input, always allow by a rule', async () => {
    const talk = await begin();
    talk.send('SCN:bash');
    talk.answer(await talk.request(), { type: 'permission', behavior: 'deny', message: 'Not like this.' });
    await talk.turnOver();
    expect(talk.entries('tool')[0]).toMatchObject({
      state: 'denied',
      denied: { by: 'user', why: 'Not like this.' },
    });
    expect(existsSync(join(sandbox.project, madeFile))).toBe(false);

    talk.send('SCN:bash');
    const input = { command: 'touch edited-by-user.txt' };
    talk.answer(await talk.request(), { type: 'permission', behavior: 'allow', input });
    await talk.turnOver();
    expect(existsSync(join(sandbox.project, 'edited-by-user.txt'))).toBe(true);
    expect(talk.entries('tool')[1]).toMatchObject({ state: 'done', input });

    talk.send('SCN:bash');
    const request = await talk.request();
    if (request.kind !== 'permission') throw new Error('not a permission');
    const always = request.request.options.find(({ file }) => file !== undefined);
    expect(always).toMatchObject({ effect: 'allow-always', file: '.claude/settings.local.json' });
    talk.answer(request, { type: 'permission', behavior: 'allow', ...(always ? { option: always.id } : {}) });
    await talk.turnOver();
    expect(readFileSync(join(sandbox.project, '.claude/settings.local.json'), 'utf8')).toContain(madeFile);
    await talk.end();
  });

  test('A3 deny and interrupt ends the turn', async () => {
    const talk = await begin();
    talk.send('SCN:bash');
    talk.answer(await talk.request(), { type: 'permission', behavior: 'deny', interrupt: true });
    await talk.turnOver();
    expect(talk.sink.state.turns.map(({ endedBy }) => endedBy)).toEqual(['cancelled']);
    expect(talk.entries('tool')[0]?.state).toBe('denied');
    expect(openEntries(talk.sink.state)).toEqual([]);
    await talk.end();
  });

  test('M13 questions and plans are shown and answered', async () => {
    const talk = await begin();
    talk.send('SCN:questions');
    const question = await talk.request();
    expect(question.kind).toBe('question');
    const answers = { q1: { choices: ['Green'] }, q2: { choices: ['Hull', 'Rail'] } };
    talk.answer(question, { type: 'question', answers });
    await talk.turnOver();
    const request = JSON.stringify(fake.requests.at(-1)?.body.messages);
    expect(request).toContain('Hull, Rail');
    expect(request).toContain('Your questions have been answered');

    talk.send('SCN:plan');
    const plan = await talk.request();
    expect(plan).toMatchObject({ kind: 'plan', text: planText });
    const edited = planText.replace('fourth', 'fifth');
    talk.answer(plan, {
      type: 'plan',
      approve: true,
      mode: 'acceptEdits',
      plan: edited,
      message: 'Quietly, please.',
    });
    await talk.turnOver();
    expect(talk.sink.state.facts.mode).toBe('acceptEdits');
    const planRequest = JSON.stringify(fake.requests.at(-1)?.body.messages);
    expect(planRequest).toContain('Add a fifth line');
    expect(planRequest).toContain('Quietly, please.');
    expect(
      talk.entries('tool').every(({ name }) => name !== 'ExitPlanMode' && name !== 'AskUserQuestion'),
    ).toBe(true);
    await talk.end();
  });

  test('A5 a subagent is nested under its tool', async () => {
    const talk = await begin();
    talk.send('SCN:agent');
    await talk.turnOver();
    const [parent, child] = talk.entries('tool');
    expect(parent).toMatchObject({ toolKind: 'agent', state: 'done' });
    expect(child).toMatchObject({ toolKind: 'shell', state: 'done', parent: parent?.id });
    expect(talk.entries('text').filter((entry) => entry.parent === parent?.id)).toHaveLength(1);
    await talk.end();
  });

  test('A8 reports a failing service; the turn ends with an error', async () => {
    const talk = await begin();
    talk.send('SCN:retry');
    await talk.turnOver();
    talk.send('SCN:forbidden');
    await talk.turnOver();
    expect(talk.sink.state.turns.map(({ endedBy }) => endedBy)).toEqual(['completed', 'error']);
    expect(talk.entries('notice').map(({ notice }) => notice)).toEqual(['retry', 'error']);
    await talk.end();
  });

  test('A6 resumes a killed session; a repeated prompt is harmless; an unknown session is reported', async () => {
    const id = crypto.randomUUID();
    const first = await begin({ session: { kind: 'new', id } });
    const prompt = first.send('SCN:text');
    await first.turnOver();
    kill9(first.sink.pid ?? 0);
    await first.sink.until('its exit', ({ exit }) => exit !== undefined);
    expect(first.sink.exit).toMatchObject({ code: null, signal: 'SIGKILL' });

    // Like the host: with the session's mode and model.
    const { mode, model } = first.sink.state.facts;
    const second = await begin({ session: { kind: 'resume', id }, mode, model });
    second.send('SCN:text', prompt);
    await second.turnOver();
    second.send('SCN:text again');
    await second.turnOver();
    expect(second.entries('text').map(({ text }) => text)).toEqual([shortAnswer]);
    expect(second.sink.state.turns.map(({ endedBy }) => endedBy)).toEqual(['completed', 'completed']);
    expect(second.sink.state.facts).toMatchObject({ agentSession: id, mode, model });
    const [before, after] = [fake.requests[0]?.body.model, fake.requests.at(-1)?.body.model];
    expect(after).toBe(before);
    await second.end();

    const unknown = new Talk(startOf({ session: { kind: 'resume', id: crypto.randomUUID() } }));
    await unknown.sink.until('its exit', ({ exit }) => exit !== undefined);
    expect(unknown.sink.exit).toMatchObject({ code: 1, unresumable: true });
    expect(unknown.sink.isReady).toBe(false);
    expect(unknown.sink.changes).toEqual([]);
  });

  test('A3 a prompt sent during a turn gets its own turn', async () => {
    const talk = await begin();
    talk.send('SCN:hold');
    await fake.reached('mid');
    const later = talk.send('SCN:text later');
    fake.release('mid');
    await talk.sink.until('two turns', ({ state }) => state.turns.length === 2 && state.turn === null);
    expect(talk.sink.state.turns[1]?.prompts).toEqual([later]);
    await talk.end();
  });

  test('A3 a prompt sent during a turn with tools joins it', async () => {
    const talk = await begin();
    const first = talk.send('SCN:bash');
    const request = await talk.request();
    const second = talk.send('SCN:text more');
    await talk.sink.until('its delivery', ({ state }) => !openEntries(state).some(({ id }) => id === second));
    talk.answer(request, { type: 'permission', behavior: 'allow' });
    await talk.turnOver();
    expect(talk.sink.state.turns.map(({ prompts }) => prompts)).toEqual([[first, second]]);
    await talk.end();
  });
});
