// Every recording, modified as another version, recorder or an earlier end would: messages, requests, actions and
// decisions stay the same, once.
import { expect, test } from 'vitest';
import type { ReplayOutput } from '../src/kit/replay.ts';
import { replayFile } from '../src/known-drivers.ts';
import {
  copied,
  eachOut,
  essence,
  expectSound,
  isFull,
  type Mutation,
  type Raw,
  type Recorded,
  recordedAsText,
  recordingsIn,
  thirds,
  withUnknownFields,
  written,
} from './mutations.ts';

const recordings = recordingsIn(new URL('../src/claude/fixtures/', import.meta.url));
const some = thirds(recordings);
const replayed = (lines: readonly Recorded[]): ReplayOutput => replayFile('claude', written(lines));
const originals = new Map<string, ReplayOutput>();
function original(name: string): ReplayOutput {
  const known = originals.get(name);
  if (known) return known;
  const output = replayed(recordings.find((recording) => recording.name === name)?.lines ?? []);
  originals.set(name, output);
  return output;
}

/** Killed or still running at the end: only streamed deltas have the text. */
const isUnfinished = (name: string): boolean =>
  /sigkill|sigterm|killed|eof|resume-interrupted|malformed|user-bad/.test(name);

const isDelta = (line: Raw): boolean =>
  line.type === 'stream_event' && line.event.type === 'content_block_delta';
const DELTA_TEXTS = ['text', 'thinking', 'partial_json'];

/** Each delta split in two, inside a character if possible. */
function halved(line: Raw): Raw[] {
  if (!isDelta(line)) return [line];
  const key = DELTA_TEXTS.find((candidate) => typeof line.event.delta[candidate] === 'string');
  if (key === undefined) return [line];
  const text = String(line.event.delta[key]);
  const cut = Math.ceil(text.length / 2);
  return [text.slice(0, cut), text.slice(cut)].map((part, half) => ({
    ...line,
    uuid: `${line.uuid}-${half}`,
    event: { ...line.event, delta: { ...line.event.delta, [key]: part } },
  }));
}

/** Consecutive deltas of one block, merged. */
const joined: Mutation = (lines) => {
  const out: Recorded[] = [];
  for (const one of lines) {
    const last = out.at(-1);
    const key =
      isDelta(one.line) && DELTA_TEXTS.find((name) => typeof one.line.event.delta[name] === 'string');
    const same =
      key &&
      last?.dir === 'out' &&
      isDelta(last.line) &&
      last.line.event.index === one.line.event.index &&
      last.line.event.delta.type === one.line.event.delta.type;
    if (same) last.line.event.delta[key] += one.line.event.delta[key];
    else out.push(one);
  }
  return out;
};

/** Complete blocks only after their message, as a slower program would send them. */
const wholeAfterStream: Mutation = (lines) => {
  const out: Recorded[] = [];
  let held: Recorded[] = [];
  for (const one of lines) {
    const streams = one.dir === 'out' && one.line.type === 'stream_event';
    const isWhole = one.dir === 'out' && one.line.type === 'assistant' && one.line.parent_tool_use_id == null;
    if (isWhole && one.line.message.model !== '<synthetic>') {
      held.push(one);
      continue;
    }
    const isEnd = streams && one.line.event.type === 'message_stop';
    if (!streams) {
      out.push(...held, one);
      held = [];
      continue;
    }
    out.push(one);
    if (isEnd) {
      out.push(...held);
      held = [];
    }
  }
  return [...out, ...held];
};

const mergedBlocks: Mutation = (lines) => {
  const out: Recorded[] = [];
  for (const one of lines) {
    const last = out.at(-1);
    const same =
      one.dir === 'out' &&
      last?.dir === 'out' &&
      one.line.type === 'assistant' &&
      last.line.type === 'assistant' &&
      one.line.message.model !== '<synthetic>' &&
      last.line.message.id === one.line.message.id &&
      !one.line.aborted &&
      last.line.uuid !== one.line.uuid;
    if (same) last.line.message.content.push(...one.line.message.content);
    else out.push(one);
  }
  return out;
};

const without = (value: Raw, keys: readonly string[]): Raw =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

const withoutPartial = eachOut((line) =>
  line.type === 'stream_event' ||
  (line.type === 'system' &&
    /^(thinking_tokens|status)$/.test(line.subtype) &&
    line.permissionMode === undefined &&
    line.compact_result === undefined &&
    line.status === 'requesting')
    ? []
    : [line],
);

