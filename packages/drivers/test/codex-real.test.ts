// The driver with the real, pinned `codex app-server` against a scripted model on loopback.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentFolder, whyMissing } from '@tugdeck/testkit/agents';
import { askingServers } from '@tugdeck/testkit/mcp-server';
import { commandOf, isAlive, kill9, waitFor } from '@tugdeck/testkit/process-facts';
import { madeFile, shortAnswer } from '@tugdeck/testkit/scenarios';
import { failure, hold, text, toolUse } from '@tugdeck/testkit/script';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { acpDriver } from '../src/acp/driver.ts';
import { codexDriver } from '../src/codex/driver.ts';
import { CONTRACT, PROGRAM_CONTRACT } from '../src/kit/contract.ts';
import { recordOf } from '../src/kit/fields.ts';
import { openWorld, Talk, type World } from './codex-live.ts';
import { isFull } from './mutations.ts';

const isMissing = whyMissing('codex') !== undefined;
const live = describe.skipIf(isMissing);
/** Too slow for the default tier. */
const whole = describe.skipIf(isMissing || !isFull);
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

/** The last model request, as text. */
const lastRequest = (): string => JSON.stringify(world.fake.requests.at(-1)?.body ?? null);
const commandRuns = (): boolean => world.sandbox.strays().some((pid) => commandOf(pid).startsWith('tail\0'));

live('contract', () => {
  test.each([...CONTRACT, ...PROGRAM_CONTRACT])('A2 A50 contract: $title', async ({ run }) => {
    await run({
      driver: codexDriver,
      start: () => world.start(),
      prompts: { text: 'SCN:text', permission: 'SCN:bash', endless: 'SCN:hold' },
      uuid: () => randomUUID(),
    });
  });
});

whole('trust', () => {
  test('X36 A50 project configuration takes effect only by the trust given here', async () => {
    const folder = join(world.sandbox.project, 'in.ner');
    mkdirSync(join(folder, '.codex'), { recursive: true });
    const ran = async (untrusted: boolean): Promise<boolean> => {
      const mark = join(world.sandbox.root, `ran-${untrusted}`);
      const server = `[mcp_servers.x]\ncommand = "/bin/sh"\nargs = ["-c", "touch ${mark}"]\n`;
      writeFileSync(join(folder, '.codex/config.toml'), server);
      const talk = await Talk.begin(world.start({ directory: folder, untrusted }));
      await talk.turn('SCN:text');
      await talk.end();
      return existsSync(mark);
    };
    // Codex itself trusts the folder above it.
    expect([await ran(true), await ran(false)]).toEqual([false, true]);
  });
});

