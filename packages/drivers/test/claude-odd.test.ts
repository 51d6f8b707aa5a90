// Odd but valid lines: missing, null, differently shaped or unknown fields. None is lost, counted as drift, or
// throws; the conversation around them continues.
import type { Change } from '@tugdeck/protocol/conversation/changes';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { fold } from '@tugdeck/protocol/conversation/fold';
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { describe, expect, test } from 'vitest';
import { Translator } from '../src/claude/translate.ts';
import { replayFile } from '../src/known-drivers.ts';

const PROMPT = '11111111-2222-4333-8444-555555555555';

interface Played {
  readonly entries: readonly string[];
  readonly turns: readonly string[];
  readonly drift: Readonly<Record<string, number>>;
}

/** A turn with these lines. */
function played(...lines: readonly object[]): Played {
  const recorded = [
    { dir: 'in', line: { type: 'user', uuid: PROMPT, message: { role: 'user', content: 'hi' } } },
    ...lines.map((line) => ({ dir: 'out', line })),
  ];
  const { entries, turns, unrecognized } = replayFile(
    'claude',
    recorded.map((line) => JSON.stringify({ t: 0, ...line })),
  );
  return {
    entries: entries.slice(1).map((entry) => {
      const { kind, status, state, text, title } = entry as Partial<Entry> & Record<string, unknown>;
      const said = String(kind === 'tool' ? title : (text ?? ''));
      return [kind, state ?? status, said].filter(Boolean).join(' ').slice(0, 70);
    }),
    turns: turns.map(({ origin, endedBy }) => `${origin} ${endedBy}`),
    drift: unrecognized.kinds,
  };
}

const done = { type: 'result', subtype: 'success', is_error: false, uuid: 'r' };
const says = (content: unknown, more: object = {}): object => ({
  type: 'assistant',
  uuid: crypto.randomUUID(),
  message: { id: 'm1', role: 'assistant', content },
  ...more,
});
const use = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } };
const came = (block: object, more: object = {}): object => ({
  type: 'user',
  uuid: crypto.randomUUID(),
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', ...block }] },
  ...more,
});

describe('model messages', () => {
  test.each<[string, object, readonly string[]]>([
    ['a string', says('Hello'), ['text complete Hello']],
    ['a list of two', says([text('One'), text('Two')]), ['text complete One', 'text complete Two']],
    ['nothing', says(null), []],
    ['an empty list', says([]), []],
    ['a text of null', says([{ type: 'text', text: null }, text('R')]), ['text complete', 'text complete R']],
    ['hidden thoughts', says([{ type: 'redacted_thinking', data: 'x' }]), ['thinking complete']],
    ['thoughts without a signature', says([{ type: 'thinking', thinking: 'Hm' }]), ['thinking complete Hm']],
    [
      'nulls everywhere',
      says([text('Rest')], {
        session_id: null,
        parent_tool_use_id: null,
        timestamp: null,
        request_id: null,
        aborted: null,
        error: null,
        is_api_error_message: null,
        api_error_status: null,
        thinking_duration_ms: null,
        local_command_source: null,
        local_command_run: null,
        user_message_uuid: null,
        user_message_uuids: null,
      }),
      ['text complete Rest'],
    ],
    [
      'no uuid and no id',
      { type: 'assistant', message: { content: [text('Bare')] } },
      ['text complete Bare'],
    ],
    [
      'usage of null',
      says([text('Rest')], { message: { id: 'm', content: [text('Rest')], usage: { input_tokens: null } } }),
      ['text complete Rest'],
    ],
  ])('A2 %s', (_, line, entries) => {
    expect(played(line, done)).toEqual({ entries, turns: ['user completed'], drift: {} });
  });
});

describe('tool results', () => {
  test.each<[string, object, string]>([
    ['a string', came({ content: 'out' }), 'tool done'],
    ['a list', came({ content: [text('out'), text('more')] }), 'tool done'],
    ['nothing at all', came({}), 'tool done'],
    ['null', came({ content: null, is_error: null }), 'tool done'],
    [
      'an image',
      came({ content: [{ type: 'image', source: { type: 'base64', data: 'AA==' } }] }),
      'tool done',
    ],
    ['a structured result of null', came({ content: 'out' }, { tool_use_result: null }), 'tool done'],
    ['a structured result of a number', came({ content: 'out' }, { tool_use_result: 7 }), 'tool done'],
    [
      'a failure reported as a string',
      came({ content: 'no', is_error: true }, { tool_use_result: 'Error: no' }),
      'tool failed',
    ],
    ['a failure without words', came({ is_error: true }), 'tool failed'],
    ['notes of null', came({ content: 'out' }, { tool_result_meta: null, timestamp: null }), 'tool done'],
    [
      'a decision of null',
      came({ content: 'out' }, { tool_result_meta: [{ id: 't1', permission_decision: null }] }),
      'tool done',
    ],
  ])('A5 %s', (_, line, tool) => {
    const { entries, turns, drift } = played(says([use]), line, done);
    expect(entries).toEqual([expect.stringMatching(`^${tool} `)]);
    expect({ turns, drift }).toEqual({ turns: ['user completed'], drift: {} });
  });

  test('A5 ignores a result without a tool, and a repeated result', () => {
    const result = came({ content: 'out' });
    const { entries, drift } = played(
      came({ content: 'stray', tool_use_id: 't9' }),
      says([use]),
      result,
      result,
      done,
    );
    expect(entries).toEqual([expect.stringMatching('^tool done')]);
    expect(drift).toEqual({});
  });
});