/** Identical in every respect. */
const SAME: Readonly<Record<string, Mutation>> = {
  'unknown fields': eachOut((line) => [
    line.type === 'control_request' || line.type === 'control_response' ? line : withUnknownFields(line),
  ]),
  'deltas in halves': eachOut(halved),
  'deltas joined': joined,
  'lines sent twice': eachOut((line) => (line.uuid === undefined ? [line] : [line, line])),
  'requests sent twice': eachOut((line) => (line.type.startsWith('control_') ? [line, line] : [line])),
  'no session ids': eachOut((line) => [without(line, ['session_id'])]),
  'whole blocks after their stream': wholeAfterStream,
  'lines recorded as text': recordedAsText,
  'fields in another order': eachOut((line) => [Object.fromEntries(Object.entries(line).reverse())]),
  'no names of what is answered': eachOut((line) => [
    line.type === 'assistant' || line.type === 'stream_event'
      ? without(line, ['user_message_uuid', 'user_message_uuids'])
      : line,
  ]),
};

test.each(Object.keys(SAME))('M14 A2 %s: the same conversation', (what) => {
  for (const { name, lines } of some()) {
    const output = replayed(SAME[what]?.(copied(lines)) ?? []);
    expect(essence(output), name).toEqual(essence(original(name)));
    expect(output.unrecognized.count, name).toBe(0);
  }
});

const only =
  (kinds: readonly string[]): Mutation =>
  (lines) =>
    lines.filter(({ dir, line }) => dir !== 'out' || kinds.includes(line.type));

test('M14 A4 without partial messages', () => {
  for (const { name, lines } of some()) {
    const output = replayed(withoutPartial(copied(lines)));
    const [now, before] = [essence(output), essence(original(name))];
    if (isUnfinished(name)) {
      for (const key of ['requests', 'turns', 'turn'] as const) expect(now[key], key).toEqual(before[key]);
      continue;
    }
    // A tool of which only the beginning was streamed is missing.
    const cut = (tools: unknown) => (tools as string[]).filter((tool) => !/interrupted|stale/.test(tool));
    expect({ ...now, tools: cut(now.tools) }).toEqual({ ...before, tools: cut(before.tools) });
    expect(output.unrecognized.count).toBe(0);
    const merged = essence(replayed(mergedBlocks(withoutPartial(copied(lines)))));
    expect({ ...merged, tools: cut(merged.tools) }).toEqual({ ...before, tools: cut(before.tools) });
  }
});

const NEWS: readonly Raw[] = [
  { type: 'brand_new', uuid: 'n1', text: 'x' },
  { type: 'system', subtype: 'brand_new', uuid: 'n2', content: 'x' },
  { type: 'stream_event', uuid: 'n3', event: { type: 'brand_new' } },
  {
    type: 'stream_event',
    uuid: 'n4',
    event: { type: 'content_block_delta', index: 99, delta: { type: 'brand_new' } },
  },
  { no: 'type' },
  null,
  17,
  'plain words',
];

test('M14 A2 counts unknown kinds and changes nothing else', () => {
  for (const { name, lines } of some()) {
    const output = replayed(
      eachOut((line, at) => {
        const news = NEWS[at % NEWS.length];
        return [news?.uuid ? { ...news, uuid: `${news.uuid}-${at}` } : news, line];
      })(copied(lines)),
    );
    expect(essence(output)).toEqual(essence(original(name)));
  }
});

test('M14 A2 unknown content blocks', () => {
  for (const { name, lines } of some()) {
    const odd = { type: 'brand_new_block', data: [1] };
    const output = replayed(
      eachOut((line) =>
        (line.type === 'assistant' || line.type === 'user') && Array.isArray(line.message.content)
          ? [{ ...line, message: { ...line.message, content: [odd, ...line.message.content, odd] } }]
          : [line],
      )(copied(lines)),
    );
    expect(essence(output)).toEqual(essence(original(name)));
  }
});

