import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLineReader } from '@tugdeck/local/lines';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { foldAll } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY, entryById, openEntries } from '@tugdeck/protocol/conversation/state';
import { afterEach, describe, expect, test } from 'vitest';
import { afterExit } from '../src/kit/after-exit.ts';
import { type Child, startChild } from '../src/kit/child.ts';
import { CONTRACT } from '../src/kit/contract.ts';
import { Emitter } from '../src/kit/emitter.ts';
import type { AgentExit } from '../src/kit/port.ts';
import { openRecording, recordedLine } from '../src/kit/recording.ts';
import { createGate, echo, scriptedDriver } from '../src/kit/scripted.ts';

function read(chunks: readonly Uint8Array[], maxLine = 100): { lines: string[]; overlong: number[] } {
  const lines: string[] = [];
  const overlong: number[] = [];
  const reader = createLineReader(maxLine, {
    line: (text) => lines.push(text),
    overlong: (bytes) => overlong.push(bytes),
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { lines, overlong };
}

describe('lines', () => {
  test('A2 reassembles characters split at any byte', () => {
    const bytes = Buffer.from('größe 🙂\r\n\nzweite\nlast');
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(read([bytes.subarray(0, cut), bytes.subarray(cut)]).lines).toEqual([
        'größe 🙂',
        'zweite',
        'last',
      ]);
    }
  });

  test('X2 reports and skips an overlong line, then reads the next', () => {
    const chunks = ['ok\n', 'x'.repeat(80), 'x'.repeat(80), '\nafter\n'].map((text) => Buffer.from(text));
    expect(read(chunks)).toEqual({ lines: ['ok', 'after'], overlong: [160] });
  });
});

interface Run {
  readonly lines: string[];
  readonly exit: AgentExit;
}

function run(script: string, drive: (child: Child, line?: string) => void = () => undefined): Promise<Run> {
  return new Promise((resolve) => {
    const lines: string[] = [];
    const child = startChild(
      {
        command: process.execPath,
        args: ['-e', script],
        directory: tmpdir(),
        environment: { ONLY: 'this' },
        maxLine: 1 << 20,
      },
      {
        spawned: () => undefined,
        line(text) {
          lines.push(text);
          drive(child, text);
        },
        overlong: () => undefined,
        stderr: () => undefined,
        exited: (exit) => resolve({ lines, exit }),
      },
    );
    drive(child);
  });
}

describe('child', () => {
  test('L9 the agent gets exactly its environment, in its own group', async () => {
    const { lines } = await run(
      'console.log(JSON.stringify({env: Object.keys(process.env), pid: process.pid}))',
    );
    expect(JSON.parse(lines[0] ?? '').env).toEqual(['ONLY']);
    if (process.platform !== 'linux') return;
    const { lines: stat } = await run("console.log(require('fs').readFileSync('/proc/self/stat', 'utf8'))");
    const [pid, , , , group] = (stat[0] ?? '').split(' ');
    expect(group).toBe(pid);
  });

  test('A1 megabytes to stdin arrive in order and complete', async () => {
    const script = "let n=0;process.stdin.on('data',c=>{n+=c.length}).on('end',()=>console.log(n))";
    const { lines } = await run(script, (child, line) => {
      if (line !== undefined) return;
      for (let index = 0; index < 200; index++) child.write('y'.repeat(20_000));
      child.endInput();
    });
    expect(lines).toEqual([String(200 * 20_001)]);
  });

  test('H6 reports exit code and the end of stderr; writing to a dead process is harmless', async () => {
    const kept: { child?: Child } = {};
    const { exit } = await run('process.stdin.destroy(); console.error("why"); process.exit(7)', (child) => {
      kept.child = child;
      child.write('z'.repeat(1 << 20));
    });
    expect(exit).toEqual({ code: 7, signal: null, stderr: 'why\n' });
    expect(kept.child?.write('more')).toBe(false);
  });
});

const folder: string[] = [];
afterEach(() => {
  for (const path of folder.splice(0)) rmSync(path, { recursive: true });
});

describe('recording', () => {
  test('A2 the raw log stays bounded, keeps the newest lines, and every line is valid', () => {
    const directory = mkdtempSync(join(tmpdir(), 'recording-'));
    folder.push(directory);
    const file = join(directory, 'raw.jsonl');
    const recording = openRecording({
      file,
      maxBytes: 4_000,
      now: () => 1,
      failed: (error) => expect.fail(String(error)),
    });
    for (let index = 0; index < 500; index++)
      recording.record('out', JSON.stringify({ index, text: 'größe' }));
    recording.flush();
    expect(statSync(file).size).toBeLessThanOrEqual(4_000);
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toEqual({ t: 1, dir: 'out', line: { index: 499, text: 'größe' } });
    expect(lines.length).toBeGreaterThan(10);
  });

  test('X3 removes secrets by key, but not token counts', () => {
    const line = JSON.stringify({
      env: { ANTHROPIC_API_KEY: 'sk', 'x-auth-token': 'tt' },
      usage: { input_tokens: 3 },
    });
    expect(JSON.parse(recordedLine(0, 'in', line)).line).toEqual({
      env: { ANTHROPIC_API_KEY: '[removed]', 'x-auth-token': '[removed]' },
      usage: { input_tokens: 3 },
    });
    expect(JSON.parse(recordedLine(0, 'out', 'not json {')).line).toBe('not json {');
    expect(JSON.parse(recordedLine(0, 'out', '{not json}')).line).toBe('{not json}');
    for (const key of ['token', 'Pass_Word', 'x-api-key', 'my_credentials_', 'to\\u006ben']) {
      expect(recordedLine(0, 'out', `[{"a": 1, "${key}" : "hidden"}]`)).not.toContain('hidden');
    }
  });

  test('A2 buffers lines, flushes them soon, and reports a failing disk once', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'recording-'));
    folder.push(directory);
    const file = join(directory, 'raw.jsonl');
    const failures: unknown[] = [];
    const recording = openRecording({
      file,
      maxBytes: 1_000_000,
      now: () => 1,
      failed: (error) => failures.push(error),
    });
    recording.record('out', '{"a":1}');
    recording.record('err', 'oh');
    expect(existsSync(file)).toBe(false);
    await expect
      .poll(() => existsSync(file) && readFileSync(file, 'utf8'))
      .toBe('{"t":1,"dir":"out","line":{"a":1}}\n{"t":1,"dir":"err","line":"oh"}\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    rmSync(file);
    mkdirSync(file);
    recording.record('out', '{"a":2}');
    recording.flush();
    recording.record('out', '{"a":3}');
    recording.flush();
    expect(failures).toHaveLength(1);
  });
});

