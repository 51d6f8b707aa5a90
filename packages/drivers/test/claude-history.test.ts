import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findAgent } from '@tugdeck/agents/catalog';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DiskLine, parseLine, readHistory } from '../src/claude/history.ts';
import { messageAt, readSessionFile, sessionFile, sessionHistory } from '../src/claude/history-files.ts';
import { claudeHistory } from '../src/claude/history-source.ts';
import type { SessionStart } from '../src/kit/port.ts';

const DISK = new URL('../src/claude/fixtures/disk/', import.meta.url);

function linesOf(start: string): DiskLine[] {
  const name = readdirSync(DISK).find((file) => file.startsWith(`${start}--`));
  return readFileSync(new URL(name ?? '', DISK), 'utf8')
    .split('\n')
    .map(parseLine)
    .filter((line) => line !== undefined);
}

function outline(lines: readonly DiskLine[], sidechains?: ReadonlyMap<string, DiskLine[]>): string[] {
  return [...entriesFrom(readHistory(lines, sidechains).conversation.entries)].map(shown);
}

function shown(entry: Entry): string {
  const under = entry.parent === undefined ? '' : '> ';
  if (entry.kind === 'tool') return `${under}tool ${entry.state} ${entry.title}`;
  return `${under}${entry.kind} ${entry.status} ${'text' in entry ? entry.text.slice(0, 30) : ''}`;
}

let count = 0;
const at = (): string => new Date(1_700_000_000_000 + count++ * 1000).toISOString();
const user = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}): DiskLine => ({
  type: 'user',
  uuid,
  parentUuid,
  isSidechain: false,
  timestamp: at(),
  message: { role: 'user', content },
  ...more,
});
const said = (
  uuid: string,
  parentUuid: string | null,
  id: string,
  block: object,
  more: object = {},
): DiskLine => ({
  type: 'assistant',
  uuid,
  parentUuid,
  isSidechain: false,
  timestamp: at(),
  message: { id, role: 'assistant', model: 'm', content: [block] },
  ...more,
});
const text = (words: string): object => ({ type: 'text', text: words });
const use = (id: string, name: string, input: object): object => ({ type: 'tool_use', id, name, input });
const result = (id: string, content: string): object[] => [{ type: 'tool_result', tool_use_id: id, content }];

