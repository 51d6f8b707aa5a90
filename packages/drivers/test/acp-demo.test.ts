import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { openEntries } from '@tugdeck/protocol/conversation/state';
import { beforeAll, describe, expect, test } from 'vitest';
import { acpDriver } from '../src/acp/driver.ts';
import { CONTRACT, type ContractSubject, PROGRAM_CONTRACT } from '../src/kit/contract.ts';
import type { AgentStart } from '../src/kit/port.ts';
import {
  allow,
  bundleDemoAgent,
  emptyDirectory,
  type Live,
  LiveSink,
  STRANGER,
  startLive,
  startOf,
} from './acp-live.ts';

let demo = '';
beforeAll(async () => {
  demo = await bundleDemoAgent();
});

const subject: ContractSubject = {
  driver: acpDriver,
  start: () => startOf(demo),
  prompts: { text: 'hello there', permission: 'run echo hi', endless: 'slow 600' },
  uuid: randomUUID,
};

describe('the demo agent, as a real process', () => {
  test.each([...CONTRACT, ...PROGRAM_CONTRACT])('A30 contract: $title', async (contract) => {
    await contract.run(subject);
  });
});

describe('messages of earlier processes', () => {
  const environment = { HOME: '' };
  const start = (session: AgentStart['session']) => startLive(startOf(demo, { session, environment }));
  const lastText = ({ sink }: Live) => sink.entries.findLast((entry) => entry.kind === 'text')?.text;

  test('T24 the demo agent continues before a message with exactly the earlier ones, and undo resumes all', async () => {
    environment.HOME = emptyDirectory();
    const first = await start({ kind: 'new', id: randomUUID() });
    for (const text of ['alpha', 'bravo', 'charlie']) await first.turn(text);
    const { facts } = first.sink.state;
    expect(facts.canFork).toBe('anywhere');
    const id = facts.agentSession ?? '';
    const at = first.sink.entries.find((entry) => entry.kind === 'user' && entry.text === 'bravo')?.id ?? '';
    await first.end();

    const fork = await start({ kind: 'fork', id, at });
    expect(fork.sink.entries).toEqual([]);
    await fork.turn('recall');
    expect(lastText(fork)).toBe('I remember your earlier messages:\n\n1. alpha');
    expect(fork.sink.state.facts.agentSession).not.toBe(id);
    await fork.end();

    const former = await start({ kind: 'resume', id });
    await former.turn('recall');
    expect(lastText(former)).toContain('\n\n1. alpha\n2. bravo\n3. charlie');
    await former.end();

    const shown = await start({ kind: 'fork', id, at, replayHistory: true });
    const users = shown.sink.entries.filter(({ kind }) => kind === 'user');
    expect(users.map((entry) => entry.kind === 'user' && entry.text)).toEqual(['alpha']);
    // The copy can be forked before a replayed message too.
    const again = shown.sink.state.facts.agentSession ?? '';
    await shown.turn('delta');
    await shown.end();
    const empty = await start({ kind: 'fork', id: again, at: users[0]?.id ?? '' });
    await empty.turn('recall');
    expect(lastText(empty)).toBe('I don’t remember any earlier messages.');
    await empty.end();
  });

  test('T26 the demo agent refuses to fork before a message that it does not know', async () => {
    const sink = new LiveSink();
    acpDriver.start(startOf(demo, { session: { kind: 'fork', id: randomUUID(), at: randomUUID() } }), sink);
    await sink.until('it exited', ({ exit }) => exit !== undefined);
    expect(sink.exit?.unresumable).toBe(true);
  });
});

describe('an agent never seen here, written from the public documentation', () => {
  const stranger: ContractSubject = {
    driver: acpDriver,
    start: () => startOf(STRANGER),
    prompts: { text: 'hello', permission: 'change it', endless: 'wait' },
    uuid: randomUUID,
  };
  test.each(CONTRACT)('A23 contract: $title', async (contract) => {
    await contract.run(stranger);
  });

  test('A23 shows its text and its tool', async () => {
    const live = await startLive(startOf(STRANGER));
    await live.turn('change it');
    expect(outline(live)).toEqual([
      'user: change it',
      "text: I'll analyze your request. ",
      'tool done: Analyzing code',
      'permission',
      'text: Done.',
    ]);
    await live.end();
  });
});

function outline({ sink }: Live): string[] {
  return sink.entries.map((entry) => {
    const inside = entry.parent === undefined ? '' : '> ';
    if (entry.kind === 'tool') return `${inside}tool ${entry.state}: ${entry.title}`;
    return 'text' in entry ? `${inside}${entry.kind}: ${entry.text}` : `${inside}${entry.kind}`;
  });
}

