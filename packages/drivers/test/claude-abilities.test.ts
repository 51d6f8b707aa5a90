// Controls of the real, pinned agent besides prompts, against a scripted model on loopback: controls, options,
// sessions, attachments, hooks, servers, interrupts. The slow rest runs with TUGDECK_TEST_FULL=1.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { Attachment, Entry, RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { openEntries, pendingRequests } from '@tugdeck/protocol/conversation/state';
import { claudeBinary } from '@tugdeck/testkit/agents';
import { claudeEnvironment } from '@tugdeck/testkit/clean-env';
import { type FakeAnthropic, startFakeAnthropic } from '@tugdeck/testkit/fake-anthropic';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { projectFiles, shortAnswer } from '@tugdeck/testkit/scenarios';
import { failure, hold, text, toolUse } from '@tugdeck/testkit/script';
import { createSandbox, type Sandbox } from '@tugdeck/testkit/temp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claudeDriver } from '../src/claude/driver.ts';
import { readSessionFile, sessionFile } from '../src/claude/history-files.ts';
import { ContractSink } from '../src/kit/contract.ts';
import type { Agent, AgentStart, ControlAnswer } from '../src/kit/port.ts';

const full = process.env.TUGDECK_TEST_FULL === '1';

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

class Talk {
  readonly sink = new ContractSink();
  readonly agent: Agent;

  constructor(start: AgentStart) {
    this.agent = claudeDriver.start(start, this.sink);
  }

  send(words: string, more: { attachments?: Attachment[]; steer?: boolean } = {}): string {
    const id = crypto.randomUUID();
    this.sink.send(this.agent, { id, text: words, ...more });
    return id;
  }

  async control(what: string, input: Record<string, unknown> = {}): Promise<ControlAnswer> {
    return (await this.agent.control?.(what, input)) ?? { ok: false, text: 'no controls' };
  }

  over(): Promise<void> {
    return this.sink.until('the end of the turn', ({ state }) => state.turn === null);
  }

  async pending(count = 1): Promise<RequestEntry[]> {
    await this.sink.until('a request', ({ state }) => pendingRequests(state).length >= count);
    return pendingRequests(this.sink.state);
  }

  answer(request: RequestEntry, answer: Answer): void {
    this.sink.fold({ kind: 'request.settled', entry: request.id, status: 'answered', answer });
    this.agent.answer(request, answer);
  }

  async allow(count = 1): Promise<void> {
    for (const request of await this.pending(count))
      this.answer(request, { type: 'permission', behavior: 'allow' });
  }

  entries<K extends Entry['kind']>(kind: K): Extract<Entry, { kind: K }>[] {
    return [...entriesFrom(this.sink.state.entries)].filter(
      (entry): entry is Extract<Entry, { kind: K }> => entry.kind === kind,
    );
  }

  async end(): Promise<void> {
    this.agent.end();
    await this.sink.until('its exit', ({ exit }) => exit !== undefined);
    expect(this.sink.breaches).toEqual([]);
    expect(this.sink.state.unrecognized).toEqual({ count: 0, kinds: {} });
  }
}

interface Begin extends Partial<AgentStart> {
  readonly extra?: Record<string, string>;
}

async function begin({ extra = {}, ...more }: Begin = {}): Promise<Talk> {
  const talk = new Talk({
    command: claudeBinary(),
    args: [],
    directory: sandbox.project,
    environment: claudeEnvironment(sandbox, fake, { extra }),
    session: { kind: 'new', id: crypto.randomUUID() },
    maxLine: 16 << 20,
    ...more,
  });
  await talk.sink.until('it was ready', (sink) => sink.isReady);
  return talk;
}

const ends = (talk: Talk): (string | undefined)[] => talk.sink.state.turns.map(({ endedBy }) => endedBy);