const LITTLE: Readonly<Record<string, readonly string[]>> = {
  assistant: [
    'timestamp',
    'request_id',
    'thinking_duration_ms',
    'agent_id',
    'subagent_type',
    'task_description',
    'uuid',
    'user_message_uuid',
    'user_message_uuids',
    'tool_use_meta',
    'session_id',
  ],
  user: ['timestamp', 'tool_use_result', 'tool_result_meta', 'session_id', 'agent_id'],
  result: [
    'usage',
    'modelUsage',
    'model_usage_since_last_result',
    'total_cost_usd',
    'duration_ms',
    'duration_api_ms',
    'num_turns',
    'result_index',
    'queued_turn_count',
    'subagent_stats',
    'permission_denials',
    'fast_mode_state',
    'session_id',
    'ttft_ms',
    'stop_reason',
    'uuid',
  ],
  stream_event: [
    'uuid',
    'session_id',
    'parent_tool_use_id',
    'api_message_id',
    'ttft_ms',
    'user_message_uuid',
    'user_message_uuids',
  ],
};

test('M14 A2 missing optional fields', () => {
  for (const { name, lines } of some()) {
    const output = replayed(
      eachOut((line) => {
        if (line.type === 'system' && line.subtype === 'init')
          return [
            {
              type: 'system',
              subtype: 'init',
              session_id: line.session_id,
              user_message_uuids: line.user_message_uuids,
            },
          ];
        if (line.type === 'control_request' && line.request.subtype === 'can_use_tool') {
          const { subtype, tool_name, input, tool_use_id } = line.request;
          return [{ ...line, request: { subtype, tool_name, input, tool_use_id } }];
        }
        if (line.parent_tool_use_id === null) delete line.parent_tool_use_id;
        return [without(line, LITTLE[line.type] ?? [])];
      })(copied(lines)),
    );
    const [now, before] = [essence(output), essence(original(name))];
    for (const key of ['said', 'thought', 'asked', 'commands', 'turns', 'turn'])
      expect(now[key]).toEqual(before[key]);
    expect(now.tools).toHaveLength((before.tools as unknown[]).length);
    expect(output.requests.map(({ kind, status }) => [kind, status])).toEqual(
      original(name).requests.map(({ kind, status }) => [kind, status]),
    );
    expect(output.unrecognized.count).toBe(0);
  }
});

test('M14 H6 an exit at any moment', () => {
  for (const { lines } of some()) {
    for (let part = 1; part < 12; part += isFull ? 1 : 4) {
      const cut = lines.slice(0, Math.ceil((lines.length * part) / 12));
      if (!cut.some(({ dir }) => dir === 'out')) continue;
      expectSound(replayed(cut), { ended: false });
      const t = cut.at(-1)?.t ?? 0;
      const gone = replayed([...cut, { t, dir: 'note', line: 'exit code=null sig=SIGKILL' }]);
      expectSound(gone, { ended: true });
    }
  }
}, 300_000);

test('M14 a turn with only its result', () => {
  for (const { name, lines } of some()) {
    // A turn that the agent starts itself is only visible in the lines that are missing here.
    if (/background|resume-interrupted/.test(name)) continue;
    const output = replayed(only(['result', 'control_request', 'control_response'])(copied(lines)));
    expect(output.turns.map(({ endedBy }) => endedBy)).toEqual(
      original(name).turns.map(({ endedBy }) => endedBy),
    );
    const asked = lines.filter(({ dir, line }) => dir === 'out' && line.type === 'control_request');
    for (const { line } of asked)
      expect(
        output.requests.map(({ id }) => id),
        name,
      ).toContain(line.request_id);
    const answers = lines.flatMap(({ dir, line }) =>
      dir === 'out' && line.type === 'result' && !line.is_error && line.result?.trim() ? [line.result] : [],
    );
    expect(essence(output).said, name).toEqual(answers);
  }
});

test('M14 prompts without ids', () => {
  for (const { name, lines } of some()) {
    if (name === 'duplicate-uuid') continue;
    const bare = copied(lines).filter(({ line }) => line?.type !== 'command_lifecycle');
    for (const { dir, line } of bare) {
      if (typeof line !== 'object' || line === null) continue;
      if (dir === 'in' && line.type === 'user') delete line.uuid;
      if (dir === 'out') {
        delete line.user_message_uuid;
        delete line.user_message_uuids;
      }
    }
    const output = replayed(bare);
    const { said, thought, tools, requests, asked } = essence(output);
    const before = essence(original(name));
    expect({ said, thought, tools, requests, asked }).toEqual({
      said: before.said,
      thought: before.thought,
      tools: before.tools,
      requests: before.requests,
      asked: before.asked,
    });
    expect(output.turn).toBe(original(name).turn);
    expect(output.turns.map(({ endedBy }) => endedBy)).toEqual(
      original(name).turns.map(({ endedBy }) => endedBy),
    );
  }
});
