import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTail } from '@tugdeck/journal/reader';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { kill9, waitFor } from '@tugdeck/testkit/process-facts';
import { longAnswer, madeFile, planText, shortAnswer } from '@tugdeck/testkit/scenarios';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { finished, openPlace, type Place, type Talker } from './command.ts';

/** Only in the full tier: a quicker test checks the same, or it takes too long here. */
const testFull = test.skipIf(!isFullTier);

let place: Place;
let talker: Talker;

beforeEach(async () => {
  place = await openPlace();
});
afterEach(async () => {
  expect(talker?.strange ?? []).toEqual([]);
  await place?.close();
});

const init = { type: 'protocol_init', version: 1 };
const prompt = (scenario: string) => ({ type: 'user_message', text: `SCN:${scenario}` });

function talk(...args: string[]): Talker {
  talker = place.talk('--agent', 'claude', ...args);
  return talker;
}

function onDisk(session: string): string {
  const state = readTail(dataDirectory(place.sandbox.data).session(session));
  const entries = state ? [...entriesFrom(state.entries)] : [];
  return entries.map((entry) => ('text' in entry ? entry.text : '')).join('\n');
}

/** Assembles texts as another program would, by the rule of docs/protocol.md. */
function texts({ messages }: Talker): string[] {
  const found = new Map<string, string>();
  for (const message of messages) {
    if (message.type !== 'assistant_text') continue;
    const before = found.get(message.msg_id) ?? '';
    found.set(message.msg_id, before.slice(0, message.at) + message.text);
  }
  return [...found.values()];
}

describe('a conversation by lines', () => {
  test('L5 H2 from the handshake to the end; no process is left when stdin closes', async () => {
    const other = talk();
    other.send(init);
    const ack = await other.next('protocol_ack');
    expect(ack).toMatchObject({ ipc_version: 2, version: 1 });
    other.send(prompt('text'));
    const { session_id, agent_session_id } = await other.next('session_init');
    expect(session_id).toBe(ack.session_id);
    expect(agent_session_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await other.next('turn_complete')).toMatchObject({ result: 'success' });
    expect(texts(other)).toEqual([shortAnswer]);
    await other.next('session_status', ({ status }) => status === 'idle');
    expect(other.all('system_metadata').at(-1)).toMatchObject({
      cwd: place.sandbox.project,
      tools: expect.arrayContaining(['Bash']),
      permissionMode: 'default',
    });
    expect(other.all('cost_update').at(-1)?.usage.output_tokens).toBeGreaterThan(0);
    expect(existsSync(dataDirectory(place.sandbox.data).session(session_id).journal)).toBe(true);
    other.process.stdin.end();
    expect(await other.ended).toBe(0);
    expect(place.records()).toEqual([]);
    expect(place.sandbox.strays()).toEqual([]);
  });

  test('H3 a long answer comes in appends that join to it', async () => {
    const other = talk();
    other.send(init, prompt('long'));
    await other.next('turn_complete');
    expect(texts(other)).toEqual([longAnswer]);
    const parts = other.all('assistant_text').filter(({ is_partial }) => is_partial);
    expect(parts.length).toBeGreaterThan(3);
    expect(Math.max(...parts.map(({ text }) => text.length))).toBeLessThan(longAnswer.length);
  });

  testFull('H3 on request the whole text comes each time', async () => {
    const other = talk();
    other.send({ ...init, texts: 'whole' }, prompt('long'));
    await other.next('turn_complete');
    const said = other.all('assistant_text');
    expect(said.every(({ at }) => at === 0)).toBe(true);
    expect(said.at(-1)?.text).toBe(longAnswer);
  });

  test('H3 a permission is requested and granted, a question answered, a plan approved', async () => {
    const other = talk();
    other.send(init, prompt('bash'));
    const request = await other.next('tool_approval_request');
    expect(request).toMatchObject({ tool_name: 'Bash', input: { description: 'Make a file' } });
    expect(existsSync(join(place.sandbox.project, madeFile))).toBe(false);
    other.send({ type: 'tool_approval', request_id: request.request_id, decision: 'allow' });
    expect(await other.next('tool_result', ({ is_partial }) => !is_partial)).toMatchObject({
      is_error: false,
      tool_use_id: request.tool_use_id,
    });
    await other.next('turn_complete');
    expect(existsSync(join(place.sandbox.project, madeFile))).toBe(true);
    expect(other.all('request_cancelled')).toEqual([]);

    other.send(prompt('question'));
    const question = await other.next('question');
    const { id } = question.questions[0] ?? { id: '' };
    other.send({ type: 'question_answer', request_id: question.request_id, answers: { [id]: 'Green' } });
    await other.next('turn_complete');
    expect(texts(other)).toContain('Thank you for the answer.');

    other.send(prompt('plan'));
    const plan = await other.next('control_request_forward');
    expect(plan).toMatchObject({ request_kind: 'plan', message: planText });
    other.send({ type: 'tool_approval', request_id: plan.request_id, decision: 'allow' });
    await other.next('turn_complete');
  });

  testFull('H3 an edit comes with its diff', async () => {
    const other = talk();
    other.send(init);
    await other.next('session_status', ({ agent }) => agent === 'connected');
    other.send({ type: 'permission_mode', mode: 'acceptEdits' });
    await other.next('system_metadata', ({ permissionMode }) => permissionMode === 'acceptEdits');
    other.send(prompt('edit'));
    const { structured_result } = await other.next('tool_use_structured', (one) => one.tool_name === 'Edit');
    expect(structured_result.diff?.[0]?.hunks[0]?.lines.join('\n')).toContain('+  const whom = name.trim();');
    await other.next('turn_complete');
  });

  test('H3 an interrupt ends the turn and keeps its text', async () => {
    const other = talk();
    other.send(init, prompt('hold'));
    await place.fake.reached('mid');
    await other.next('assistant_text', ({ text }) => text.includes('half'));
    other.send({ type: 'interrupt' });
    expect(await other.next('turn_cancelled')).toMatchObject({ partial_result: 'The first half. ' });
    place.fake.release('mid');
  });
});