test('A3 answers controls; effort, fast mode and style can be set', async () => {
  const talk = await begin();
  await talk.sink.until('its settings', ({ state }) =>
    Boolean(state.facts.options?.some(({ id, value }) => id === 'effort' && value !== undefined)),
  );
  expect(talk.sink.state.facts.options?.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
    'effort select',
    'fast boolean',
    'style select',
  ]);
  for (const [option, value] of [
    ['effort', 'low'],
    ['fast', 'true'],
    ['style', 'Concise'],
  ] as const) {
    talk.sink.fold({ kind: 'config.requested', option, value });
    talk.agent.configure(option, value);
    await talk.sink.until(option, ({ state }) => state.wanted[option] === undefined);
  }
  talk.send('SCN:write');
  await talk.allow();
  await talk.over();
  const values = talk.sink.state.facts.options?.map(({ value }) => value);
  expect(values).toEqual(['low', 'true', 'Concise']);

  const context = await talk.control('context');
  expect(context.text).toMatch(/^\d+ of \d+ tokens/);
  expect((await talk.control('cost')).text).toContain('Total cost');
  expect((await talk.control('usage')).text).toContain('This session: $');
  expect((await talk.control('status')).text).toContain('Model');
  expect((await talk.control('rules')).ok).toBe(true);
  expect(await talk.control('plan')).toMatchObject({ ok: true, text: 'No plan yet' });
  expect((await talk.control('settings')).text).toContain('effortLevel');
  expect((await talk.control('export')).text).toContain('SCN:write');
  for (const what of ['hooks', 'memory', 'skills', 'diff', 'mcp.status']) {
    expect(await talk.control(what), what).toMatchObject({ ok: true });
  }
  expect((await talk.control('files', { query: 'notes' })).ok).toBe(true);
  expect(await talk.control('rename', { title: 'Harbour work' })).toMatchObject({ ok: true });
  await talk.sink.until('the title', ({ state }) => state.facts.agentTitle === 'Harbour work');
  expect((await talk.control('btw', { question: 'SCN:text aside' })).text).toBe(
    `> SCN:text aside\n\n${shortAnswer}`,
  );

  expect(
    await talk.control('settings.change', { source: 'local', settings: { outputStyle: 'Learning' } }),
  ).toMatchObject({
    ok: true,
  });
  expect(readFileSync(join(sandbox.project, '.claude/settings.local.json'), 'utf8')).toContain('Learning');
  expect(await talk.control('settings.change', { source: 'everywhere', settings: {} })).toMatchObject({
    ok: false,
  });
  expect(await talk.control('dance')).toMatchObject({ ok: false });
  expect(talk.entries('text')).toHaveLength(1);
  await talk.end();
  expect(await talk.control('cost')).toEqual({ ok: false, text: 'The agent is not running.' });
});

test('A3 moves a command to the background, reads its output and stops it', async () => {
  const script = 'i=0; while [ $i -lt 600 ]; do echo tick; sleep 0.1; i=$((i+1)); done';
  fake.script('loop', [toolUse('Bash', { command: script, description: 'Tick' }), text('It ticks.')]);
  const talk = await begin();
  talk.send('SCN:loop');
  await talk.allow();
  await talk.sink.until('its task', () => talk.entries('tool')[0]?.task !== undefined);
  const tool = talk.entries('tool')[0];
  expect(await talk.control('task.background', { tool: tool?.id })).toMatchObject({ ok: true });
  await talk.over();
  expect(talk.entries('tool')[0]?.state).toBe('background');
  expect((await talk.control('task.output', { task: tool?.task })).text).toContain('tick');
  expect(await talk.control('task.stop', { task: tool?.task })).toMatchObject({ ok: true });
  await talk.sink.until('its end', () => talk.entries('tool')[0]?.state === 'interrupted');
  await talk.end();
});

test('A6 resumes and forks a session, also at a message; its cost is inherited', async () => {
  const first = await begin();
  first.send('SCN:text one');
  await first.over();
  const two = first.send('SCN:read two');
  await first.over();
  const { agentSession = '' } = first.sink.state.facts;
  const spent = first.sink.state.usage.costUsd ?? 0;
  await first.end();

  const again = await begin({ session: { kind: 'continue', id: '' }, usage: first.sink.state.usage });
  again.send('SCN:text three');
  await again.over();
  expect(again.sink.state.facts.agentSession).toBe(agentSession);
  expect(again.sink.state.usage.costUsd).toBeGreaterThan(spent);
  const total = again.sink.state.usage.costUsd ?? 0;
  await again.end();

  const fork = await begin({ session: { kind: 'fork', id: agentSession } });
  fork.send('SCN:text four');
  await fork.over();
  expect(fork.sink.state.facts.agentSession).not.toBe(agentSession);
  expect(fork.sink.state.usage.inheritedUsd).toBeCloseTo(total, 6);
  expect(fork.sink.state.usage.costUsd).toBeGreaterThan(total);
  expect(JSON.stringify(fake.requests.at(-1)?.body.messages)).toContain('SCN:text three');
  await fork.end();

  const cut = await begin({ session: { kind: 'fork', id: agentSession, at: two } });
  cut.send('SCN:text five');
  await cut.over();
  const request = JSON.stringify(fake.requests.at(-1)?.body.messages);
  expect(request).toContain('SCN:text one');
  expect(request).not.toContain('SCN:read two');
  await cut.end();

  const file = sessionFile({ environment: { HOME: sandbox.home }, directory: sandbox.project }, agentSession);
  const { conversation } = readSessionFile(file ?? '');
  expect([...entriesFrom(conversation.entries)].map(({ id, kind }) => ({ id, kind }))).toEqual(
    [...entriesFrom(first.sink.state.entries), ...entriesFrom(again.sink.state.entries)].map(
      ({ id, kind }) => ({
        id,
        kind,
      }),
    ),
  );
});

