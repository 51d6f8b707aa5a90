// Every recording, modified as another agent, version, recorder or an earlier end would: messages, requests, actions
// and decisions stay the same, once.
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

const recordings = recordingsIn(new URL('../src/acp/fixtures/', import.meta.url));
const some = thirds(recordings);
const AGENTS: Readonly<Record<string, string>> = {
  claude: 'claude-acp',
  codexacp: 'codex-acp',
  codexacp2: 'codex-acp',
};

function replayed(name: string, lines: readonly Recorded[]): ReplayOutput {
  const label = name.split('.')[0] ?? '';
  return replayFile(AGENTS[label] ?? label, written(lines));
}

const originals = new Map<string, ReplayOutput>();
function original(name: string): ReplayOutput {
  const known = originals.get(name);
  if (known) return known;
  const output = replayed(name, recordings.find((recording) => recording.name === name)?.lines ?? []);
  originals.set(name, output);
  return output;
}

const updateOf = (line: Raw): Raw => (line?.method === 'session/update' ? line.params.update : undefined);
const isChunk = (update: Raw): boolean =>
  /^agent_(message|thought)_chunk$/.test(update?.sessionUpdate) && typeof update.content?.text === 'string';
const withUpdate = (line: Raw, update: Raw): Raw => ({ ...line, params: { ...line.params, update } });

function halved(line: Raw): Raw[] {
  const update = updateOf(line);
  if (!isChunk(update) || update.content.text.startsWith('[MODE_UPDATE]')) return [line];
  const { text } = update.content;
  const cut = Math.ceil(text.length / 2);
  return [text.slice(0, cut), text.slice(cut)].map((part) =>
    withUpdate(line, { ...update, content: { ...update.content, text: part } }),
  );
}

/** Ids of both sides as strings. */
const stringIds: Mutation = (lines) =>
  lines.map((one) =>
    typeof one.line === 'object' && typeof one.line?.id === 'number'
      ? { ...one, line: { ...one.line, id: `id-${one.line.id}` } }
      : one,
  );

/** The response to a prompt before the last text of its turn: agents do not wait for their output to be read. */
const answerTooEarly: Mutation = (lines) => {
  const prompts = new Set(
    lines.flatMap(({ dir, line }) => (dir === 'in' && line.method === 'session/prompt' ? [line.id] : [])),
  );
  const out: Recorded[] = [];
  for (const one of lines) {
    out.push(one);
    const isAnswer = one.dir === 'out' && one.line.method === undefined && prompts.has(one.line.id);
    if (!isAnswer) continue;
    let at = out.length - 1;
    while (at > 0 && isChunk(updateOf(out[at - 1]?.dir === 'out' ? out[at - 1]?.line : undefined))) at--;
    // At least the first chunk is in the turn.
    at = Math.min(out.length - 1, at + 1);
    out.splice(at, 0, ...out.splice(out.length - 1, 1));
  }
  return out;
};

const SAME: Readonly<Record<string, Mutation>> = {
  'unknown fields': eachOut((line) => [
    line.method === 'session/update' || line.method === 'session/request_permission'
      ? { ...line, params: withUnknownFields(line.params) }
      : { ...line, _brandNew: 1 },
  ]),
  'chunks in halves': eachOut(halved),
  'ids as strings': stringIds,
  'updates of tools sent twice': eachOut((line) =>
    /^tool_call|^plan|_update$/.test(updateOf(line)?.sessionUpdate ?? '') &&
    updateOf(line)._meta?.terminal_output_delta === undefined &&
    updateOf(line)._meta?.terminal_output === undefined
      ? [line, line]
      : [line],
  ),
  'requests sent twice': eachOut((line) =>
    line.method === 'session/request_permission' || line.method === 'elicitation/create'
      ? [line, line]
      : [line],
  ),
  'lines recorded as text': recordedAsText,
  'fields in another order': eachOut((line) => [Object.fromEntries(Object.entries(line).reverse())]),
  'no jsonrpc': eachOut((line, at) => [at < 4 ? line : (({ jsonrpc, ...rest }) => rest)(line)]),
};