describe('a session file', () => {
  test('A42 reads as its conversation, with the ids under which prompts were sent', () => {
    const lines = linesOf('session-resume');
    expect(outline(lines)).toEqual([
      'user complete Remember SCN:bash',
      'text complete I will run a command.',
      'tool done Bash: touch made-by-bash.txt && echo hello-from-bash',
      'text complete The command ran.',
      'user complete And now SCN:second',
      'text complete This is the second answer.',
      'user complete Continue SCN:hello',
      'text complete Hello! This is a scripted answ',
    ]);
    const { conversation, whole } = readHistory(lines);
    expect(whole).toBe(true);
    const prompts = [...entriesFrom(conversation.entries)].filter(({ kind }) => kind === 'user');
    expect(prompts.map(({ id }) => id)).toEqual(
      lines.flatMap((line) => (line.type === 'user' && line.toolUseResult === undefined ? [line.uuid] : [])),
    );
    expect(conversation.turns.map(({ endedBy }) => endedBy)).toEqual(Array(3).fill('completed'));
    expect(conversation.open).toEqual({});
    expect(conversation.unrecognized.count).toBe(0);
    const [first] = prompts;
    expect(new Date(first?.at ?? 0).getFullYear()).toBeGreaterThan(2025);
  });

  test("H6 understands the agent's own repair after a kill", () => {
    expect(outline(linesOf('sigkill-before-resume')).at(-1)).toMatch(/^tool stale Bash/);
    const after = outline(linesOf('sigkill-after-resume'));
    expect(after.find((line) => line.startsWith('tool'))).not.toMatch(/stale|running/);
    expect(after.at(-1)).toBe('text complete This is the second answer.');
  });

  test('A42 shows only the branch of the newest line, with parallel tools', () => {
    const lines = [
      user('u1', null, 'Do both'),
      said('a1', 'u1', 'm1', use('t1', 'Bash', { command: 'one' })),
      said('a2', 'a1', 'm1', use('t2', 'Bash', { command: 'two' })),
      user('r1', 'a1', result('t1', 'first')),
      user('r2', 'a2', result('t2', 'second')),
      said('a3', 'r2', 'm2', text('Both done.')),
      user('u2', 'a3', 'This was rewound'),
      said('a4', 'u2', 'm3', text('Never mind.')),
      user('u3', 'a3', 'This instead'),
      { type: 'something-new', uuid: 'n1', parentUuid: 'u3' },
      said('a5', 'n1', 'm4', text('Right.')),
    ];
    expect(outline(lines)).toEqual([
      'user complete Do both',
      'tool done Bash: one',
      'tool done Bash: two',
      'text complete Both done.',
      'user complete This instead',
      'text complete Right.',
    ]);
  });

  test('A42 handles compactions, nested subagents, commands and interrupts', () => {
    const side = { isSidechain: true, agentId: 'g1' };
    const inner = [
      user('s1', null, 'the prompt', side),
      said('s2', 's1', 'sm', text('Looking around.'), side),
    ];
    const lines = [
      user('u1', null, 'Begin'),
      said('a1', 'u1', 'm1', use('t1', 'Agent', { description: 'Look', prompt: 'p' })),
      user('r1', 'a1', result('t1', 'report'), {
        toolUseResult: { agentId: 'g1', status: 'completed', content: [] },
      }),
      {
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'c1',
        parentUuid: null,
        logicalParentUuid: 'r1',
        compactMetadata: { preTokens: 10, postTokens: 2, trigger: 'auto' },
      },
      user('u2', 'c1', 'The summary', { isCompactSummary: true }),
      user(
        'u3',
        'u2',
        '<command-message>x</command-message><command-name>/greet</command-name><command-args>Ada</command-args>',
      ),
      user('m1', 'u3', 'for the model only', { isMeta: true }),
      said('a2', 'm1', 'm2', text('Hello A')),
      user('i1', 'a2', [text('[Request interrupted by user]')]),
    ];
    const expected = [
      'user complete Begin',
      'tool done Agent: Look',
      '> text complete Looking around.',
      'notice complete The conversation was summed up',
      'notice complete The agent added a message of i',
      'user complete /greet Ada',
      'text complete Hello A',
      'notice complete Interrupted.',
    ];
    expect(outline(lines, new Map([['g1', inner]]))).toEqual(expected);
    expect(outline([...inner, ...lines])).toEqual(expected);
    expect(readHistory(lines).conversation.turns.map(({ endedBy }) => endedBy)).toEqual([
      'completed',
      'cancelled',
    ]);
  });
});