describe('ends of turns', () => {
  test.each<[string, object, string]>([
    ['hardly a word', { type: 'result' }, 'completed'],
    [
      'nulls',
      {
        type: 'result',
        subtype: 'success',
        is_error: null,
        result: null,
        terminal_reason: null,
        modelUsage: null,
        usage: null,
        errors: null,
      },
      'completed',
    ],
    ['an unknown reason', { ...done, terminal_reason: 'brand_new' }, 'completed'],
    ['a hook', { ...done, terminal_reason: 'hook_stopped' }, 'completed'],
    ['a failure that calls itself a success', { ...done, terminal_reason: 'model_error' }, 'error'],
    ['no more room', { ...done, is_error: true, terminal_reason: 'blocking_limit' }, 'limit'],
    [
      'a form never met',
      { ...done, is_error: true, terminal_reason: 'structured_output_retry_exhausted' },
      'limit',
    ],
    [
      'an abort',
      { ...done, is_error: true, subtype: 'error_during_execution', terminal_reason: 'aborted_tools' },
      'cancelled',
    ],
    ['an error of no name', { type: 'result', is_error: true, uuid: 'r' }, 'error'],
    [
      'errors that are not a list',
      { type: 'result', subtype: 'error_during_execution', is_error: true, errors: 'x' },
      'error',
    ],
  ])('A3 %s', (_, line, end) => {
    const { turns, drift } = played(says([text('x')]), line);
    expect({ turns, drift }).toEqual({ turns: [`user ${end}`], drift: {} });
  });
});

describe('streams', () => {
  const event = (event: object, more: object = {}): object => ({
    type: 'stream_event',
    uuid: crypto.randomUUID(),
    event,
    ...more,
  });
  const start = event({ type: 'message_start', message: { id: 'm1', usage: null, model: null } });
  const block = event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  const delta = (delta: unknown) => event({ type: 'content_block_delta', index: 0, delta });

  test('A4 null, empty and unknown deltas lose nothing', () => {
    const lines = [
      start,
      block,
      delta({ type: 'text_delta', text: 'Hel' }),
      delta(null),
      delta({}),
      delta({ type: 'new_delta' }),
      delta({ type: 'text_delta', text: null }),
      delta({ type: 'text_delta', text: 'lo' }),
    ];
    const { entries, drift } = played(
      ...lines,
      says([text('Hello')]),
      event({ type: 'content_block_stop', index: 0 }),
      event({ type: 'ping' }),
      event({ type: 'message_stop' }, { abandoned_blocks: null }),
      done,
    );
    expect({ entries, drift }).toEqual({ entries: ['text complete Hello'], drift: {} });
  });

  test('A4 a block that is never completed was dropped by the agent and is marked', () => {
    const { entries, turns } = played(start, block, delta({ type: 'text_delta', text: 'Half' }), {
      ...done,
      terminal_reason: 'aborted_streaming',
    });
    expect(entries).toEqual(['text cancelled']);
    expect(turns).toEqual(['user cancelled']);
  });
});

describe('kinds from the typings, minimal and with extra fields', () => {
  const kinds: readonly object[] = [
    { type: 'tool_use_summary', summary: 'x', preceding_tool_use_ids: [] },
    { type: 'auth_status', isAuthenticating: true, output: null },
    { type: 'auth_status', isAuthenticating: null, output: [], error: null },
    { type: 'prompt_suggestion', suggestion: null },
    {
      type: 'rate_limit_event',
      rate_limit_info: { status: 'allowed_warning', resetsAt: null, utilization: 'much' },
    },
    { type: 'rate_limit_event', rate_limit_info: {} },
    { type: 'tool_progress', tool_use_id: null, parent_tool_use_id: null, elapsed_time_seconds: 3 },
    { type: 'control_response', response: { subtype: 'error', request_id: 'x', error: null } },
    { type: 'control_cancel_request', request_id: 'never-asked' },
    { type: 'command_lifecycle', command_uuid: 'nobody', state: 'brand_new' },
    ...[
      'local_command_output',
      'notification',
      'files_persisted',
      'memory_recall',
      'commands_changed',
      'elicitation_complete',
      'plugin_install',
      'mirror_error',
      'session_writes_lost',
      'worker_shutting_down',
      'informational',
      'status',
      'task_started',
      'task_progress',
      'task_updated',
      'task_notification',
      'permission_denied',
      'api_retry',
      'compact_boundary',
      'hook_response',
      'session_title_changed',
      'model_fallback',
    ].flatMap((subtype) => [
      { type: 'system', subtype },
      {
        type: 'system',
        subtype,
        uuid: null,
        session_id: null,
        content: null,
        text: null,
        title: null,
        task_id: null,
        tool_use_id: null,
        patch: null,
        usage: null,
        compact_metadata: null,
        memories: null,
        commands: null,
        files: null,
        failed: null,
        brand_new: { deep: [1] },
      },
    ]),
  ];
  test.each(kinds.map((line) => [JSON.stringify(line).slice(0, 90), line] as const))('A2 %s', (_, line) => {
    const { entries, turns, drift } = played(says([text('Before')]), line, says([text('Still here')]), done);
    expect(entries.at(-1)).toBe('text complete Still here');
    expect(turns).toEqual(['user completed']);
    expect(drift).toEqual({});
  });
});

