// Every kind of message, from recordings where available: no model text is lost or duplicated. Kinds without a
// recording are listed here and tested with a line built from the typings.
import { readdirSync, readFileSync } from 'node:fs';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import type { SessionInfo } from '@tugdeck/protocol/conversation/session-info';
import { describe, expect, test } from 'vitest';
import { SYSTEM_HANDLED, SYSTEM_IGNORED } from '../src/claude/system-kinds.ts';
import { Translator } from '../src/claude/translate.ts';
import { TYPES } from '../src/claude/wire.ts';
import type { Output } from '../src/kit/port.ts';
import { replayFile } from '../src/known-drivers.ts';

const FIXTURES = new URL('../src/claude/fixtures/', import.meta.url);
const names = readdirSync(FIXTURES)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => file.replace('.jsonl', ''));

// biome-ignore lint/suspicious/noExplicitAny: raw lines of another program.
type Raw = any;

function rawOf(name: string): { dir: string; line: Raw }[] {
  return linesOf(name).map((line) => JSON.parse(line));
}

function linesOf(name: string): string[] {
  return readFileSync(new URL(`${name}.jsonl`, FIXTURES), 'utf8')
    .split('\n')
    .filter(Boolean);
}

/** The model's text according to the raw lines: every complete block once, by the uuid of its line. */
function modelText(name: string): string[] {
  const seen = new Set<string>();
  const texts: string[] = [];
  for (const { dir, line } of rawOf(name)) {
    if (dir !== 'out' || line?.type !== 'assistant' || seen.has(line.uuid)) continue;
    seen.add(line.uuid);
    if (line.message.model === '<synthetic>') continue;
    for (const block of line.message.content) {
      if (block.type === 'text') texts.push(block.text);
      if (block.type === 'thinking') texts.push(block.thinking);
    }
  }
  return texts;
}

/** Streams that ended without a complete block and without being abandoned: killed, or still running. */
function unfinished(name: string): boolean {
  return /sigkill|sigterm|killed|eof|resume-interrupted|malformed|user-bad/.test(name);
}

test.each(names)('A4 no model text is lost or duplicated: %s', (name) => {
  const shown = replayFile('claude', linesOf(name))
    .entries.filter(({ kind, text }) => (kind === 'text' || kind === 'thinking') && text !== '')
    .map(({ text }) => String(text));
  const said = modelText(name);
  if (unfinished(name)) {
    for (const text of said) expect(shown).toContain(text);
  } else {
    expect([...shown].sort()).toEqual([...said.filter((text) => text !== '')].sort());
  }
});

test.each(names)('A3 no request is lost: %s', (name) => {
  const asked = rawOf(name).flatMap(({ dir, line }) =>
    dir === 'out' && line?.type === 'control_request' ? [String(line.request_id)] : [],
  );
  const { requests } = replayFile('claude', linesOf(name));
  for (const id of asked) expect(requests.map((request) => request.id)).toContain(id);
});

/** Kinds without a recording: each is tested below with a line built from the typings. */
const UNRECORDED = [
  'active_goal',
  'api_metrics',
  'auth_status',
  'autocompact_state',
  'compact_progress',
  'keep_alive',
  'stream_mode',
  'system/agents_killed',
  'system/api_error',
  'system/away_summary',
  'system/cloud_session_delta',
  'system/code_change_published',
  'system/commands_changed',
  'system/dev_intent',
  'system/elicitation_complete',
  'system/feedback_draft_queued',
  'system/file_attachments_missing',
  'system/file_snapshot',
  'system/files_persisted',
  'system/hook_progress',
  'system/inherited_asks_settled',
  'system/instruction_size_warning',
  'system/local_command_output',
  'system/memory_recall',
  'system/memory_saved',
  'system/mirror_error',
  'system/model_consent_fallback',
  'system/model_refusal_fallback',
  'system/model_refusal_no_fallback',
  'system/peer_message_hold',
  'system/per_turn_effort_changed',
  'system/permission_check_status',
  'system/permission_retry',
  'system/plugin_install',
  'system/post_turn_summary',
  'system/scheduled_task_fire',
  'system/session_metadata',
  'system/session_writes_lost',
  'system/stop_hook_summary',
  'system/task_summary',
  'system/turn_duration',
  'system/turn_handoff_available',
  'system/turn_preempted',
  'system/ui_focus',
  'system/ui_log',
  'system/ui_notify',
  'system/ui_notify_cancel',
  'system/ui_panes',
  'system/ui_placed',
  'system/ui_scroll',
  'system/ui_status',
  'system/ui_toast',
  'system/upgrade_relay_marker',
  'system/vcs_state_changed',
  'system/worker_shutting_down',
  'tool_use_summary',
  'transcript_mirror',
];

