import { readdirSync, readFileSync } from 'node:fs';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { fold } from '@tugdeck/protocol/conversation/fold';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { describe, expect, test } from 'vitest';
import { claudeHistory } from '../src/claude/history-source.ts';
import { codexHistory } from '../src/codex/history-source.ts';
import type { HistoryPart, HistorySource, IndexedText, PartOptions, PlacedLine } from '../src/kit/history.ts';

function placed(folder: string, start: string): PlacedLine[] {
  const url = new URL(`../src/${folder}/`, import.meta.url);
  const name = readdirSync(url).find((file) => file.startsWith(start)) ?? '';
  let at = 0;
  return readFileSync(new URL(name, url), 'utf8')
    .split('\n')
    .map((text) => {
      const line = { text, at };
      at += Buffer.byteLength(text) + 1;
      return line;
    });
}

const OPTIONS: PartOptions = {
  file: '/none/x.jsonl',
  isWhole: true,
  seq: 0,
  facts: {},
  spill: (body) => body,
};

function part(
  source: HistorySource,
  lines: readonly PlacedLine[],
  more: Partial<PartOptions> = {},
): HistoryPart {
  const made = source.part(lines, { ...OPTIONS, ...more });
  if (!made) throw new Error('no part');
  return made;
}

const entries = ({ entries: store }: Conversation): Entry[] => [...entriesFrom(store)];

function shown(entry: Entry): string {
  if (entry.kind === 'tool') return `tool ${entry.toolKind} ${entry.state} ${entry.title}`;
  return `${entry.kind} ${entry.status} ${'text' in entry ? entry.text.slice(0, 40) : ''}`;
}

const CODEX = placed('codex/fixtures', 'rollout');
const CLAUDE = placed('claude/fixtures/disk', 'session-resume--');
const KILLED = placed('claude/fixtures/disk', 'sigkill-after');

describe('rollouts', () => {
  test('A40 reads as its conversation', () => {
    const { conversation, isIdle } = part(codexHistory, CODEX);
    expect(entries(conversation).map(shown)).toEqual([
      'user complete SCN:text',
      'text complete Hello from the scripted model. This answ',
      'user complete SCN:thinking',
      'thinking complete The user wants to see me think. I consid',
      'text complete I thought about it. Here is the answer.',
      'user complete SCN:bash',
      'text complete I will make a file.',
      'tool shell done touch made-by-agent.txt && echo done',
      'text complete The file is made.',
      'user complete SCN:edit',
      'text complete I will edit the greeting.',
      'tool edit done Edit src/greet.ts',
      'text complete The greeting is edited.',
      'user complete SCN:bash',
      'text complete I will make a file.',
      'tool shell denied touch made-by-agent.txt && echo done',
    ]);
    expect(isIdle).toBe(true);
    expect(conversation.turns.map(({ endedBy }) => endedBy)).toEqual([
      'completed',
      'completed',
      'completed',
      'completed',
      'cancelled',
    ]);
    expect(conversation.open).toEqual({});
    expect(conversation.usage).toMatchObject({ inputTokens: 8400, contextWindow: 258_400 });
    expect(conversation.facts.model).toBe('gpt-5.5');
    const [shell, edit] = entries(conversation).filter((entry) => entry.kind === 'tool');
    expect(shell).toMatchObject({ result: { type: 'terminal', stdout: 'done\n', exitCode: 0 } });
    expect(edit?.diff?.[0]?.hunks[0]).toMatchObject({ oldStart: 1, oldLines: 3, newLines: 4 });
  });

  test('A40 reads older ones without ids and events', () => {
    const at = (second: number) => `2025-09-0${second}T10:00:00.000Z`;
    const item = (second: number, payload: object) =>
      JSON.stringify({ timestamp: at(second), type: 'response_item', payload });
    const lines = [
      JSON.stringify({ timestamp: at(1), type: 'session_meta', payload: { id: 'x', cwd: '/p' } }),
      item(2, {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: '<environment_context>x</environment_context>' }],
      }),
      item(3, { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say ls' }] }),
      item(4, {
        type: 'function_call',
        name: 'shell',
        arguments: '{"command":["bash","-lc","ls"]}',
        call_id: 'c',
      }),
      item(5, {
        type: 'function_call_output',
        call_id: 'c',
        output: '{"output":"a\\nb\\n","metadata":{"exit_code":1}}',
      }),
      'not a line',
    ].map((text, index) => ({ text, at: index }));
    const read = part(codexHistory, lines);
    expect(read.isIdle).toBe(false);
    read.settle();
    expect(entries(read.conversation).map(shown)).toEqual(['user complete Say ls', 'tool shell failed ls']);
    expect(entries(read.conversation)[1]).toMatchObject({ result: { stdout: 'a\nb\n', exitCode: 1 } });
  });

  test('A40 recognizes its file by name and its folder by the environment', () => {
    expect(codexHistory.roots({ HOME: '/h' })).toEqual(['/h/.codex/sessions']);
    expect(codexHistory.roots({ HOME: '/h', CODEX_HOME: '/c' })).toEqual(['/c/sessions']);
    const id = '01a1de15-0d5c-7342-8e5e-f634cc26e613';
    expect(codexHistory.sessionOf(`/c/sessions/2026/11/15/rollout-2026-11-15T07-21-24-${id}.jsonl`)).toBe(id);
    expect(codexHistory.sessionOf('/c/sessions/other.jsonl')).toBeUndefined();
    expect(claudeHistory.sessionOf(`/h/.claude/projects/-p/${id}.jsonl`)).toBe(id);
    expect(claudeHistory.sessionOf(`/h/.claude/projects/-p/${id}/subagents/agent-1.jsonl`)).toBeUndefined();
  });
});

