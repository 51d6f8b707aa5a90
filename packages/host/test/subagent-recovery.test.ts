import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecord } from '@tugdeck/drivers/known-histories';
import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { foldAll } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY, entryById } from '@tugdeck/protocol/conversation/state';
import { afterEach, expect, test } from 'vitest';
import { recoveryChanges } from '../src/recovery.ts';

const MAIN = '01a1f0e1-1b33-77a1-bd7b-69bfb397fe1f';
const MAIN_TURN = '01a1f0e1-1b5d-76c3-bb2a-21c31c76eecc';
const CHILD = '01a1f0e1-1d27-7883-b269-0605c0aafd95';
const CHILD_TURN = '01a1f0e1-1d33-7951-a8d4-b1969b3d8204';
const OTHER = '01a1f0e1-1d99-7883-b269-0605c0aafd95';
const OTHER_TURN = '01a1f0e1-1da2-7951-a8d4-b1969b3d8204';
const SPAWN = `${MAIN_TURN}/call_spawn`;

type Payload = Readonly<Record<string, unknown>>;
type Line = readonly [type: string, payload: Payload];

const item = (payload: Payload): Line => ['response_item', payload];
const event = (payload: Payload): Line => ['event_msg', payload];
const began = (turn: string): Line => event({ type: 'task_started', turn_id: turn, root_turn_id: MAIN_TURN });
const completed = (turn: string): Line => event({ type: 'task_complete', turn_id: turn });
const message = (id: string, text: string, role = 'assistant'): Line =>
  item({ type: 'message', id, role, content: [{ type: 'output_text', text }] });
const prompt = (text: string): Line => message(`msg_${text.length}`, text, 'user');
const called = (call: string, name: string, args: Payload): Line =>
  item({ type: 'function_call', id: `fc_${call}`, name, arguments: JSON.stringify(args), call_id: call });
const ran = (call: string, cmd: string): Line =>
  called(call, 'exec_command', { cmd, yield_time_ms: 120_000 });
const output = (call: string, text: string): Line =>
  item({ type: 'function_call_output', id: `fco_${call}`, call_id: call, output: text });
const printed = (call: string, text: string): Line =>
  output(call, `Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n${text}\n`);
/** As the agent writes a successful spawn call. */
const spawned = (call: string, thread: string, turn = MAIN_TURN): Line[] => [
  called(call, 'spawn_agent', { message: 'Look around.' }),
  event({
    type: 'item_completed',
    turn_id: turn,
    item: {
      type: 'CollabAgentToolCall',
      id: call,
      tool: 'spawn_agent',
      status: 'completed',
      receiver_thread_ids: [thread],
    },
  }),
  output(call, JSON.stringify({ agent_id: thread, nickname: 'Boole' })),
];

const PARENT: readonly Line[] = [began(MAIN_TURN), prompt('go'), ...spawned('call_spawn', CHILD)];
const CHILD_START: readonly Line[] = [
  began(CHILD_TURN),
  prompt('Look around.'),
  ran('call_c', 'make c'),
  printed('call_c', 'made c'),
];
const CHILD_REST: readonly Line[] = [
  message('item_look', 'I look at it.'),
  ran('call_d', 'make d'),
  printed('call_d', 'made d'),
];

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

/** Writes session files as the agent does, with the time of each line. */
function sessionFiles(files: Readonly<Record<string, readonly Line[]>>) {
  const home = mkdtempSync(join(tmpdir(), 'tds-'));
  homes.push(home);
  const folder = join(home, 'sessions/2026/11/18');
  mkdirSync(folder, { recursive: true });
  for (const [thread, lines] of Object.entries(files)) {
    const text = lines.map(([type, payload], at) =>
      JSON.stringify({ timestamp: new Date(1_795_042_647_000 + at).toISOString(), type, payload }),
    );
    writeFileSync(join(folder, `rollout-2026-11-18T22-57-27-${thread}.jsonl`), `${text.join('\n')}\n`);
  }
  return readRecord({ environment: { CODEX_HOME: home }, directory: '/project' }, MAIN, () => true);
}

function applyBodies(state: Conversation, bodies: readonly ChangeBody[]): Conversation {
  const changes = bodies.map((body, at) => ({ ...body, v: state.v + at + 1, at: 1 }) as Change);
  return foldAll(state, changes);
}