test('A2 every kind is in a recording or listed here', () => {
  const recorded = new Set(
    names.flatMap((name) =>
      rawOf(name).flatMap(({ dir, line }) =>
        dir === 'out' && typeof line?.type === 'string'
          ? [line.type === 'system' ? `system/${line.subtype}` : line.type]
          : [],
      ),
    ),
  );
  const known = [
    ...[...TYPES].filter((type) => type !== 'system'),
    ...[...SYSTEM_HANDLED, ...SYSTEM_IGNORED].map((subtype) => `system/${subtype}`),
  ];
  expect(known.filter((kind) => !recorded.has(kind)).sort()).toEqual(UNRECORDED);
});

function notices(outputs: readonly Output[]): string[] {
  return outputs.flatMap((output) =>
    output.kind === 'entry.opened' && output.entry.kind === 'notice'
      ? [`${output.entry.level} ${output.entry.text}`]
      : [],
  );
}

function facts(outputs: readonly Output[]): object {
  return Object.assign(
    {},
    ...outputs.map((output) => (output.kind === 'session.described' ? output.facts : {})),
  );
}

const said = (line: object): Output[] => new Translator({ mark: 'x' }).message({ uuid: 'u1', ...line });
const system = (subtype: string, more: object = {}): Output[] => said({ type: 'system', subtype, ...more });