describe.each([
  ['rollout', codexHistory, CODEX],
  ['transcript', claudeHistory, CLAUDE],
  ['repaired transcript', claudeHistory, KILLED],
] as const)('a %s in parts', (_, source, lines) => {
  const whole = part(source, lines).conversation;

  test('A40 parts read backwards equal the whole', () => {
    let first: HistoryPart | undefined;
    // From every possible start of a tail.
    for (let cut = 1; cut < lines.length; cut++) {
      const tail = source.part(lines.slice(cut), { ...OPTIONS, isWhole: false, seq: 1000 });
      if (!tail) continue;
      first = tail;
      expect(tail.conversation.from).toBe(1000);
      const until = tail.before;
      const before = part(
        source,
        lines.filter(({ at }) => at < tail.start),
        { until },
      );
      before.settle();
      const both = [...entries(before.conversation), ...entries(tail.conversation)];
      expect(both.map(({ id }) => id)).toEqual(entries(whole).map(({ id }) => id));
      expect(both.map(shown)).toEqual(entries(whole).map(shown));
    }
    expect(first).toBeDefined();
  });

  test('A40 appended lines give the same as reading everything at once', () => {
    const live = part(source, []);
    let conversation = live.conversation;
    for (const { text } of lines) {
      const changes = live.take(text);
      expect(changes).toBeDefined();
      for (const change of changes ?? []) conversation = fold(conversation, change);
    }
    expect(entries(live.conversation).map(shown)).toEqual(entries(whole).map(shown));
    expect(conversation).toEqual(live.conversation);
  });

  test('S5 a search result is an entry of the conversation', () => {
    const scan = source.scan();
    const said: IndexedText[] = lines.flatMap(({ text }) => [...scan.take(text)]);
    const ids = new Set(entries(whole).map(({ id }) => id));
    expect(said.length).toBeGreaterThan(3);
    expect(said.filter(({ entry }) => !ids.has(entry))).toEqual([]);
    expect(new Set(said.map(({ kind }) => kind))).toEqual(new Set(['prompt', 'answer', 'tool']));
    expect(scan.facts).toMatchObject({ directory: '/home/dev/project', prompt: expect.any(String) });
    expect(scan.facts.activeAt).toBeGreaterThanOrEqual(scan.facts.createdAt ?? Number.NaN);
    // Continuing from its memory equals an uninterrupted scan.
    const half = source.scan();
    for (const { text } of lines.slice(0, 10)) half.take(text);
    const rest = source.scan(JSON.parse(JSON.stringify(half.memory)));
    for (const { text } of lines.slice(10)) rest.take(text);
    expect(rest.facts).toEqual(scan.facts);
  });
});

test('A40 rejects a line of another branch: the file must be read again', () => {
  const line = (uuid: string, parentUuid: string | null, text: string) =>
    JSON.stringify({ type: 'user', uuid, parentUuid, message: { role: 'user', content: text } });
  const live = part(claudeHistory, [{ text: line('a', null, 'one'), at: 0 }]);
  expect(live.take(line('b', 'a', 'two'))).toBeDefined();
  expect(live.take(line('c', 'a', 'instead of two'))).toBeUndefined();
});