const tool = (id: string, title: string, more: object = {}) =>
  ({
    kind: 'entry.opened',
    entry: {
      kind: 'tool',
      id,
      status: 'partial',
      name: 'x',
      title,
      toolKind: 'shell',
      state: 'running',
      input: { command: title },
      ...more,
    },
  }) as ChangeBody;
const ended = (id: string): ChangeBody => ({
  kind: 'entry.closed',
  entry: id,
  status: 'complete',
  patch: { state: 'done' },
});

/** The journal at the kill, with the ids that the driver gives. */
const JOURNAL: readonly ChangeBody[] = [
  { kind: 'prompt.accepted', prompt: { id: 'p', text: 'go' } },
  { kind: 'turn.started', turn: 't', origin: 'user', prompts: ['p'] },
  { kind: 'prompt.progressed', prompt: 'p', delivery: 'delivered' },
  tool(SPAWN, 'Look around.', { toolKind: 'agent' }),
];
const JOURNALED_C: readonly ChangeBody[] = [
  tool(`${CHILD_TURN}/call_c`, 'make c', { parent: SPAWN }),
  ended(`${CHILD_TURN}/call_c`),
];

function recovered(journal: readonly ChangeBody[], files: Readonly<Record<string, readonly Line[]>>) {
  const record = sessionFiles(files)?.conversation;
  const half = applyBodies(EMPTY, journal);
  const { changes } = recoveryChanges(half, {
    label: 'Codex',
    why: 'It was killed.',
    now: 1_000,
    readRecord: () => record,
    isKnown: (id) => entryById(half, id) !== undefined,
  });
  const state = applyBodies(
    half,
    changes.map(({ body }) => body),
  );
  return { state, lines: [...entriesFrom(state.entries)].map(shown) };
}

function shown(entry: Entry): string {
  const what = entry.kind === 'tool' ? entry.title : 'text' in entry ? entry.text : '';
  const within = entry.parent === undefined ? '' : ` in ${entry.parent}`;
  return `${entry.kind} ${entry.status}: ${what}${within}`;
}

const notice = (text: string): string => `notice complete: It was killed. ${text}`;
const added = (entries: string): string =>
  notice(`Recovered from Codex's session file: ${entries} added below.`);
const START = ['user complete: go', 'tool stale: Look around.', `tool complete: make c in ${SPAWN}`];

test("H21 adds a subagent's missing entries below its call, in order", () => {
  const { state, lines } = recovered([...JOURNAL, ...JOURNALED_C], {
    [MAIN]: PARENT,
    [CHILD]: [...CHILD_START, ...CHILD_REST, ran('call_e', 'make e')],
  });
  expect(lines).toEqual([
    ...START,
    added('3 entries'),
    `text complete: I look at it. in ${SPAWN}`,
    `tool complete: make d in ${SPAWN}`,
    `tool stale: make e in ${SPAWN}`,
  ]);
  expect(entryById(state, `${CHILD_TURN}/call_d`)).toMatchObject({
    state: 'done',
    result: { stdout: 'made d\n' },
  });
});

test('H21 completes a cut-off command of a subagent, and the call of a finished one', () => {
  const { state, lines } = recovered(
    [...JOURNAL, tool(`${CHILD_TURN}/call_c`, 'make c', { parent: SPAWN })],
    { [MAIN]: PARENT, [CHILD]: [...CHILD_START, message('item_end', 'Seen.'), completed(CHILD_TURN)] },
  );
  expect(lines).toEqual([
    'user complete: go',
    'tool complete: Look around.',
    `tool complete: make c in ${SPAWN}`,
    notice("Recovered from Codex's session file: 2 entries completed above, 1 entry added below."),
    `text complete: Seen. in ${SPAWN}`,
  ]);
  expect(entryById(state, SPAWN)).toMatchObject({ state: 'done', result: { type: 'agent', text: 'Seen.' } });
  expect(entryById(state, `${CHILD_TURN}/call_c`)).toMatchObject({ result: { stdout: 'made c\n' } });
});