test('A12 an image, a PDF and a text file reach the model', async () => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const pdf = Buffer.from(
    '%PDF-1.1\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
  ).toString('base64');
  const notes = Buffer.from('remember the anchor').toString('base64');
  const talk = await begin();
  const id = talk.send('SCN:text look', {
    attachments: [
      { name: 'a.png', mimeType: 'image/png', size: 70, data: png },
      { name: 'b.pdf', mimeType: 'application/pdf', size: 70, data: pdf },
      { name: 'c.txt', mimeType: 'text/plain', size: 19, data: notes },
    ],
  });
  await talk.over();
  expect(ends(talk)).toEqual(['completed']);
  const request = JSON.stringify(fake.requests.at(-1)?.body.messages);
  expect(request).toContain('"media_type":"image/png"');
  expect(request).toContain('"media_type":"application/pdf"');
  expect(request).toContain('remember the anchor');
  expect(talk.entries('user')[0]).toMatchObject({ id, delivery: 'delivered' });
  await talk.end();
});

test('A25 a steered message joins the turn at its next step', async () => {
  const talk = await begin();
  talk.send('SCN:bash');
  await talk.pending();
  const second = talk.send('Also mind the rail.', { steer: true });
  await talk.allow();
  await talk.over();
  expect(talk.entries('user')[1]).toMatchObject({
    id: second,
    steered: true,
    turn: talk.entries('user')[0]?.turn,
  });
  expect(JSON.stringify(fake.requests.at(-1)?.body.messages)).toContain('Also mind the rail.');
  expect(ends(talk)).toEqual(['completed']);
  await talk.end();
});

test('A7 slash commands, /compact and /clear: the session follows and the cost never falls', async () => {
  const talk = await begin();
  talk.send('SCN:text');
  await talk.over();
  const before = talk.sink.state.facts.agentSession;
  talk.send('/cost');
  await talk.over();
  expect(talk.entries('command')).toMatchObject([
    { name: 'usage', text: expect.stringContaining('Total cost') },
  ]);
  talk.send('SCN:read');
  await talk.over();
  talk.send('/compact');
  await talk.over();
  const spent = talk.sink.state.usage.costUsd ?? 0;
  talk.send('/clear');
  await talk.over();
  expect(talk.sink.state.facts.agentSession).not.toBe(before);
  expect(talk.entries('notice').map(({ notice }) => notice)).toEqual(['compaction', 'injected', 'fresh']);
  talk.send('SCN:text');
  await talk.over();
  expect(talk.sink.state.usage.costUsd).toBeGreaterThan(spent);
  expect(talk.entries('text').filter((entry) => entry.text === shortAnswer)).toHaveLength(2);
  await talk.end();
});

test("A9 shows a hook's denial once, at what it denies, with its own text", async () => {
  const settings = {
    hooks: {
      PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'echo not today >&2; exit 2' }] }],
    },
  };
  const talk = await begin({ args: ['--settings', JSON.stringify(settings)] });
  talk.send('SCN:bash');
  await talk.over();
  expect(talk.entries('tool')[0]).toMatchObject({
    state: 'denied',
    denied: { by: 'hook', why: 'not today' },
  });
  expect(talk.entries('notice')).toEqual([]);
  await talk.end();
});

const SERVER = `
let rest = '';
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
let call;
process.stdin.on('data', (chunk) => {
  rest += chunk;
  const lines = rest.split('\\n');
  rest = lines.pop();
  for (const line of lines.filter(Boolean)) {
    const { id, method, params, result } = JSON.parse(line);
    if (method === 'initialize') say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } } });
    else if (method === 'tools/list') say({ id, result: { tools: [{ name: 'ask', description: 'Asks', inputSchema: { type: 'object', properties: {} } }] } });
    else if (method === 'tools/call') { call = id; say({ id: 'e1', method: 'elicitation/create', params: { message: 'Which colour?', requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] } } }); }
    else if (id === 'e1') say({ id: call, result: { content: [{ type: 'text', text: 'got ' + JSON.stringify(result) }] } });
    else if (id !== undefined) say({ id, result: {} });
  }
});
`;