describe('errors', () => {
  test('H2 an unknown version is a fatal error at once', async () => {
    const other = talk();
    other.send({ type: 'protocol_init', version: 99 });
    expect(await other.next('error')).toMatchObject({ code: 'VERSION_UNSUPPORTED', recoverable: false });
    expect(await other.ended).toBe(1);
    expect(place.records()).toEqual([]);
  });

  test('H4 invalid lines are reported and ignored; an answer without a request is refused', async () => {
    const other = talk();
    other.send(prompt('text'));
    expect(await other.next('error')).toMatchObject({ code: 'NOT_INITIALIZED', recoverable: true });
    other.send('{"half', '[]', { type: 'dance' }, init);
    for (let count = 0; count < 3; count++) {
      expect(await other.next('error')).toMatchObject({ code: 'INVALID_MESSAGE', recoverable: true });
    }
    await other.next('protocol_ack');
    other.send({ type: 'tool_approval', request_id: 'nothing', decision: 'allow' });
    expect(await other.next('error')).toMatchObject({ code: 'REQUEST_NOT_OPEN' });
    other.send({ type: 'interrupt' });
    expect(await other.next('error')).toMatchObject({ code: 'TURN_NOT_RUNNING' });
    other.send(prompt('text'));
    await other.next('turn_complete');
    expect(texts(other)).toEqual([shortAnswer]);
  });

  test('H4 a second answer never reaches the agent', async () => {
    const other = talk();
    other.send(init, prompt('bash'));
    const { request_id } = await other.next('tool_approval_request');
    const answer = (decision: string) => ({ type: 'tool_approval', request_id, decision });
    other.send(answer('deny'), answer('allow'));
    expect(await other.next('error')).toMatchObject({ code: 'REQUEST_NOT_OPEN' });
    await other.next('turn_complete');
    expect(existsSync(join(place.sandbox.project, madeFile))).toBe(false);
    const [session] = other.all('protocol_ack');
    const { raw } = dataDirectory(place.sandbox.data).session(session?.session_id ?? '');
    // The recording is written with a delay: the line of the turn's end comes after both answers.
    const recorded = () => readFileSync(raw, 'utf8');
    await waitFor(() => recorded().includes('"type":"result"'), { what: 'the end of the turn on disk' });
    const lines = recorded().trim().split('\n');
    const answers = lines.filter((line) => line.includes('"dir":"in"') && line.includes('control_response'));
    expect(answers).toHaveLength(1);
    expect(answers[0]).toContain('deny');
  });

  test('H2 a missing agent is a fatal error with advice', async () => {
    talker = place.talk('--agent', 'nobody');
    talker.send(init);
    expect(await talker.next('error')).toMatchObject({ code: 'AGENT_UNAVAILABLE', recoverable: false });
    expect(await talker.ended).toBe(1);
  });

  test('H1 a host that is killed in mid-answer is opened again, and the text is not lost', async () => {
    const other = talk();
    other.send(init, prompt('hold'));
    await place.fake.reached('mid');
    await other.next('assistant_text', ({ text }) => text.includes('half'));
    const { session_id } = other.all('protocol_ack')[0] ?? { session_id: '' };
    await waitFor(() => onDisk(session_id).includes('The first half. '), { what: 'the text on disk' });
    const host = place.records().find(({ purpose }) => purpose === 'host');
    kill9(host?.identity.pid ?? 0);
    place.fake.release('mid');
    await other.next('session_status', ({ status, agent }) => status === 'idle' && agent === 'connected');
    expect(texts(other)[0]).toContain('The first half. ');
    other.send(prompt('text'));
    await other.next('turn_complete', ({ result }) => result === 'success');
    expect(texts(other)).toContain(shortAnswer);
  });
});