test("H21 adds a subagent that only the parent's session file names, with its own subagents", () => {
  const { lines } = recovered(JOURNAL.slice(0, 3), {
    [MAIN]: PARENT,
    [CHILD]: [...CHILD_START, ...spawned('call_inner', OTHER, CHILD_TURN)],
    [OTHER]: [began(OTHER_TURN), prompt('Look.'), ran('call_o', 'make o')],
  });
  expect(lines).toEqual([
    'user complete: go',
    added('4 entries'),
    'tool stale: spawn_agent',
    'tool complete: make c in call_spawn',
    'tool stale: spawn_agent in call_spawn',
    `tool stale: make o in ${CHILD_TURN}/call_inner`,
  ]);
});

test('H21 adds nothing twice when all of a subagent is known', () => {
  const journal = [...JOURNAL, ...JOURNALED_C, ended(SPAWN)];
  const { lines } = recovered(journal, { [MAIN]: PARENT, [CHILD]: [...CHILD_START, completed(CHILD_TURN)] });
  expect(lines).toEqual([
    'user complete: go',
    'tool complete: Look around.',
    `tool complete: make c in ${SPAWN}`,
    notice(
      "Codex's session file has nothing more of this turn. A step that it had just begun may be missing.",
    ),
  ]);
});

test('H21 leaves out what a subagent did before a known entry and is shown in another form', () => {
  const plan = called('call_plan', 'update_plan', { plan: [{ step: 'look', status: 'pending' }] });
  const { lines } = recovered([...JOURNAL, ...JOURNALED_C], {
    [MAIN]: PARENT,
    [CHILD]: [began(CHILD_TURN), plan, ...CHILD_START.slice(1)],
  });
  expect(lines).toEqual([
    ...START,
    notice(
      "Codex's session file has nothing more of this turn. A step that it had just begun may be missing.",
    ),
  ]);
});

test('H21 adds an unseen command of a subagent also before a known one', () => {
  const { lines } = recovered([...JOURNAL, ...JOURNALED_C], {
    [MAIN]: PARENT,
    [CHILD]: [began(CHILD_TURN), ran('call_b', 'make b'), ...CHILD_START.slice(1)],
  });
  expect(lines).toEqual([...START, added('1 entry'), `tool stale: make b in ${SPAWN}`]);
});

test("H22 says that a subagent's further work isn't known without its session file, unless it had ended", () => {
  const half = [...JOURNAL, ...JOURNALED_C];
  const { lines } = recovered(half, { [MAIN]: PARENT });
  expect(lines).toEqual([
    ...START,
    notice(
      "Codex's session file has nothing more of this turn. A step that it had just begun may be missing.",
    ),
    `notice complete: Tugdeck can't read the session file of this subagent, so anything else it did isn't known here. in ${SPAWN}`,
  ]);
  const known = recovered([...half, ended(SPAWN)], { [MAIN]: PARENT });
  expect(known.lines.filter((line) => line.includes('subagent'))).toEqual([]);
});

test("H21 skips the copy of the parent's conversation at the beginning of a subagent's file", () => {
  const spawn = event({
    type: 'item_completed',
    turn_id: MAIN_TURN,
    item: { type: 'SubAgentActivity', id: 'call_spawn', kind: 'started', agent_thread_id: CHILD },
  });
  const call = called('call_spawn', 'spawn_agent', { task_name: 'helper' });
  const { lines } = recovered([...JOURNAL, ...JOURNALED_C], {
    [MAIN]: [
      began(MAIN_TURN),
      prompt('go'),
      call,
      spawn,
      output('call_spawn', '{"task_name":"/root/helper"}'),
    ],
    [CHILD]: [
      began(MAIN_TURN),
      prompt('go'),
      message('item_old', 'I copy.'),
      call,
      ...CHILD_START,
      ...CHILD_REST,
    ],
  });
  expect(lines).toEqual([
    ...START,
    added('2 entries'),
    `text complete: I look at it. in ${SPAWN}`,
    `tool complete: make d in ${SPAWN}`,
  ]);
});

test('H21 ends when session files name each other', () => {
  const { lines } = recovered([...JOURNAL, ...JOURNALED_C], {
    [MAIN]: PARENT,
    [CHILD]: [...CHILD_START, ...spawned('call_inner', CHILD, CHILD_TURN)],
  });
  expect(lines.filter((line) => line.includes("can't read"))).toHaveLength(1);
});