function build(...bodies: ChangeBody[]): Conversation {
  return foldAll(
    EMPTY,
    bodies.map((body, index) => ({ ...body, v: index + 1, at: index + 1 })),
  );
}

test('A2 counts an unrecognized message that is too deep to be encoded, without a sample', () => {
  const emitter = new Emitter('mark');
  emitter.drift('message of an unknown kind', JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`));
  expect(emitter.take()).toEqual([{ kind: 'drift.counted', what: 'message of an unknown kind' }]);
});

describe('after an exit', () => {
  const running = build(
    { kind: 'prompt.accepted', prompt: { id: 'p1', text: 'Hi' } },
    { kind: 'prompt.progressed', prompt: 'p1', delivery: 'sending' },
    { kind: 'turn.started', turn: 't1', origin: 'user', prompts: ['p1'] },
    { kind: 'entry.opened', entry: { id: 'x', kind: 'text', status: 'partial', text: 'half' } },
    {
      kind: 'entry.opened',
      entry: {
        id: 'y',
        kind: 'tool',
        status: 'partial',
        name: 'T',
        title: 'T',
        toolKind: 'other',
        state: 'running',
      },
    },
    { kind: 'prompt.accepted', prompt: { id: 'p2', text: 'later' } },
  );
  const folded = (exit: AgentExit, expected = false): Conversation =>
    afterExit(running, exit, { expected }).reduce(
      (state, body) => foldAll(state, [{ ...body, v: state.v + 1, at: 0 }]),
      running,
    );

  test('H6 only an unsent prompt stays open; the notice says how it ended and shows stderr', () => {
    const state = folded({ code: 1, signal: null, stderr: 'a\nlast words\n' });
    expect(openEntries(state).map(({ id }) => id)).toEqual(['p2']);
    expect(entryById(state, 'x')).toMatchObject({ status: 'stale', text: 'half' });
    expect(entryById(state, 'y')).toMatchObject({ status: 'stale', state: 'stale' });
    expect(state.turns[0]).toMatchObject({ endedBy: 'error', why: 'exit code 1' });
    expect(entryById(state, `exit-${running.nextSeq}`)).toMatchObject({
      kind: 'notice',
      notice: 'crash',
      text: 'The agent stopped (exit code 1).',
      detail: 'a\nlast words',
    });
  });

  test('M5 a prompt that was being sent is doubted, an accepted one is not', () => {
    const state = folded({ code: null, signal: 'SIGKILL', stderr: '' });
    expect(entryById(state, 'p1')).toMatchObject({ delivery: 'doubted', status: 'stale' });
    expect(entryById(state, 'p2')).toMatchObject({ delivery: 'accepted', status: 'partial' });
  });

  test('L8 a requested exit is not a crash', () => {
    const state = folded({ code: 0, signal: null, stderr: '' }, true);
    expect(state.turns[0]?.endedBy).toBe('cancelled');
    expect(state.nextSeq).toBe(running.nextSeq);
  });
});

describe('the scripted driver', () => {
  const driver = scriptedDriver({
    turn(prompt) {
      if (prompt.text === 'ask') {
        return [
          { step: 'delivered' },
          {
            step: 'ask',
            entry: {
              id: `ask-${prompt.id}`,
              kind: 'permission',
              status: 'partial',
              request: {
                status: 'pending',
                shown: 'h',
                tool: 'T',
                toolKind: 'other',
                title: 'T?',
                fields: [],
                options: [
                  { id: 'a', label: 'Allow', effect: 'allow-once' },
                  { id: 'd', label: 'Deny', effect: 'reject-once' },
                ],
                canEdit: false,
                canComment: false,
              },
            },
          },
          { step: 'text', pieces: ['done'] },
          { step: 'end' },
        ];
      }
      if (prompt.text === 'endless') {
        return [{ step: 'delivered' }, { step: 'text', pieces: ['…'] }, { step: 'gate', gate: createGate() }];
      }
      return echo(prompt);
    },
  });
  test.each(CONTRACT)('A2 contract: $title', async ({ run: hold }) => {
    await hold({
      driver,
      start: () => ({
        command: 'none',
        args: [],
        directory: '/',
        environment: {},
        session: { kind: 'new', id: crypto.randomUUID() },
        maxLine: 1,
      }),
      prompts: { text: 'hello', permission: 'ask', endless: 'endless' },
      uuid: () => crypto.randomUUID(),
    });
  });
});