const kinds = ({ sink }: Live): string[] => sink.entries.map(({ kind }) => kind);

const ANSWERS: Readonly<Record<RequestEntry['kind'], Answer>> = {
  permission: { type: 'permission', behavior: 'allow' },
  plan: { type: 'plan', approve: true },
  question: { type: 'question', answers: { color: { choices: ['Red'] }, next: { choices: ['A plan'] } } },
  form: { type: 'form', action: 'accept' },
};
const anyAnswer = (request: RequestEntry): Answer => ANSWERS[request.kind];

describe('features of the demo agent', () => {
  test('A30 the tour covers every feature and leaves nothing open', async () => {
    const live = await startLive(startOf(demo));
    await live.turn('tour', anyAnswer);
    expect(new Set(kinds(live))).toEqual(
      new Set(['user', 'text', 'thinking', 'tool', 'permission', 'question']),
    );
    expect(live.sink.state.turns.map(({ endedBy }) => endedBy)).toEqual(['completed']);
    expect(openEntries(live.sink.state)).toEqual([]);
    expect(live.sink.state.todos.map(({ state }) => state)).toEqual(Array(6).fill('done'));
    expect(live.sink.state.unrecognized.count).toBe(0);
    expect(live.sink.state.facts.commands?.map(({ name }) => name)).toContain('tour');
    await live.end();
  });

  test('A30 an edit changes a real file, with its diff, only when allowed', async () => {
    const directory = emptyDirectory();
    const file = join(directory, 'notes.md');
    writeFileSync(file, 'one\ntwo\n');
    const live = await startLive(startOf(demo, { directory }));
    await live.turn('edit notes.md replace two with 2', () => ({ type: 'permission', behavior: 'deny' }));
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
    await live.turn('edit notes.md replace two with 2');
    expect(readFileSync(file, 'utf8')).toBe('one\n2\n');
    await live.turn('edit notes.md add three');
    expect(readFileSync(file, 'utf8')).toBe('one\n2\nthree\n');
    const tools = live.sink.entries.filter((entry) => entry.kind === 'tool');
    expect(tools.map(({ state }) => state)).toEqual(['denied', 'done', 'done']);
    expect(tools[1]?.diff).toEqual([
      {
        path: file,
        hunks: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [' one', '-two', '+2'] }],
      },
    ]);
    // Typed without a path, as the tour suggests: a new file.
    await live.turn('edit');
    expect(readFileSync(join(directory, 'tugdeck-demo.md'), 'utf8')).toContain('demo agent');
    await live.end();
  });

  test('X33 edits nothing outside the project', async () => {
    const live = await startLive(startOf(demo));
    await live.turn('edit ../outside.txt add x');
    expect(outline(live).at(-1)).toBe('notice: ../outside.txt is not a file in this project.');
    await live.end();
  });

  test('A30 runs a command in the project with live output and exit code', async () => {
    const live = await startLive(startOf(demo));
    await live.turn('run echo first; echo second; exit 3');
    const tool = live.sink.entries.find((entry) => entry.kind === 'tool');
    expect(tool).toMatchObject({
      toolKind: 'shell',
      state: 'failed',
      result: { type: 'terminal', stdout: 'first\nsecond\n', exitCode: 3 },
    });
    expect(live.sink.lives.join('')).toContain('first\n');
    await live.end();
  });

  test('A30 questions, plans, thoughts, pictures', async () => {
    const live = await startLive(startOf(demo));
    await live.turn('ask', anyAnswer);
    expect(outline(live).at(-1)).toBe('text: You chose **red**. Type `plan` to see it.');
    await live.turn('plan', anyAnswer);
    await live.turn('/think');
    await live.turn('image');
    expect(kinds(live)).toEqual([
      ...['user', 'question', 'text'],
      ...['user', 'text', 'plan', 'text'],
      ...['user', 'thinking', 'text'],
      ...['user', 'text', 'tool', 'text'],
    ]);
    const image = live.sink.entries.find((entry) => entry.kind === 'tool');
    expect(image?.result).toMatchObject({ type: 'image', mimeType: 'image/png' });
    await live.end();
  });

  test('C12 nests subagents under their tool, with prompt and reply', async () => {
    const live = await startLive(startOf(demo));
    await live.turn('subagents');
    const agents = live.sink.entries.filter((entry) => entry.kind === 'tool' && entry.toolKind === 'agent');
    expect(agents).toHaveLength(2);
    for (const agent of agents) {
      expect(agent).toMatchObject({ state: 'done', status: 'complete', result: { type: 'agent' } });
      const inside = live.sink.entries.filter(({ parent }) => parent === agent.id);
      expect(inside.map(({ kind }) => kind)).toEqual(['tool', 'text']);
    }
    expect(openEntries(live.sink.state)).toEqual([]);
    await live.end();
  });

  test('A8 a failure becomes an error that says what happened', async () => {
    const live = await startLive(startOf(demo));
    await live.turn('fail');
    expect(live.sink.state.turns.at(-1)).toMatchObject({ endedBy: 'error' });
    expect(outline(live).at(-1)).toBe('notice: The demo agent failed on purpose.');
    await live.turn('fail tool');
    expect(live.sink.state.turns.at(-1)).toMatchObject({ endedBy: 'completed' });
    live.send('fail crash');
    await live.sink.until('its exit', ({ exit }) => exit !== undefined);
    expect(live.sink.exit).toMatchObject({ code: 1 });
  });

  test('A30 a flood of output arrives completely', async () => {
    const live = await startLive(startOf(demo));
    await live.turn('flood 5000');
    const text = live.sink.entries.find((entry) => entry.kind === 'text')?.text ?? '';
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(5000);
    expect(lines.at(-1)).toMatch(/^Line 5000 of 5000/);
    await live.end();
  });

  test('A30 anything else gets a friendly answer', async () => {
    const live = await startLive(startOf(demo));
    await live.turn('constructor');
    expect(outline(live).at(-1)).toContain('You said “constructor”.');
    await live.end();
  });

  test('A25 a message into the running turn is steered, and shown as joined', async () => {
    const live = await startLive(startOf(demo));
    expect(live.sink.state.facts.canSteer).toBe(true);
    live.send('slow 600');
    await live.sink.until('a word', () => live.sink.lives.length > 0);
    live.send('look here');
    expect(live.sink.calls.at(-1)).toBe('_session/steering');
    await live.sink.until('the agent received it', () => live.sink.lives.join('').includes('look here'));
    live.agent.cancel();
    await live.idle();
    expect(live.sink.state.turns).toHaveLength(1);
    expect(live.sink.state.turns[0]?.prompts).toHaveLength(2);
    expect(openEntries(live.sink.state)).toEqual([]);
    await live.end();
  });

  test('A14 switches modes and models; the mode decides whether it asks', async () => {
    const live = await startLive(startOf(demo, { mode: 'trust', model: 'quick' }));
    expect(live.sink.state.facts).toMatchObject({ mode: 'trust', model: 'quick' });
    expect(live.sink.entries).toEqual([]);
    await live.turn('run true');
    expect(kinds(live)).toEqual(['user', 'tool', 'text']);
    live.agent.configure('mode', 'ask');
    await live.sink.until('the mode', ({ state }) => state.facts.mode === 'ask');
    live.agent.configure('mode', 'nonsense');
    await live.sink.until('the refusal', ({ changes }) =>
      changes.some(({ kind }) => kind === 'config.refused'),
    );
    await live.turn('run true', () => ({ type: 'permission', behavior: 'allow', option: 'always' }));
    await live.sink.until('the mode', ({ state }) => state.facts.mode === 'trust');
    await live.end();
  });
});