whole('requests', () => {
  test('A50 every answer to a command: decline, decline and stop, allow for the session', async () => {
    const talk = await Talk.begin(world.start());
    await talk.turn('SCN:bash', () => ({ type: 'permission', behavior: 'deny' }));
    expect(talk.tools[0]).toMatchObject({ state: 'denied', denied: { by: 'user' } });
    expect(talk.textOf('text').at(-1)).toBe('The file is made.');
    await talk.turn('SCN:bash', () => ({ type: 'permission', behavior: 'deny', option: 'cancel' }));
    expect(talk.sink.state.turns.map(({ endedBy }) => endedBy)).toEqual(['completed', 'cancelled']);
    expect(existsSync(join(world.sandbox.project, madeFile))).toBe(false);
    let asked = 0;
    const forSession = () => {
      asked++;
      return { type: 'permission', behavior: 'allow', option: 'acceptForSession' } as const;
    };
    await talk.turn('SCN:bash', forSession);
    await talk.turn('SCN:bash', forSession);
    expect(asked).toBe(1);
    expect(existsSync(join(world.sandbox.project, madeFile))).toBe(true);
    expect(talk.tools.at(-1)).toMatchObject({ state: 'done', result: { stdout: 'done\n', exitCode: 0 } });
    await talk.end();
  });

  test("A50 requests an edit with its diff, and a server's tool with its input", async () => {
    world.fake.script('ask', [toolUse('mcp__asker__ask', { text: 'hello' }), text('Asked.')]);
    const talk = await Talk.begin(world.start({ mcpServers: askingServers, model: 'gpt-5.4' }));
    talk.send('SCN:ask');
    const tool = await talk.request();
    expect(tool).toMatchObject({ kind: 'permission', request: { input: { text: 'hello' } } });
    talk.reply(tool, { type: 'permission', behavior: 'allow' });
    const form = await talk.request();
    talk.reply(form, { type: 'form', action: 'decline' });
    await talk.idle();
    expect(talk.tools[0]?.state).toBe('done');
    await talk.end();
    const other = await Talk.begin(world.start());
    other.send('SCN:edit');
    const edit = await other.request();
    expect(JSON.stringify(edit)).toContain('+  const whom = name.trim();');
    other.reply(edit, { type: 'permission', behavior: 'allow' });
    await other.idle();
    expect(readFileSync(join(world.sandbox.project, 'src/greet.ts'), 'utf8')).toContain('name.trim()');
    await other.agent.control?.('diff', {}).then(({ text: diff }) => expect(diff).toContain('+  const whom'));
    await other.end();
  });

  test('A50 C19 lists MCP servers with their tools and schemas, and restarts one that ended', async () => {
    const talk = await Talk.begin(world.start({ mcpServers: askingServers }));
    await talk.turn('SCN:text');
    await talk.until('the server', ({ state }) => state.facts.mcpServers?.[0]?.status === 'connected');
    const listed = await talk.agent.control?.('mcp.status', {});
    expect(listed).toMatchObject({
      ok: true,
      data: { servers: [{ name: 'asker', tools: [{ name: 'ask', inputSchema: { type: 'object' } }] }] },
    });
    expect(talk.sink.state.facts.mcpServers).toMatchObject([{ name: 'asker', tools: [{ name: 'ask' }] }]);
    const servers = () =>
      world.sandbox.strays().filter((pid) => {
        const file = `/proc/${pid}/cmdline`;
        return existsSync(file) && readFileSync(file, 'latin1').includes(askingServers.asker.args[0] ?? '');
      });
    await waitFor(() => servers().length === 1, { what: 'the server' });
    for (const pid of servers()) kill9(pid);
    await waitFor(() => servers().length === 0, { what: 'the end of the server' });
    const again = talk.sink.until(
      'its restart',
      ({ state }) => state.facts.mcpServers?.[0]?.status === 'pending',
    );
    expect(await talk.agent.control?.('mcp.reconnect', { server: 'asker' })).toMatchObject({ ok: true });
    await again;
    await waitFor(() => servers().length === 1, { what: 'the new server' });
    await talk.end();
  });

  test('A50 plan mode: answers a question, shows the plan, and leaving changes the mode', async () => {
    world.fake.script('plan', [
      text('Here it is.\n<proposed_plan>\n# The plan\n\n1. Look\n</proposed_plan>\n'),
    ]);
    const talk = await Talk.begin(world.start({ mode: 'plan' }));
    expect(talk.sink.state.facts.mode).toBe('plan');
    talk.send('SCN:question');
    const question = await talk.request();
    expect(question.kind).toBe('question');
    const id = question.kind === 'question' ? (question.request.questions[0]?.id ?? '') : '';
    talk.reply(question, { type: 'question', answers: { [id]: { choices: ['Green'] } } });
    await talk.idle();
    expect(lastRequest()).toContain('Green');
    await talk.turn('SCN:plan');
    expect(talk.textOf('text').join('\n')).toContain('# The plan');
    talk.agent.configure('mode', 'workspace-write');
    await talk.until('the mode', ({ state }) => state.facts.mode === 'workspace-write');
    await talk.end();
  });
});

live('stop', () => {
  test('H8 A50 stop ends the command, but not what was left in the background', async () => {
    // In the sandbox, where an interrupt alone leaves it running.
    const script = (keyword: string, cmd: string, yield_time_ms: number, end: string) =>
      world.fake.script(keyword, [toolUse('exec_command', { cmd, yield_time_ms }), text(end)]);
    script('leave', 'sleep 600', 250, 'It runs on.');
    script('endless', 'tail -f notes.md', 120_000, 'Over.');
    const talk = await Talk.begin(world.start());
    await talk.turn('SCN:leave');
    expect(talk.tools[0]).toMatchObject({ status: 'complete', state: 'background' });
    const { task } = talk.tools[0] ?? {};
    const ended = () =>
      talk.callsOf('thread/backgroundTerminals/terminate').map(({ params }) => recordOf(params).processId);
    talk.send('SCN:endless');
    await talk.until('the command', () => talk.tools[1]?.state === 'running');
    await waitFor(commandRuns, { what: 'the command to run' });
    talk.agent.cancel();
    await talk.idle();
    await waitFor(() => !commandRuns(), { what: 'the command to end' });
    await talk.until('its end', () => talk.tools[1]?.result !== undefined);
    expect(talk.tools[1]).toMatchObject({ state: 'interrupted', status: 'cancelled' });
    expect(ended()).toHaveLength(1);
    expect(ended()).not.toContain(task);
    const tasks = await talk.agent.control?.('tasks', {});
    expect(tasks?.text).toContain('sleep 600');
    await talk.agent.control?.('task.stop', { task });
    await talk.until('the end of what was left', () => talk.tools[0]?.state === 'failed');
    await talk.end();
  });

  test('H8 A50 stops a turn that Codex has not started yet', async () => {
    const talk = await Talk.begin(world.start());
    talk.send('SCN:hold');
    talk.agent.cancel();
    await talk.idle();
    expect(talk.sink.state.turns[0]?.endedBy).toBe('cancelled');
    // Answered but not started: an interrupt is refused in between.
    const { record } = talk.sink;
    talk.sink.record = (direction, line) => {
      record(direction, line);
      if (direction === 'out' && line.includes('"result":{"turn"')) queueMicrotask(() => talk.agent.cancel());
    };
    talk.send('SCN:hold');
    await talk.idle();
    expect(talk.sink.state.turns[1]?.endedBy).toBe('cancelled');
    await talk.end();
  });
});