test('A3 an MCP server: its tool, its form, its status, off and on', async () => {
  const program = join(sandbox.project, 'server.cjs');
  writeFileSync(program, SERVER);
  fake.script('mcp', [toolUse('mcp__tiny__ask', {}), text('Thanks.')]);
  const servers = { mcpServers: { tiny: { command: process.execPath, args: [program] } } };
  const talk = await begin({ args: ['--mcp-config', JSON.stringify(servers)] });
  talk.send('SCN:mcp');
  await talk.allow();
  const form = (await talk.pending())[0];
  if (form?.kind !== 'form') throw new Error('not a form');
  expect(form.request).toMatchObject({ title: 'tiny asks', message: 'Which colour?' });
  talk.answer(form, { type: 'form', action: 'accept', content: { colour: 'green' } });
  await talk.over();
  expect(JSON.stringify(talk.entries('tool')[0]?.result)).toContain('green');
  const status = (): string | undefined =>
    talk.sink.state.facts.mcpServers?.find(({ name }) => name === 'tiny')?.status;
  expect(status()).toBe('connected');
  // Its configuration may contain keys: neither shown nor kept.
  expect(await talk.control('mcp.status')).toEqual({ ok: true, text: 'tiny: connected', data: {} });
  expect(talk.sink.state.facts.mcpServers).toEqual([
    { name: 'tiny', status: 'connected', tools: [{ name: 'ask' }] },
  ]);
  expect(await talk.control('mcp.toggle', { server: 'tiny', enabled: false })).toMatchObject({ ok: true });
  await talk.sink.until('it is off', () => status() === 'disabled');
  expect(await talk.control('mcp.toggle', { server: 'tiny', enabled: true })).toMatchObject({ ok: true });
  await talk.sink.until('it is on', () => status() === 'connected');
  expect(await talk.control('mcp.reconnect', { server: 'tiny' })).toMatchObject({ ok: true });
  await talk.end();
});

test('A14 the mode that allows everything can be chosen during a session', async () => {
  const talk = await begin();
  expect(talk.sink.state.facts.modes?.find(({ id }) => id === 'bypassPermissions')?.dangerous).toBe(true);
  talk.agent.configure('mode', 'bypassPermissions');
  await talk.sink.until('the mode', ({ state }) => state.facts.mode === 'bypassPermissions');
  talk.send('SCN:bash');
  await talk.over();
  expect(talk.entries('permission')).toEqual([]);
  expect(talk.entries('tool')[0]?.state).toBe('done');
  await talk.end();
});

interface Phase {
  readonly title: string;
  readonly keyword: string;
  until(talk: Talk): Promise<unknown>;
  readonly shown: readonly string[];
}

const child = { subagent_type: 'general-purpose', run_in_background: false };
const PHASES: readonly Phase[] = [
  { title: 'before the first byte', keyword: 'silent', until: () => fake.reached('silent'), shown: [] },
  {
    title: 'mid text',
    keyword: 'hold',
    until: (talk) => talk.sink.until('text', () => (talk.entries('text')[0]?.text ?? '') !== ''),
    shown: ['text cancelled'],
  },
  {
    title: 'mid tool input',
    keyword: 'json',
    until: (talk) => talk.sink.until('a tool', () => talk.entries('tool').length > 0),
    shown: ['tool interrupted'],
  },
  {
    title: 'a permission pending',
    keyword: 'bash',
    until: (talk) => talk.pending(),
    shown: ['text', 'tool interrupted', 'permission cancelled'],
  },
  {
    title: 'a tool running',
    keyword: 'tick',
    until: async (talk) => {
      await talk.allow();
      await waitFor(() => existsSync(join(sandbox.project, 'ticking')), { what: 'the command to run' });
    },
    shown: ['tool interrupted', 'permission'],
  },
  {
    title: 'a subagent running',
    keyword: 'sub',
    until: () => fake.reached('mid'),
    shown: ['tool interrupted'],
  },
];