describe('H8 cancel', () => {
  const POINTS: readonly { at: string; prompt: string; reached: (live: Live) => Promise<unknown> }[] = [
    {
      at: 'in a stream',
      prompt: 'slow 600',
      reached: ({ sink }) => sink.until('a word', () => sink.lives.length > 0),
    },
    {
      at: 'in a flood',
      prompt: 'flood 1000000',
      reached: ({ sink }) => sink.until('some lines', () => sink.lives.length > 100),
    },
    { at: 'while a permission waits', prompt: 'run echo hi', reached: (live) => live.request() },
    { at: 'while a question waits', prompt: 'ask', reached: (live) => live.request() },
    { at: 'while a plan waits', prompt: 'plan', reached: (live) => live.request() },
    {
      at: 'in a command',
      prompt: 'run echo started; sleep 600',
      reached: async (live) => {
        live.reply(await live.request(), allow());
        await live.sink.until('its output', () => live.sink.lives.join('').includes('started'));
      },
    },
  ];

  test.each(POINTS)('H8 $at ends the turn, leaves nothing open, and the next prompt works', async (point) => {
    const live = await startLive(startOf(demo));
    live.send(point.prompt);
    await point.reached(live);
    live.agent.cancel();
    await live.idle();
    expect(live.sink.state.turns.map(({ endedBy }) => endedBy)).toEqual(['cancelled']);
    expect(openEntries(live.sink.state)).toEqual([]);
    const tools = live.sink.entries.filter((entry) => entry.kind === 'tool');
    expect(tools.every(({ state }) => state === 'interrupted')).toBe(true);
    await live.turn('hello');
    expect(live.sink.state.turns.map(({ endedBy }) => endedBy)).toEqual(['cancelled', 'completed']);
    await live.end();
  });
});