whole('turns', () => {
  test('A25 A50 a message into the running turn interrupts the stream, and the model has it', async () => {
    const talk = await Talk.begin(world.start());
    talk.send('SCN:hold');
    await talk.until('the first half', () => talk.textOf('text')[0] !== undefined);
    const steered = talk.send('SCN:text instead');
    await talk.idle();
    expect(talk.callsOf('turn/steer')).toHaveLength(1);
    expect(talk.sink.state.turns).toHaveLength(1);
    expect(talk.sink.state.turns[0]?.prompts).toContain(steered);
    expect(talk.entries.filter(({ kind }) => kind === 'text')).toMatchObject([
      { status: 'cancelled', forgotten: true },
      { status: 'complete', text: shortAnswer },
    ]);
    expect(lastRequest()).not.toContain('The first half');
    await talk.end();
  });

  test('A12 A50 an image reaches the model', async () => {
    const talk = await Talk.begin(world.start());
    talk.send('SCN:text look', [{ name: 'dot.png', mimeType: 'image/png', size: 70, data: PIXEL }]);
    await talk.idle();
    expect(lastRequest()).toContain(PIXEL);
    expect(talk.entries.filter(({ kind }) => kind === 'user')).toMatchObject([{ delivery: 'delivered' }]);
    expect(talk.textOf('notice')).toEqual([]);
    await talk.end();
  });

  test('A50 shows a command that the sandbox blocks at once', async () => {
    world.fake.script('quick', [toolUse('exec_command', { cmd: 'touch forbidden.txt' }), text('It failed.')]);
    const talk = await Talk.begin(world.start());
    await talk.turn('SCN:quick');
    expect(talk.tools).toMatchObject([{ title: 'touch forbidden.txt', state: 'failed' }]);
    await talk.end();
  });

  test('A8 A50 an error has advice, and the next message works', async () => {
    world.fake.script('unknown', [failure(401, { message: 'no such key' })]);
    const talk = await Talk.begin(world.start());
    await talk.turn('SCN:unknown');
    expect(talk.sink.state.turns.at(-1)?.endedBy).toBe('error');
    expect(talk.textOf('notice').at(-1)).toMatch(/no such key[\s\S]*codex login/);
    await talk.turn('SCN:text');
    expect(talk.textOf('text')).toEqual([shortAnswer]);
    await talk.end();
  });

  test('A50 /compact, /review and /goal have their own turns', async () => {
    const talk = await Talk.begin(world.start());
    await talk.turn('SCN:text');
    await talk.turn('/compact');
    expect(talk.textOf('notice')).toContain('The conversation was summed up.');
    await talk.turn('/review SCN:text only the names');
    expect(talk.textOf('notice').some((line) => line.startsWith('Review: '))).toBe(true);
    await talk.turn('/goal clear');
    expect(talk.sink.state.turns.every(({ endedBy }) => endedBy === 'completed')).toBe(true);
    await talk.end();
  });
});