test.each(Object.keys(SAME))('M14 A21 %s: the same conversation', (what) => {
  for (const { name, lines } of some()) {
    const output = replayed(name, SAME[what]?.(copied(lines)) ?? []);
    expect(essence(output), name).toEqual(essence(original(name)));
    expect(output.unrecognized.count, name).toBe(0);
  }
});

const words = (output: ReplayOutput, kind: string): string => (essence(output)[kind] as string[]).join('');

function expectSameWords(output: ReplayOutput, name: string): void {
  for (const kind of ['said', 'thought', 'asked'])
    expect(words(output, kind), name).toBe(words(original(name), kind));
}

test('M14 A21 a response before the last text of its turn loses nothing and leaves nothing open', () => {
  for (const { name, lines } of some()) {
    const output = replayed(name, answerTooEarly(copied(lines)));
    expectSameWords(output, name);
    expect(output.turns, name).toEqual(original(name).turns);
    expect(
      output.entries.filter(({ kind, status }) => kind === 'text' && status === 'partial'),
      name,
    ).toEqual([]);
  }
});

test('M14 A21 messages without ids', () => {
  for (const { name, lines } of some()) {
    const output = replayed(
      name,
      eachOut((line) => {
        const update = updateOf(line);
        if (!update) return [line];
        const { messageId, ...rest } = update;
        return [withUpdate(line, rest)];
      })(copied(lines)),
    );
    expectSameWords(output, name);
    expect(output.unrecognized.count, name).toBe(0);
  }
});

test('M14 A21 missing optional fields', () => {
  for (const { name, lines } of some()) {
    const output = replayed(
      name,
      eachOut((line) => {
        const update = updateOf(line);
        if (!/^tool_call/.test(update?.sessionUpdate ?? '')) return [line];
        const { sessionUpdate, toolCallId, status, content, title } = update;
        return [withUpdate(line, { sessionUpdate, toolCallId, status, content, title })];
      })(copied(lines)),
    );
    expectSameWords(output, name);
    expect(output.turns, name).toEqual(original(name).turns);
    expect(output.requests, name).toHaveLength(original(name).requests.length);
    expect(output.unrecognized.count, name).toBe(0);
    expectSound(output, { ended: name !== 'gemini.cancel_perm_noanswer' });
  }
});

test('M13 A22 a request is the first mention of a tool', () => {
  for (const { name, lines } of some()) {
    const asked = new Set(
      lines.flatMap(({ line }) =>
        line?.method === 'session/request_permission' ? [line.params.toolCall.toolCallId] : [],
      ),
    );
    const mentioned = new Set<string>();
    const output = replayed(
      name,
      eachOut((line) => {
        if (line.method === 'session/request_permission') mentioned.add(line.params.toolCall.toolCallId);
        const id = updateOf(line)?.toolCallId;
        return id !== undefined && asked.has(id) && !mentioned.has(id) ? [] : [line];
      })(copied(lines)),
    );
    expectSameWords(output, name);
    expect(
      output.requests.map(({ kind, status }) => [kind, status]),
      name,
    ).toEqual(original(name).requests.map(({ kind, status }) => [kind, status]));
    for (const { kind, about } of output.entries) {
      if (kind === 'permission')
        expect(
          output.entries.map(({ id }) => id),
          name,
        ).toContain(about);
    }
  }
});

const NEWS = (sessionId: unknown): readonly Raw[] => [
  {
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId, update: { sessionUpdate: 'brand_new', text: 'x' } },
  },
  { jsonrpc: '2.0', method: '_vendor/news', params: {} },
  { jsonrpc: '2.0', method: 'session/brand_new', params: { sessionId } },
  { jsonrpc: '2.0', method: 'session/update', params: { sessionId } },
  { jsonrpc: '2.0', id: 'never-asked', result: {} },
  { hello: 'world' },
  null,
  'plain words',
  [1],
];

test('M14 A2 counts unknown kinds and changes nothing else', () => {
  for (const { name, lines } of some()) {
    const output = replayed(
      name,
      eachOut((line, at) => {
        const news = NEWS(line.params?.sessionId);
        return [news[at % news.length], line];
      })(copied(lines)),
    );
    expect(essence(output), name).toEqual(essence(original(name)));
  }
});