describe('kinds without a recording', () => {
  test('A2 none of them counts as unrecognized', () => {
    for (const kind of UNRECORDED) {
      const [type, subtype] = kind.split('/');
      const bare = type === 'system' ? system(subtype ?? '') : said({ type });
      expect(
        bare.filter((output) => output.kind === 'drift.counted'),
        kind,
      ).toEqual([]);
    }
  });

  test('C15 agent events become notices', () => {
    const memory = { mode: 'select', memories: [{ path: '/m/a.md', scope: 'personal', content: 'Body' }] };
    expect(notices(system('memory_recall', memory))).toEqual(['info Recalled from memory: /m/a.md']);
    expect(notices(system('notification', { key: 'k', text: 'Look', priority: 'low' }))).toEqual([
      'info Look',
    ]);
    const lost = { error_code: 'ENOSPC', lost: ['transcript'] };
    expect(notices(system('session_writes_lost', lost))[0]).toMatch(/^warning .*disk is full/);
    const failed = { files: [], failed: [{ filename: 'a', error: 'no' }], processed_at: '' };
    expect(notices(system('files_persisted', failed))).toEqual(['warning Files were not kept: a: no']);
    expect(notices(system('files_persisted', { files: [], failed: [] }))).toEqual([]);
    expect(notices(system('mirror_error', { error: 'refused' }))[0]).toContain('refused');
    const swap = { trigger: 'refusal', direction: 'retry', original_model: 'a', fallback_model: 'b' };
    expect(notices(system('model_refusal_fallback', swap))[0]).toBe(
      'warning a refused to answer: going on with b.',
    );
    expect(
      notices(said({ type: 'auth_status', isAuthenticating: false, output: [], error: 'no' }))[0],
    ).toContain('Signing in failed: no');
  });

  test('A7 a local command that answers itself is a command entry', () => {
    const outputs = system('local_command_output', {
      content: '<local-command-stdout>Total: 1</local-command-stdout>',
    });
    expect(outputs).toMatchObject([{ entry: { kind: 'command', text: 'Total: 1', status: 'complete' } }]);
  });

  test('M6 the command list follows, and a suggestion disappears with the next message', () => {
    const commands = [{ name: 'greet', description: 'Says hello', argumentHint: '<who>' }];
    const offered = (
      facts(system('commands_changed', { commands: [...commands, { name: 'model' }] })) as SessionInfo
    ).commands;
    expect(offered?.slice(0, 2)).toEqual([
      { ...commands[0], category: 'agent' },
      { name: 'model', surface: 'model', category: 'local' },
    ]);
    // Terminal-only commands, and those that open a Tugdeck view (A15).
    expect(offered).toContainEqual(
      expect.objectContaining({ name: 'permissions', surface: 'control:rules' }),
    );
    const translator = new Translator({ mark: 'x' });
    translator.message({ type: 'prompt_suggestion', suggestion: 'run the tests' });
    expect(facts(translator.prompt('p1', 'hi'))).toEqual({ suggestion: '' });
  });

  test('A3 closes a request for an external step when the server reports it complete', () => {
    const translator = new Translator({ mark: 'x' });
    const request = { subtype: 'elicitation', mcp_server_name: 's', mode: 'url', elicitation_id: 'e1' };
    translator.message({ type: 'control_request', request_id: 'r1', request });
    const done = { type: 'system', subtype: 'elicitation_complete', elicitation_id: 'e1' };
    expect(translator.message(done)).toEqual([{ kind: 'request.settled', entry: 'r1', status: 'withdrawn' }]);
  });

  test('A8 a refusal without another model ends the turn as refused', () => {
    const translator = new Translator({ mark: 'x' });
    translator.prompt('p1', 'hi');
    translator.message({ type: 'system', subtype: 'model_refusal_no_fallback', uuid: 'u' });
    const ended = translator.message({
      type: 'result',
      subtype: 'success',
      is_error: true,
      result: 'API Error',
    });
    expect(ended.find(({ kind }) => kind === 'turn.ended')).toMatchObject({ endedBy: 'refused' });
  });

  test('A5 a provider-side tool has its result in the same message', () => {
    const translator = new Translator({ mark: 'x' });
    const message = (content: object[], uuid: string): Output[] =>
      translator.message({ type: 'assistant', uuid, message: { id: 'm1', content } });
    message([{ type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } }], 'a1');
    const found = [{ type: 'web_search_result', title: 'T', url: 'https://example.org' }];
    expect(
      message([{ type: 'web_search_tool_result', tool_use_id: 's1', content: found }], 'a2'),
    ).toMatchObject([
      {
        kind: 'entry.closed',
        entry: 's1',
        status: 'complete',
        patch: { state: 'done', result: { value: found } },
      },
    ]);
  });

  test('A5 a subagent that waits for its model shows it', () => {
    const translator = new Translator({ mark: 'x' });
    const use = { type: 'tool_use', id: 't1', name: 'Agent', input: { description: 'Look' } };
    translator.message({ type: 'assistant', uuid: 'a', message: { id: 'm', content: [use] } });
    const retry = { agent_id: 'g', attempt: 2, max_retries: 10, error_category: 'rate_limit' };
    const outputs = translator.message({
      type: 'tool_progress',
      tool_use_id: 't1-heartbeat-0',
      parent_tool_use_id: 't1',
      subagent_retry: retry,
    });
    expect(outputs).toMatchObject([
      { entry: 't1', patch: { progress: 'No answer: rate limit, attempt 2 of 10' } },
    ]);
  });
});

interface RecordedCase {
  readonly name: string;
  readonly rule: string;
  readonly entries: readonly string[];
  readonly turns: readonly string[];
}

