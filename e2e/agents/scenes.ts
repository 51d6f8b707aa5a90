/** The scenes every real ACP agent goes through behind the product's own driver. Registered by agents.test.ts. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findAgent } from '@tugdeck/agents/catalogue';
import { openEntries } from '@tugdeck/protocol/conversation/state';
import type { AcpAgent } from '@tugdeck/testkit/agents';
import { echoOf, mcpServers } from '@tugdeck/testkit/mcp-server';
import { kill9, waitFor } from '@tugdeck/testkit/process-facts';
import { madeFile, projectFiles, shortAnswer, thought, writtenFile } from '@tugdeck/testkit/scenarios';
import { failure, hold, text, toolUse } from '@tugdeck/testkit/script';
import { afterEach, expect, test } from 'vitest';
import { deny, type LiveAgent, openPlace, type Place } from './live-agent.ts';
import { began, type Row, saw } from './matrix.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** Where a rejection ends the whole turn, and no word of the model comes after it. */
const ENDS_AT_REJECTION: readonly AcpAgent[] = ['codex'];
const STOPS_AT_REJECTION: readonly AcpAgent[] = ['opencode'];

/** Its command line; empty when it has just gone. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}

export function scenes(agent: AcpAgent, full: boolean): void {
  let place: Place;
  const open = async (...rows: Row[]): Promise<void> => {
    began(agent, rows);
    place = await openPlace(agent);
  };
  const inProject = (file: string): string => join(place.sandbox.project, file);

  afterEach(async () => {
    await place?.close();
  });

  function sound(live: LiveAgent): void {
    expect(live.sink.breaches).toEqual([]);
    expect(live.sink.state.unrecognized.count).toBe(0);
    expect(openEntries(live.sink.state)).toEqual([]);
    expect(place.fake.strayRequests).toEqual([]);
  }

  /** Until the command really runs. No loop and no sleep: one agent refuses the one, another the other. */
  async function runEndless(live: LiveAgent): Promise<void> {
    const command = 'touch started.txt && tail -f started.txt';
    place.fake.script('endless', [toolUse('Bash', { command, description: 'Wait' }), text('Waited.')]);
    live.send('SCN:endless');
    live.reply(await live.request(), { type: 'permission', behavior: 'allow' });
    await waitFor(() => existsSync(inProject('started.txt')) && commandRuns(), {
      what: 'the command to run',
      timeoutMs: 60_000,
    });
  }

  const commandRuns = (): boolean =>
    place.sandbox.strays().some((pid) => commandOf(pid).startsWith('tail\0'));

  async function ended(live: LiveAgent): Promise<void> {
    expect(await live.end()).toEqual([]);
    expect(place.sandbox.strays()).toEqual([]);
  }

  test('A20 A21 it answers, runs a command and edits a file when allowed, and nothing is left of it', async () => {
    await open(
      'Text, streamed',
      'Shell, allowed',
      'Edit, allowed, with its diff',
      'Nothing left: normal end',
    );
    const live = await place.start();
    await live.turn('SCN:text');
    expect(live.textOf('text')).toBe(shortAnswer);
    saw(agent, 'Text, streamed');
    const [request] = await live.turn('SCN:bash');
    expect(request).toMatchObject({ kind: 'permission', request: { toolKind: 'shell' } });
    expect(existsSync(inProject(madeFile))).toBe(true);
    const [shell] = live.tools;
    expect(shell).toMatchObject({ state: 'done', toolKind: 'shell' });
    expect(live.textOf('text')).toContain('The file is made.');
    saw(agent, 'Shell, allowed', shell?.result?.type === 'terminal' ? 'yes' : 'yes, no output told');
    await live.turn('SCN:edit');
    expect(readFileSync(inProject('src/greet.ts'), 'utf8')).toContain('const whom = name.trim();');
    const edit = live.tools.at(-1);
    expect(edit).toMatchObject({ state: 'done', toolKind: 'edit' });
    const lines = edit?.diff?.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines)) ?? [];
    expect(lines).toContain("-  return 'Hello ' + name;");
    expect(lines).toContain('+  const whom = name.trim();');
    expect(live.ending).toBe('completed');
    saw(agent, 'Edit, allowed, with its diff');
    sound(live);
    await ended(live);
    saw(agent, 'Nothing left: normal end');
  });

  if (!full) return;

  test('C4 its thoughts are told as thoughts', async () => {
    await open('Thoughts');
    const live = await place.start();
    await live.turn('SCN:thinking');
    expect(live.textOf('thinking')).toContain(thought);
    expect(live.textOf('text')).toBe('I thought about it. Here is the answer.');
    saw(agent, 'Thoughts');
    sound(live);
    await ended(live);
  });

  test('C6 A22 a command and an edit that are denied are not done, and shown as denied', async () => {
    await open('Shell, denied', 'Edit, denied');
    const live = await place.start();
    const effect = (): string => {
      if (ENDS_AT_REJECTION.includes(agent)) return 'not done, the turn ends';
      return STOPS_AT_REJECTION.includes(agent) ? 'not done, the turn stops' : 'not done, the model goes on';
    };
    for (const [scenario, row] of [
      ['bash', 'Shell, denied'],
      ['edit', 'Edit, denied'],
    ] as const) {
      const asked = await live.turn(`SCN:${scenario}`, deny);
      expect(asked).toHaveLength(1);
      expect(live.tools.at(-1)?.state).toBe('denied');
      expect(live.ending).toBe(ENDS_AT_REJECTION.includes(agent) ? 'cancelled' : 'completed');
      saw(agent, row, effect());
    }
    expect(existsSync(inProject(madeFile))).toBe(false);
    expect(readFileSync(inProject('src/greet.ts'), 'utf8')).toBe(projectFiles['src/greet.ts']);
    await live.turn('SCN:text');
    expect(live.textOf('text')).toContain(shortAnswer);
    sound(live);
    await ended(live);
  });

  test('H8 a turn is cancelled in the stream and while it asks, and the next prompt works', async () => {
    await open('Cancel in the stream', 'Cancel while it asks');
    const live = await place.start();
    live.send('SCN:hold');
    await place.fake.reached('mid');
    await live.sink.until('the first half', () => live.textOf('text').includes('The first half.'));
    live.agent.cancel();
    await live.idle();
    expect(live.ending).toBe('cancelled');
    saw(agent, 'Cancel in the stream');
    live.send('SCN:bash');
    await live.request();
    live.agent.cancel();
    await live.idle();
    expect(live.ending).toBe('cancelled');
    expect(
      live.entries.flatMap((entry) => (entry.kind === 'permission' ? [entry.request.status] : [])),
    ).toEqual(['withdrawn']);
    expect(existsSync(inProject(madeFile))).toBe(false);
    saw(agent, 'Cancel while it asks');
    await live.turn('SCN:text');
    expect(live.textOf('text')).toContain(shortAnswer);
    expect(live.ending).toBe('completed');
    sound(live);
    await ended(live);
  });

  test('H8 L8 a turn is cancelled in a command, and nothing of the command outlives the agent', async () => {
    await open('Cancel in a command', 'Nothing left: end after a cancelled command');
    const live = await place.start();
    await runEndless(live);
    live.agent.cancel();
    await live.idle();
    expect(live.ending).toBe('cancelled');
    expect(live.tools.map(({ state }) => state)).toEqual(['interrupted']);
    // Where it may run on, nobody can say when it would have ended.
    if (findAgent(agent)?.commandsOutliveCancel !== true)
      await waitFor(() => !commandRuns(), { what: 'the command to end with the turn' });
    saw(agent, 'Cancel in a command', commandRuns() ? 'yes; the command runs on' : 'yes');
    await live.turn('SCN:text');
    expect(live.ending).toBe('completed');
    sound(live);
    await ended(live);
    saw(agent, 'Nothing left: end after a cancelled command');
  });

  test('L8 killed in a command, nothing of it is left', async () => {
    await open('Nothing left: kill -9 of the agent');
    const live = await place.start();
    await runEndless(live);
    kill9(live.pid);
    await live.gone();
    expect(await live.endTree()).toEqual([]);
    await waitFor(() => place.sandbox.strays().length === 0, { what: 'the last process to be gone' });
    saw(agent, 'Nothing left: kill -9 of the agent');
  });

  test('A14 A26 its modes, models and commands are told, and switched', async () => {
    await open('Modes', 'Models', 'Commands');
    const live = await place.start();
    const facts = () => live.sink.state.facts;
    for (const [option, row] of [
      ['mode', 'Modes'],
      ['model', 'Models'],
    ] as const) {
      const choices = (option === 'mode' ? facts().modes : facts().models) ?? [];
      const before = facts()[option];
      const other = choices.find(({ id, dangerous }) => id !== before && !dangerous);
      if (before === undefined || other === undefined) throw new Error(`no other ${option}`);
      live.agent.configure(option, other.id);
      await live.sink.until(`the other ${option}`, () => facts()[option] === other.id);
      live.agent.configure(option, before);
      await live.sink.until(`the first ${option}`, () => facts()[option] === before);
      saw(agent, row, option === 'mode' ? choices.map(({ id }) => id).join(', ') : `${choices.length}`);
    }
    await live.sink.until('its commands', () => (facts().commands?.length ?? 0) > 0);
    saw(agent, 'Commands', `${facts().commands?.length}`);
    sound(live);
    await ended(live);
  });

  test('C7 an image reaches the model', async () => {
    await open('Image in a prompt');
    const live = await place.start();
    const size = Buffer.from(PIXEL, 'base64').length;
    live.send('SCN:text look', [{ name: 'pixel.png', mimeType: 'image/png', size, data: PIXEL }]);
    await live.idle();
    const call = await place.fake.called({ kind: 'answer', keyword: 'text' });
    expect(JSON.stringify(call.body)).toContain(PIXEL.slice(0, 24));
    saw(agent, 'Image in a prompt');
    await ended(live);
  });

  test('A16 a tool of an MCP server from the configuration is asked for, runs, and is shown', async () => {
    await open('MCP server');
    place.fake.script('mcp', [toolUse('mcp__testkit__echo', { text: 'ahoy' }), text('The server spoke.')]);
    const live = await place.start(undefined, { mcpServers });
    const asked = await live.turn('SCN:mcp');
    expect(live.textOf('text')).toContain('The server spoke.');
    const [tool] = live.tools;
    expect(tool).toMatchObject({ state: 'done' });
    expect(JSON.stringify(tool)).toContain(echoOf('ahoy'));
    const call = await place.fake.called({ kind: 'answer', keyword: 'mcp', step: 1 });
    expect(JSON.stringify(call.body)).toContain(echoOf('ahoy'));
    saw(agent, 'MCP server', asked.length > 0 ? 'yes, after asking' : 'yes, without asking');
    sound(live);
    await ended(live);
  });

  test('A8 an error of the model ends the turn and is said', async () => {
    await open('Model error');
    place.fake.script('broken', [failure(400, { message: 'scripted breakdown' })]);
    const live = await place.start();
    await live.turn('SCN:broken');
    const said = live.entries.flatMap((entry) =>
      'text' in entry && entry.kind !== 'user' ? [entry.text] : [],
    );
    expect(said.join('\n')).toContain('scripted breakdown');
    saw(agent, 'Model error', live.ending === 'error' ? 'an error' : 'said as a text of the agent');
    await live.turn('SCN:text');
    expect(live.textOf('text')).toContain(shortAnswer);
    await ended(live);
  });

  test('H9 after a restart the session goes on where it was, or says that it cannot', async () => {
    await open('Resume after a restart');
    const first = await place.start();
    await first.turn('SCN:text the first words');
    const id = first.sink.state.facts.agentSession;
    if (id === undefined) throw new Error('it has no session of its own');
    await ended(first);
    if (findAgent(agent)?.unsafeCalls?.includes('session/load')) {
      await expect(place.start({ kind: 'resume', id })).rejects.toThrow('"unresumable":true');
      saw(agent, 'Resume after a restart', 'no: starts afresh and says so');
      return;
    }
    const second = await place.start({ kind: 'resume', id });
    await second.turn('SCN:write');
    expect(readFileSync(inProject(writtenFile.path), 'utf8')).toBe(writtenFile.content);
    const call = await place.fake.called({ kind: 'answer', keyword: 'write' });
    expect(JSON.stringify(call.body)).toContain('the first words');
    expect(second.entries.filter(({ kind }) => kind === 'user')).toHaveLength(1);
    saw(agent, 'Resume after a restart');
    sound(second);
    await ended(second);
  });

  test('A20 two sessions run at once', async () => {
    await open('Two sessions at once');
    place.fake.script('one', [text(['one ', hold('one'), 'done'])]);
    place.fake.script('two', [text(['two ', hold('two'), 'done'])]);
    // Not both in one moment: the first start of one agent makes its database, and a second one breaks on it.
    const one = await place.start();
    const two = await place.start();
    one.send('SCN:one');
    two.send('SCN:two');
    await Promise.all([place.fake.reached('one'), place.fake.reached('two')]);
    place.fake.release('two');
    await two.idle();
    expect(one.sink.state.turn).not.toBeNull();
    place.fake.release('one');
    await one.idle();
    expect([one.textOf('text'), two.textOf('text')]).toEqual(['one done', 'two done']);
    saw(agent, 'Two sessions at once');
    expect(await one.end()).toEqual([]);
    await ended(two);
  });

  if (agent !== 'claude-acp') return;

  test('C9 its questions are asked and answered', async () => {
    await open('Questions');
    const live = await place.start();
    const asked = await live.turn('SCN:question', (request) => {
      if (request.kind !== 'question') return { type: 'permission', behavior: 'allow' };
      const id = request.request.questions[0]?.id ?? '';
      return { type: 'question', answers: { [id]: { choices: ['Green'] } } };
    });
    expect(asked.map(({ kind }) => kind)).toContain('question');
    const call = await place.fake.called({ kind: 'answer', keyword: 'question', step: 1 });
    expect(JSON.stringify(call.body)).toContain('Green');
    saw(agent, 'Questions');
    sound(live);
    await ended(live);
  });
}