describe('start and end', () => {
  test('L5 a piped message is answered before the process exits', async () => {
    const other = talk();
    other.send(init, prompt('text'));
    other.process.stdin.end();
    expect(await other.ended).toBe(0);
    expect(texts(other)).toEqual([shortAnswer]);
    expect(place.records()).toEqual([]);
  });

  testFull('L5 a turn that waits for an answer ends when stdin closes', async () => {
    const other = talk();
    other.send(init, prompt('bash'));
    await other.next('tool_approval_request');
    other.process.stdin.end();
    expect(await other.ended).toBe(0);
    expect(place.records()).toEqual([]);
  });

  test('L5 --keep leaves the session running, and --session resumes it', async () => {
    const first = talk('--keep');
    first.send(init, prompt('text'));
    const { session_id } = await first.next('protocol_ack');
    await first.next('turn_complete');
    first.process.stdin.end();
    expect(await first.ended).toBe(0);
    const kept = place.records().map(({ id }) => id);
    expect(kept).toContain(`host-${session_id}`);
    const second = talk('--session', session_id.slice(0, 8));
    second.send(init);
    expect((await second.next('protocol_ack')).session_id).toBe(session_id);
    expect(await second.next('session_status')).toMatchObject({ status: 'idle', agent: 'connected' });
    expect(texts(second)).toEqual([]);
    second.send(prompt('text'));
    await second.next('turn_complete');
    second.process.stdin.end();
    await second.ended;
    expect(place.records()).toEqual([]);
  });

  test('L5 session_command new starts another session in the same process', async () => {
    const other = talk();
    other.send(init);
    const first = await other.next('protocol_ack');
    other.send({ type: 'session_command', command: 'new' });
    const second = await other.next('protocol_ack');
    expect(second.session_id).not.toBe(first.session_id);
    other.send(prompt('text'));
    await other.next('turn_complete');
    // Its host ends while the next session is running.
    await waitFor(() => place.records().every(({ session }) => session !== first.session_id), {
      what: 'the first session to end',
    });
  });

  testFull('L5 --raw is HostLink itself', async () => {
    const child = place.spawn('talk', '--agent', 'claude', '--raw');
    const lines = [
      { type: 'protocol_init', version: 1 },
      { type: 'follow', v: 0 },
      { type: 'command', command: { kind: 'prompt.send', id: crypto.randomUUID(), text: 'SCN:text' } },
    ];
    for (const line of lines) child.stdin.write(`${JSON.stringify(line)}\n`);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const done = finished(child);
    await waitFor(() => output.includes('"turn.ended"'), { what: 'the end of the turn' });
    child.stdin.end();
    const { code } = await done;
    expect(code).toBe(0);
    const messages = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(messages[0]).toMatchObject({ type: 'protocol_ack', version: 1 });
    expect(messages.map(({ type }) => type)).toEqual(expect.arrayContaining(['changes', 'receipt', 'live']));
    expect(place.records()).toEqual([]);
  });

  test('L5 the example client works unchanged', async () => {
    const example = fileURLToPath(new URL('../examples/talk-client.mjs', import.meta.url));
    const program = fileURLToPath(new URL('../dist/tugdeck.mjs', import.meta.url));
    const child = spawn(process.execPath, [example, 'SCN:bash'], {
      cwd: place.sandbox.project,
      env: { ...place.environment, TUGDECK: `${process.execPath} ${program}`, TUGDECK_AGENT: 'claude' },
    });
    child.stdin.end('y\n');
    const { code, stdout } = await finished(child);
    expect(code).toBe(0);
    expect(stdout).toContain('The file is made.');
    expect(existsSync(join(place.sandbox.project, madeFile))).toBe(true);
  });
});