/** Our own recordings against the scripted model, with the expected result of each. */
const OWN: readonly RecordedCase[] = [
  {
    name: 'steer-during-tools',
    rule: 'A25',
    entries: ['user', 'text', 'tool done', 'permission', 'user', 'text'],
    turns: ['user completed'],
  },
  {
    name: 'duplicate-uuid',
    rule: 'A3',
    entries: ['user', 'text', 'user', 'text'],
    turns: ['user completed', 'user completed'],
  },
  {
    name: 'priority-now-mid-text',
    rule: 'A3',
    entries: ['user', 'text cancelled', 'user', 'text'],
    turns: ['user cancelled', 'user completed'],
  },
  {
    name: 'priority-later-and-next',
    rule: 'A3',
    entries: ['user', 'user', 'user', 'text', 'text', 'text'],
    turns: Array(3).fill('user completed'),
  },
  {
    name: 'text-merged',
    rule: 'A3',
    entries: ['user', 'user', 'user', 'text', 'text'],
    turns: ['user completed', 'user completed'],
  },
  {
    name: 'subagents-parallel-prompts',
    rule: 'A5',
    entries: [
      'user',
      'tool done',
      'tool done',
      ...Array(2).fill(['> text', '> tool done', '> permission']).flat(),
      '> text',
      '> text',
      'text',
    ],
    turns: ['user completed'],
  },
  {
    name: 'subagent-background',
    rule: 'A3',
    entries: ['user', 'tool done', '> text', 'text', '> tool done', '> permission', '> text', 'text'],
    turns: ['user completed', 'agent completed'],
  },
  {
    name: 'interrupt-before-first-byte',
    rule: 'H8',
    entries: ['user', 'notice info Interrupted.', 'user', 'text'],
    turns: ['user cancelled', 'user completed'],
  },
  {
    name: 'interrupt-mid-tool-input',
    rule: 'H8',
    entries: ['user', 'text', 'tool interrupted', 'notice info Interrupted.', 'user', 'text'],
    turns: ['user cancelled', 'user completed'],
  },
  {
    name: 'interrupt-subagent',
    rule: 'H8',
    entries: ['user', 'tool interrupted', 'notice info Interrupted while a tool was wait', 'user', 'text'],
    turns: ['user cancelled', 'user completed'],
  },
  {
    name: 'stream-error-exhausted',
    rule: 'A8',
    entries: [
      'user',
      'text cancelled',
      'notice warning No answer: the service is overl',
      'notice warning No answer: the service is overl',
      'notice error API Error: 500 Overloaded. This',
    ],
    turns: ['user error'],
  },
  {
    name: 'stream-cut',
    rule: 'A8',
    entries: ['user', 'text cancelled', 'notice warning No answer: the connection faile', 'text'],
    turns: ['user completed'],
  },
  {
    name: 'stream-cut-after-tool',
    rule: 'A8',
    entries: [
      'user',
      'text',
      'tool done',
      'text cancelled',
      'notice error API Error: Connection lost mid-',
      'text',
    ],
    turns: ['user completed'],
  },
  {
    name: 'max-output-tokens',
    rule: 'A8',
    entries: [
      'user',
      ...Array(3).fill(['text', 'notice info The agent added a message of it']).flat(),
      'text',
      "notice error API Error: Claude's response ex",
    ],
    turns: ['user error'],
  },
  {
    name: 'usage-limit-reached',
    rule: 'A8',
    entries: ['user', "notice error You've hit your 5-hour limit · "],
    turns: ['user error'],
  },
  {
    name: 'model-fallback',
    rule: 'A8',
    entries: [
      'user',
      'notice warning No answer: the service is overl',
      'notice warning No answer: the service is overl',
      'notice warning Switched to Haiku 4.5 due to hi',
      'text',
    ],
    turns: ['user completed'],
  },
  {
    name: 'auto-compact',
    rule: 'A7',
    entries: [
      ...['user', 'text', 'user', 'text', 'tool done', 'permission', 'text', 'user', 'tool done'],
      'notice info The conversation was summed up ',
      'notice info The agent added a message of it',
      ...['text', 'user', 'text'],
    ],
    turns: Array(4).fill('user completed'),
  },
  {
    name: 'mcp-elicitation',
    rule: 'A3',
    entries: ['user', 'tool done', 'permission', 'form', 'text'],
    turns: ['user completed'],
  },
  {
    name: 'hooks-that-block',
    rule: 'A9',
    entries: ['user', 'text', 'tool denied', 'text', 'user failed'],
    turns: ['user completed', 'user completed'],
  },
];

test.each(OWN)('$rule $name', ({ name, entries, turns }) => {
  const output = replayFile('claude', linesOf(name));
  const shown = output.entries.map((shownEntry) => {
    const { kind, status, state, parent, text } = shownEntry as Partial<Entry> & {
      state?: string;
      text?: string;
    };
    const under = parent === undefined ? '' : '> ';
    if (kind === 'tool') return `${under}tool ${state}`;
    if (kind === 'notice') return text;
    return `${under}${kind}${status === 'complete' ? '' : ` ${status}`}`;
  });
  // A notice is identified by its level and the beginning of its text.
  expect(shown).toHaveLength(entries.length);
  entries.forEach((expected, index) => {
    const notice = /^notice (info|warning|error) (.*)$/.exec(expected)?.[2];
    if (notice === undefined) expect(shown[index]).toBe(expected);
    else expect(String(shown[index])).toContain(notice);
  });
  expect(output.turns.map(({ origin, endedBy }) => `${origin} ${endedBy}`)).toEqual(turns);
});