describe('on disk', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'td-history-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  function write(name: string, lines: readonly object[]): string {
    const folder = join(home, '.claude/projects/-some-project');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, name);
    writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"half":`);
    return file;
  }

  test('A40 finds a file by its session, and the message to fork at by the entry', () => {
    const lines = [
      user('11111111-1111-4111-8111-111111111111', null, 'one'),
      said('22222222-2222-4222-8222-222222222222', '11111111-1111-4111-8111-111111111111', 'm1', text('a')),
      said('33333333-3333-4333-8333-333333333333', '22222222-2222-4222-8222-222222222222', 'm1', text('b')),
      user('44444444-4444-4444-8444-444444444444', '33333333-3333-4333-8333-333333333333', 'two'),
    ];
    const file = write('s1.jsonl', lines);
    const place = { environment: { HOME: home }, directory: '/some/project' };
    expect(sessionFile(place, 's1')).toBe(file);
    expect(sessionFile({ ...place, directory: '/elsewhere' }, 's1')).toBe(file);
    expect(sessionFile(place, 'none')).toBeUndefined();
    const cut = (entry: string): string | null | undefined =>
      messageAt({ ...place, session: { kind: 'fork', id: 's1', at: entry } });
    expect(cut('m1:0')).toBe('33333333-3333-4333-8333-333333333333');
    expect(cut('44444444-4444-4444-8444-444444444444')).toBe('33333333-3333-4333-8333-333333333333');
    expect(cut('22222222-2222-4222-8222-222222222222')).toBe('22222222-2222-4222-8222-222222222222');
    // Nothing is before the first message.
    expect(cut('11111111-1111-4111-8111-111111111111')).toBeNull();
    expect(cut('nobody')).toBe('nobody');
  });

  test('A42 imports a session from its file, the newest if unnamed, up to the message', () => {
    const ids = [1, 2, 3, 4].map((digit) => `${String(digit).repeat(8)}-1111-4111-8111-111111111111`);
    const [u1 = '', a1 = '', u2 = '', a2 = ''] = ids;
    write('s1.jsonl', [
      user(u1, null, 'one'),
      said(a1, u1, 'm1', text('first')),
      user(u2, a1, 'two'),
      said(a2, u2, 'm2', text('second')),
    ]);
    const place = { environment: { HOME: home }, directory: '/some/project' };
    const promptsOf = (session: SessionStart): string[] =>
      sessionHistory({ ...place, session }).flatMap(({ body }) =>
        body.kind === 'entry.opened' && 'text' in body.entry ? [body.entry.text] : [],
      );
    expect(promptsOf({ kind: 'resume', id: 's1' })).toEqual(['first', 'second']);
    expect(promptsOf({ kind: 'continue', id: '' })).toEqual(['first', 'second']);
    expect(promptsOf({ kind: 'fork', id: 's1', at: u2 })).toEqual(['first']);
    expect(promptsOf({ kind: 'fork', id: 's1', at: u1 })).toEqual([]);
    expect(promptsOf({ kind: 'new', id: 's1' })).toEqual([]);
    expect(promptsOf({ kind: 'resume', id: 'none' })).toEqual([]);
  });

  test('A40 reads the last screen of a long file from its end', () => {
    const lines: DiskLine[] = [];
    const filler = 'x'.repeat(2000);
    let parent: string | null = null;
    for (let index = 0; index < 6000; index++) {
      lines.push(user(`u${index}`, parent, `question ${index}`));
      lines.push(said(`a${index}`, `u${index}`, `m${index}`, text(`answer ${index} ${filler}`)));
      lines.push({ type: 'api-request-blob', content: filler });
      parent = `a${index}`;
    }
    const file = write('long.jsonl', lines);
    const { conversation, whole } = readSessionFile(file, { entries: 200 });
    expect(whole).toBe(false);
    expect(conversation.nextSeq).toBeGreaterThanOrEqual(200);
    expect(conversation.nextSeq).toBeLessThan(3000);
    const last = [...entriesFrom(conversation.entries)].at(-1);
    expect(last && 'text' in last ? last.text.slice(0, 11) : '').toBe('answer 5999');
    const few = readSessionFile(write('short.jsonl', lines.slice(0, 9)), { entries: 200 });
    expect(few).toMatchObject({ whole: true, conversation: { nextSeq: 6 } });
  });
});

test('A42 turns of an adapter that we started are ours, those of the terminal are not', () => {
  const entrypoint = findAgent('claude-acp')?.environment?.CLAUDE_CODE_ENTRYPOINT;
  const prompt = (from: unknown) =>
    JSON.stringify({ type: 'user', uuid: 'u', entrypoint: from, message: { role: 'user', content: 'hi' } });
  expect(claudeHistory.lastTurn([prompt(entrypoint)])?.external).toBeUndefined();
  expect(claudeHistory.lastTurn([prompt('cli')])?.external).toBe('u');
  expect(claudeHistory.lastTurn([prompt('sdk-ts')])?.external).toBe('u');
});