test('M14 A21 unknown content in messages and tools', () => {
  for (const { name, lines } of some()) {
    const odd = { type: 'hologram', data: [1] };
    const output = replayed(
      name,
      eachOut((line) => {
        const update = updateOf(line);
        if (!Array.isArray(update?.content)) return [line];
        return [
          withUpdate(line, {
            ...update,
            content: [odd, ...update.content, { type: 'content', content: odd }],
          }),
        ];
      })(copied(lines)),
    );
    expect(essence(output), name).toEqual(essence(original(name)));
    expect(output.unrecognized.count, name).toBe(0);
  }
});

test('M14 H6 an exit at any moment', () => {
  for (const { name, lines } of some()) {
    for (let part = 1; part < 12; part += isFull ? 1 : 4) {
      const cut = lines.slice(0, Math.ceil((lines.length * part) / 12));
      if (!cut.some(({ dir }) => dir === 'out')) continue;
      expectSound(replayed(name, cut), { ended: false });
      const t = cut.at(-1)?.t ?? 0;
      expectSound(replayed(name, [...cut, { t, dir: 'note', line: 'exit code=1' }]), { ended: true });
    }
  }
}, 300_000);

/** Each stable kind with only the fields that the published schema requires. */
const BARE: readonly Raw[] = [
  ...['user_message_chunk', 'agent_message_chunk', 'agent_thought_chunk'].flatMap((sessionUpdate) =>
    [
      { type: 'text', text: 'word' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
      { type: 'resource_link', name: 'a', uri: 'file:///a' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'of a' } },
      { type: 'resource', resource: { uri: 'file:///a', blob: 'aGk=' } },
    ].map((content) => ({ sessionUpdate, content })),
  ),
  { sessionUpdate: 'tool_call', toolCallId: 't', title: 'Look' },
  { sessionUpdate: 'tool_call_update', toolCallId: 't' },
  ...[
    { type: 'content', content: { type: 'text', text: 'x' } },
    { type: 'diff', path: '/a', newText: 'b' },
    { type: 'terminal', terminalId: 'x' },
  ].map((content) => ({ sessionUpdate: 'tool_call_update', toolCallId: 't', content: [content] })),
  { sessionUpdate: 'plan', entries: [{ content: 'One', priority: 'high', status: 'pending' }] },
  { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'go', description: 'Goes' }] },
  { sessionUpdate: 'current_mode_update', currentModeId: 'm' },
  { sessionUpdate: 'config_option_update', configOptions: [] },
  { sessionUpdate: 'session_info_update' },
  { sessionUpdate: 'usage_update', used: 1, size: 2 },
  { sessionUpdate: 'notice', severity: 'warning', title: 'Mind' },
  { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'in_progress' },
  { sessionUpdate: 'compaction_summary_chunk', compactionId: 'c', content: { type: 'text', text: 'short' } },
  { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed' },
  { sessionUpdate: 'compaction_update', compactionId: 'only-its-end', status: 'failed' },
];

test('A21 recognizes every stable kind of update and content by its required fields', () => {
  const line = (dir: 'in' | 'out', more: Raw): Recorded => ({ t: 0, dir, line: { jsonrpc: '2.0', ...more } });
  const update = (one: Raw): Recorded =>
    line('out', { method: 'session/update', params: { sessionId: 's', update: one } });
  const output = replayed('opencode.x', [
    line('in', { id: 1, method: 'session/new', params: { cwd: '/', mcpServers: [] } }),
    line('out', { id: 1, result: { sessionId: 's' } }),
    line('in', {
      id: 2,
      method: 'session/prompt',
      params: { sessionId: 's', prompt: [{ type: 'text', text: 'Go' }] },
    }),
    ...BARE.map(update),
    line('out', { id: 2, result: { stopReason: 'end_turn' } }),
  ]);
  expect(output.unrecognized).toEqual({ count: 0, kinds: {} });
  expectSound(output, { ended: true });
  expect(words(output, 'said').match(/word/g)).toHaveLength(1);
  const notices = output.entries.filter(({ kind }) => kind === 'notice').map(({ text }) => text);
  expect(notices).toEqual(
    expect.arrayContaining([
      'Mind',
      'The conversation was summed up.',
      'The conversation could not be summed up.',
    ]),
  );
});