whole('threads', () => {
  test('A6 A50 a fork ends where requested, according to the next model request', async () => {
    const talk = await Talk.begin(world.start());
    await talk.turn('SCN:text alpha-one');
    await talk.turn('SCN:text beta-two');
    await talk.turn('SCN:text gamma-three');
    const users = talk.entries.filter(({ kind }) => kind === 'user');
    const texts = talk.entries.filter(({ kind }) => kind === 'text');
    const fork = async (at: string | undefined): Promise<Talk> => {
      const session = {
        kind: 'fork',
        id: talk.thread,
        replayHistory: true,
        ...(at === undefined ? {} : { at }),
      } as const;
      const copy = await Talk.begin(world.start({ session }));
      const prompts = copy.textOf('user');
      await copy.turn('SCN:text on');
      const request = lastRequest();
      for (const words of ['alpha-one', 'beta-two', 'gamma-three'])
        expect(request.includes(words)).toBe(prompts.some((one) => one.includes(words)));
      await copy.end();
      return copy;
    };
    const promptsIn = async (at: string | undefined) => (await fork(at)).textOf('user').slice(0, -1);
    expect(await promptsIn(undefined)).toHaveLength(3);
    // Up to an answer, before a message, and before everything.
    expect(await promptsIn(texts[0]?.id)).toEqual(['SCN:text alpha-one']);
    expect(await promptsIn(users[2]?.id)).toEqual(['SCN:text alpha-one', 'SCN:text beta-two']);
    expect(await promptsIn(users[0]?.id)).toEqual([]);
    await talk.end();
  });

  test('H9 A50 resumes a killed agent in its mode, and the model knows what is shown', async () => {
    const talk = await Talk.begin(world.start({ mode: 'workspace-write' }));
    await talk.turn('SCN:text before');
    talk.agent.configure('effort', 'high');
    await talk.until('the effort', ({ state }) => state.facts.options?.[0]?.value === 'high');
    kill9(talk.sink.pid ?? 0);
    await talk.until('its exit', ({ exit }) => exit !== undefined);
    const session = { kind: 'resume', id: talk.thread } as const;
    const { mode, model } = talk.sink.state.facts;
    const next = await Talk.begin(world.start({ session, mode, model }));
    expect(next.sink.state.facts).toMatchObject({ mode: 'workspace-write', model: 'gpt-5.5' });
    // Our own journal has the history, so it is not replayed.
    expect(next.entries).toEqual([]);
    await next.turn('SCN:text after');
    expect(lastRequest()).toContain('SCN:text before');
    await next.end();
    const unknown = new Talk(world.start({ session: { kind: 'resume', id: randomUUID() } }));
    await unknown.until('its exit', ({ exit }) => exit !== undefined);
    expect(unknown.sink.exit?.unresumable).toBe(true);
  });

  test('A42 A50 marks what a killed agent lacks, and imports turns of another program once', async () => {
    const talk = await Talk.begin(world.start());
    await talk.turn('SCN:text ours');
    talk.send('SCN:hold');
    await talk.until('the first half', () => talk.textOf('text').length === 2);
    kill9(talk.sink.pid ?? 0);
    await talk.until('its exit', ({ exit }) => exit !== undefined);
    const session = { kind: 'resume', id: talk.thread } as const;
    const start = world.start({ session });
    const said = talk.entries.flatMap(({ kind, id }) => (kind === 'user' || kind === 'text' ? [id] : []));
    expect([...(codexDriver.missingFrom?.(start, said) ?? [])]).toEqual(said.slice(-1));
    const isOurs = (entry: string): boolean => said.includes(entry);
    expect(codexDriver.externalTurns?.(start, isOurs)).toEqual([]);
    const other = await Talk.begin(start);
    await other.turn('SCN:text theirs');
    await other.end();
    const external = codexDriver.externalTurns?.(start, isOurs) ?? [];
    expect(JSON.stringify(external)).toContain('SCN:text theirs');
    expect(JSON.stringify(external)).not.toContain('SCN:text ours');
    const names = external.flatMap(({ body }) => (body.kind === 'entry.opened' ? [body.entry.id] : []));
    expect(codexDriver.externalTurns?.(start, (entry) => isOurs(entry) || names.includes(entry))).toEqual([]);
  });

  test('H9 A42 A50 killed at any line, repeatedly: the model knows everything shown and not marked', async () => {
    const rounds = Number(process.env.TUGDECK_KILLS ?? 20);
    let state = 7;
    const random = (below: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const pieces = Array.from({ length: 30 }, (_, at) => `piece${at} `);
    const shown: { readonly id: string; readonly words: string }[] = [];
    let thread: string | undefined;
    let marked = 0;
    for (let round = 0; round < rounds; round++) {
      // The turn never ends by itself: if too few lines come, it is killed in the middle of the answer.
      const words = pieces.map((piece) => `r${round}-${piece}`);
      const middle = `middle${round}`;
      const answer = text([words.slice(0, 15).join(''), hold(middle), words.slice(15).join('')], {
        chunk: 9,
      });
      world.fake.script(`round${round}`, [
        [text(`r${round}-first.`), toolUse('exec_command', { cmd: 'echo ran' })],
        answer,
      ]);
      const session = thread === undefined ? undefined : ({ kind: 'resume', id: thread } as const);
      const talk = await Talk.begin(world.start(session ? { session } : {}));
      thread ??= talk.thread;
      const after = 5 + random(90);
      const { record } = talk.sink;
      let lines = 0;
      talk.sink.record = (direction, line) => {
        record(direction, line);
        if (direction === 'out' && ++lines === after) kill9(talk.sink.pid ?? 0);
      };
      talk.send(`SCN:round${round} prompt-${round}.`);
      const half = talk.until('the half', () =>
        talk.textOf('text').some((one) => one.includes(`r${round}-piece14`)),
      );
      half.then(
        () => {
          const { pid = 0 } = talk.sink;
          if (isAlive(pid)) kill9(pid);
        },
        () => undefined,
      );
      await talk.until('its exit', ({ exit }) => exit !== undefined);
      expect(talk.sink.exit?.signal).toBe('SIGKILL');
      for (const entry of talk.entries) {
        const isMessage = (entry.kind === 'user' && entry.delivery === 'delivered') || entry.kind === 'text';
        if (isMessage && 'text' in entry && entry.text !== '')
          shown.push({ id: entry.id, words: entry.text.trim() });
      }
      const start = world.start({ session: { kind: 'resume', id: thread } });
      const lacked =
        codexDriver.missingFrom?.(
          start,
          shown.map(({ id }) => id),
        ) ?? new Set<string>();
      marked = Math.max(marked, lacked.size);
      // Everything from the previous round is either in the next request or marked; a separate turn checks it.
      const probe = new Talk(start);
      await probe.until('ready or gone', ({ isReady, exit }) => isReady || exit !== undefined);
      if (probe.sink.exit?.unresumable) {
        // Killed before anything was written.
        thread = undefined;
        shown.length = 0;
        continue;
      }
      probe.send('SCN:text probe');
      await probe.idle();
      const request = lastRequest();
      for (const { id, words } of shown)
        expect({
          round,
          after,
          words,
          isKnown: request.includes(JSON.stringify(words).slice(1, -1)),
        }).toEqual({
          round,
          after,
          words,
          isKnown: !lacked.has(id),
        });
      await probe.end();
    }
    // Otherwise nothing was ever lost, and the test shows nothing.
    expect(marked).toBeGreaterThan(0);
  });

  test('A51 Codex resumes sessions of the adapter, and the adapter those of Codex', async () => {
    const adapter = {
      command: join(agentFolder('codex-acp'), 'codex-acp'),
      args: [],
      environment: { ...world.environment, INITIAL_AGENT_MODE: 'read-only' },
    };
    const first = await Talk.begin(world.start(adapter), acpDriver);
    await first.turn('SCN:text alpha-one');
    await first.end();
    const session = { kind: 'resume', id: first.thread } as const;
    const second = await Talk.begin(world.start({ session, mode: 'read-only' }));
    await second.turn('SCN:text beta-two');
    expect(lastRequest()).toContain('alpha-one');
    await second.end();
    const third = await Talk.begin(world.start({ ...adapter, session }), acpDriver);
    await third.turn('SCN:text gamma-three');
    expect(lastRequest()).toContain('beta-two');
    await third.end();
  });

  test('A50 rejects a session that another process has open, with advice', async () => {
    const talk = await Talk.begin(world.start());
    await talk.turn('SCN:text');
    const other = new Talk(world.start({ session: { kind: 'resume', id: talk.thread } }));
    await other.until('its exit', ({ exit }) => exit !== undefined);
    expect(other.sink.exit).toMatchObject({ failure: expect.stringContaining('End it there') });
    expect(other.sink.exit?.unresumable).toBeUndefined();
    expect(await talk.agent.sessions?.()).toMatchObject([{ id: talk.thread, title: 'SCN:text' }]);
    await talk.end();
  });

  test('A50 nests a subagent under the call that started it', async () => {
    const spawn = toolUse('Agent', { prompt: 'SCN:child look around' });
    world.fake.script('spawn', [spawn, text([hold('after'), 'The subagent works.'])]);
    world.fake.script('child', [text('I looked around.')]);
    const talk = await Talk.begin(world.start({ model: 'gpt-5.4' }));
    talk.send('SCN:spawn');
    await talk.until('the end of the subagent', () => talk.tools[0]?.state === 'done');
    world.fake.open('after');
    await talk.idle();
    const agent = talk.tools.find(({ toolKind }) => toolKind === 'agent');
    expect(talk.entries.find(({ parent }) => parent === agent?.id)).toMatchObject({
      text: 'I looked around.',
    });
    await talk.end();
  });
});