describe('interrupt', () => {
  test.each(full ? PHASES : PHASES.slice(0, 4))('H8 $title', async ({ keyword, until, shown }) => {
    fake.script('json', [[toolUse('Write', { file_path: 'a', content: 'b'.repeat(400) }, { gate: 'tick' })]]);
    fake.script('tick', [
      toolUse('Bash', {
        command: 'touch ticking; while true; do echo tick >> ticking; sleep 0.05; done',
        description: 'x',
      }),
    ]);
    fake.script('child', [text(['Half ', hold('mid'), 'more'])]);
    fake.script('sub', [
      toolUse('Agent', { description: 'Look', prompt: 'SCN:child go', ...child }),
      text('done'),
    ]);
    fake.release('tick');
    const talk = await begin();
    talk.send(`SCN:${keyword}`);
    await until(talk);
    talk.agent.cancel();
    await talk.over();
    expect(ends(talk)).toEqual(['cancelled']);
    expect(openEntries(talk.sink.state)).toEqual([]);
    const kinds = [...entriesFrom(talk.sink.state.entries)].slice(1).map((entry) => {
      if (entry.kind === 'tool') return `tool ${entry.state}`;
      return entry.status === 'complete' ? entry.kind : `${entry.kind} ${entry.status}`;
    });
    expect(kinds).toEqual([...shown, 'notice']);
    talk.send('SCN:text after');
    await talk.over();
    expect(talk.entries('text').at(-1)?.text).toBe(shortAnswer);
    await talk.end();
  });
});

interface Row {
  readonly title: string;
  readonly step: ReturnType<typeof failure>;
  readonly says: RegExp;
  readonly advises: RegExp;
  readonly extra?: Record<string, string>;
}

const ROWS: readonly Row[] = [
  { title: '400', step: failure(400), says: /400/, advises: /Change the message/ },
  {
    title: '400 too long',
    step: failure(400, { message: 'prompt is too long: 250000 tokens > 200000 maximum' }),
    says: /too long/i,
    advises: /\/compact/,
  },
  { title: '401', step: failure(401), says: /key|authenticat/i, advises: /claude auth login/ },
  { title: '403', step: failure(403), says: /403|authenticat|log ?in/i, advises: /claude auth login/ },
  { title: '404', step: failure(404, { message: 'model: none' }), says: /model/i, advises: /another model/ },
  { title: '429', step: failure(429, { retryAfter: 0 }), says: /limit|429/i, advises: /Wait a while/ },
  { title: '500', step: failure(500), says: /500|server/i, advises: /again later/ },
  { title: '529', step: failure(529, { retryAfter: 0 }), says: /overloaded|529/i, advises: /again later/ },
  {
    title: 'a limit of the plan',
    step: failure(429, {
      headers: {
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-reset': '1999999999',
        'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      },
    }),
    says: /limit/,
    advises: /reached the limit of your plan; it is free again at 2033-05-18T03:33Z/,
    extra: { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-dummy' },
  },
];

describe('errors', () => {
  test.each(full ? ROWS : ROWS.filter(({ title }) => /^(401|400 too long|a limit)/.test(title)))(
    'A8 $title says what happened and what to do',
    async ({ step, says, advises, extra = {} }) => {
      fake.script('fails', [step]);
      const talk = await begin({ extra: { CLAUDE_CODE_MAX_RETRIES: '1', ...extra } });
      talk.send('SCN:fails');
      await talk.over();
      expect(ends(talk)).toEqual(['error']);
      const last = talk.entries('notice').at(-1);
      expect(last).toMatchObject({ notice: 'error', level: 'error' });
      expect(last?.text).toMatch(says);
      expect(last?.detail).toMatch(advises);
      talk.send('SCN:text');
      await talk.over();
      expect(ends(talk)).toEqual(['error', 'completed']);
      await talk.end();
    },
    60_000,
  );

  test('A8 advises to sign in at the first attempt, while the agent still retries', async () => {
    fake.script('fails', [failure(401)]);
    const talk = await begin({ extra: { CLAUDE_CODE_MAX_RETRIES: '10' } });
    talk.send('SCN:fails');
    await talk.sink.until('the first notice', () => talk.entries('notice').length > 0);
    expect(talk.entries('notice')[0]).toMatchObject({ notice: 'retry', level: 'error' });
    expect(talk.entries('notice')[0]?.detail).toContain('claude auth login');
    const { turn } = talk.sink.state;
    expect(turn).toMatchObject({ phase: 'retrying' });
    expect(turn?.until).toBeGreaterThan(0);
    talk.agent.cancel();
    await talk.over();
    expect(ends(talk)).toEqual(['cancelled']);
    await talk.end();
  });
});