test('A3 does not report a prompt as delivered that the agent discarded', () => {
  const state = (state: string): object => ({ type: 'command_lifecycle', command_uuid: PROMPT, state });
  for (const end of ['cancelled', 'discarded', 'refused']) {
    const later = '11111111-2222-4333-8444-666666666666';
    const recorded = [
      { dir: 'in', line: { type: 'user', uuid: PROMPT, message: { role: 'user', content: 'first' } } },
      { dir: 'out', line: state('started') },
      { dir: 'in', line: { type: 'user', uuid: later, message: { role: 'user', content: 'second' } } },
      { dir: 'out', line: { type: 'command_lifecycle', command_uuid: later, state: 'queued' } },
      { dir: 'out', line: { ...done, user_message_uuids: [PROMPT] } },
      { dir: 'out', line: { type: 'command_lifecycle', command_uuid: later, state: end } },
    ];
    const { entries, turn } = replayFile(
      'claude',
      recorded.map((line) => JSON.stringify({ t: 0, ...line })),
    );
    expect(
      entries.find(({ text }) => text === 'second'),
      end,
    ).toMatchObject({ status: 'cancelled' });
    expect(turn).toBe('idle');
  }
});

function text(words: string): object {
  return { type: 'text', text: words };
}

describe('familiar to terminal users', () => {
  const entryOf = (...lines: readonly object[]): Entry | undefined => {
    const translator = new Translator({ mark: 'm' });
    let state = fold(EMPTY, { kind: 'prompt.accepted', prompt: { id: PROMPT, text: 'hi' }, v: 1, at: 0 });
    const outputs = [
      ...translator.prompt(PROMPT, 'hi'),
      ...[...lines, done].flatMap((line) => translator.message(line)),
    ];
    for (const output of outputs) {
      if (output.kind !== 'live') state = fold(state, { ...output, v: state.v + 1, at: 0 } as Change);
    }
    return [...entriesFrom(state.entries)].at(-1);
  };

  test('A5 shows a skill by its name', () => {
    const skill = { type: 'tool_use', id: 't1', name: 'Skill', input: { skill: 'knots' } };
    expect(entryOf(says([skill]))).toMatchObject({ title: 'Skill: knots' });
  });

  test('A5 truncated output names its size and file', () => {
    const structured = { stdout: 'line 1\nli', stderr: '', persistedOutputSize: 5_313_894 };
    const result = { tool_use_result: { ...structured, persistedOutputPath: '/home/u/.claude/o.txt' } };
    expect(entryOf(says([use]), came({ content: 'x' }, result))).toMatchObject({
      result: { type: 'terminal', cut: { size: 5_313_894, path: '/home/u/.claude/o.txt' } },
    });
  });

  test('A9 marks a prompt that a hook blocked with the reason', () => {
    const outcome = { kind: 'blocked_by_hook', prompt_kept: false, reason: 'not this one' };
    const blocked = {
      type: 'system',
      subtype: 'informational',
      content: 'x',
      prompt_submit_outcome: outcome,
    };
    expect(entryOf(blocked)).toMatchObject({
      kind: 'user',
      delivery: 'failed',
      why: 'A hook blocked it: not this one',
    });
  });

  test('A8 a rate limit says when the service takes requests again', () => {
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 3, error: 'rate_limit' };
    const failed = says([text('429')], {
      error: 'rate_limit',
      is_api_error_message: true,
      timestamp: '2026-11-16T11:40:00.000Z',
    });
    const detail = (ms: number) => entryOf({ ...retry, retry_delay_ms: ms }, failed);
    expect(detail(1_200_000)).toMatchObject({ detail: expect.stringContaining('2026-11-16T12:00Z') });
    expect(detail(500)).toMatchObject({ detail: 'Wait a while, then send the message again.' });
  });
});
