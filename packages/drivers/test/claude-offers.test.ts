import { readFileSync } from 'node:fs';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { fold } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY, entryById } from '@tugdeck/protocol/conversation/state';
import { fromSnapshot, takeSnapshot } from '@tugdeck/protocol/conversation/window';
import { expect, test } from 'vitest';
import { Translator } from '../src/claude/translate.ts';
import type { Output } from '../src/kit/port.ts';
import { replayFile } from '../src/known-drivers.ts';

/** A conversation written by a translator. */
function talk() {
  const translator = new Translator({ mark: 't' });
  let state: Conversation = EMPTY;
  const take = (outputs: readonly Output[]) => {
    for (const output of outputs) {
      if (output.kind !== 'live')
        state = fold(state, { ...(output as ChangeBody), v: state.v + 1, at: 1 } as never);
    }
  };
  return {
    state: () => state,
    says: (value: unknown) => take(translator.message(value)),
    prompts: (id: string) => take(translator.prompt(id, 'hello')),
    asks: (id: string, request: { subtype: string }) => take(translator.control(id, request)),
    unreadable: (line: string) => take(translator.unreadable('line that is not JSON', line)),
  };
}

const init = (more: object) => ({ type: 'system', subtype: 'init', session_id: 's', ...more });
const use = (id: string, name: string, input: object) => ({
  type: 'assistant',
  message: { id: `m-${id}`, content: [{ type: 'tool_use', id, name, input }] },
});
const result = (id: string, tool_use_result: object) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'done' }] },
  tool_use_result,
});

test('M6 reports tools and errors of MCP servers, and keeps the tools when a turn starts', () => {
  const { says, asks, state } = talk();
  const tools = [{ name: 'echo', description: 'Says it again', annotations: { readOnly: true } }];
  asks('c1', { subtype: 'mcp_status' });
  says({
    type: 'control_response',
    response: {
      subtype: 'success',
      request_id: 'c1',
      response: {
        mcpServers: [
          { name: 'tiny', status: 'connected', config: { env: { KEY: 'secret' } }, tools },
          { name: 'gone', status: 'failed', error: 'spawn ENOENT' },
        ],
      },
    },
  });
  const tiny = {
    name: 'tiny',
    status: 'connected',
    tools: [{ name: 'echo', description: 'Says it again' }],
  };
  expect(state().facts.mcpServers).toEqual([tiny, { name: 'gone', status: 'failed', error: 'spawn ENOENT' }]);
  says(init({ mcp_servers: [{ name: 'tiny', status: 'connected' }] }));
  expect(state().facts.mcpServers).toEqual([tiny]);
  says(init({ mcp_servers: [{ name: 'tiny', status: 'disabled' }] }));
  expect(state().facts.mcpServers).toEqual([{ name: 'tiny', status: 'disabled' }]);
});

test('M6 reports plugins, and commands by category', () => {
  const { says, asks, state } = talk();
  asks('c1', { subtype: 'initialize' });
  const commands = [{ name: 'context' }, { name: 'compact' }, { name: 'verify' }, { name: 'acme:deploy' }];
  says({
    type: 'control_response',
    response: { subtype: 'success', request_id: 'c1', response: { commands } },
  });
  says(
    init({
      skills: ['verify'],
      plugins: [{ name: 'acme', path: '/p/acme', source: 'acme@market' }, { name: 'bare' }, 'odd'],
    }),
  );
  const { facts } = state();
  expect(facts.plugins).toEqual([{ name: 'acme', source: 'acme@market' }, { name: 'bare' }]);
  const categoryOf = (name: string) => facts.commands?.find((command) => command.name === name)?.category;
  expect(['context', 'compact', 'verify', 'acme:deploy'].map(categoryOf)).toEqual([
    'local',
    'agent',
    'skill',
    'plugin',
  ]);
});

test('M6 a result reports model limits and what was denied in the turn', () => {
  const { says, prompts, state } = talk();
  prompts('p1');
  says(init({}));
  says({
    type: 'result',
    subtype: 'success',
    is_error: false,
    modelUsage: {
      large: { inputTokens: 1, outputTokens: 2, costUSD: 0, contextWindow: 200_000, maxOutputTokens: 32_000 },
    },
    permission_denials: [{ tool_name: 'Bash', tool_use_id: 'b1', tool_input: { command: 'rm -rf build' } }],
  });
  expect(state().facts.modelLimits).toEqual({ large: { contextWindow: 200_000, maxOutputTokens: 32_000 } });
  expect(state().turns.at(-1)?.denied).toEqual([{ entry: 'b1', title: 'Bash: rm -rf build' }]);
});

test('C6 a permission names the path that caused the request', () => {
  const { says, state } = talk();
  says({
    type: 'control_request',
    request_id: 'r1',
    request: {
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      input: { command: 'touch /etc/x' },
      blocked_path: '/etc/x',
    },
  });
  expect(entryById(state(), 'r1')).toMatchObject({ request: { blockedPath: '/etc/x' } });
});

test('C13 tasks keep their description: from the call, from TaskGet, and across a list without one', () => {
  const { says, state } = talk();
  const task = { id: '1', subject: 'Build', description: 'With all warnings on', status: 'pending' };
  says(use('a', 'TaskCreate', { subject: 'Build', description: 'Build it' }));
  says(result('a', { task: { id: '1', subject: 'Build' } }));
  expect(state().todos).toMatchObject([{ id: '1', description: 'Build it' }]);
  says(use('b', 'TaskGet', { taskId: '1' }));
  says(result('b', { task: { ...task, blocks: [], blockedBy: ['7'] } }));
  expect(state().todos).toMatchObject([{ description: 'With all warnings on', blockedBy: ['7'] }]);
  says(use('c', 'TaskList', {}));
  says(result('c', { tasks: [{ id: '1', subject: 'Build', status: 'completed', blockedBy: [] }] }));
  expect(state().todos).toEqual([
    { id: '1', text: 'Build', state: 'done', description: 'With all warnings on' },
  ]);
  says(use('d', 'TaskGet', { taskId: '9' }));
  says(result('d', { task: null }));
  expect(state().todos).toHaveLength(1);
});

test('A5 an edit of a notebook is a diff of its cell', () => {
  const lines = readFileSync(
    new URL('../src/claude/fixtures/notebook-and-fetch.jsonl', import.meta.url),
    'utf8',
  );
  const { entries } = replayFile('claude', lines.split('\n'));
  const tool = entries.find(({ title }) => String(title).startsWith('NotebookEdit'));
  expect(tool?.diff).toEqual([
    {
      path: '/home/dev/project/book.ipynb',
      hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-print(1)', '+print(2)'] }],
    },
  ]);
});

test('A5 C6 a permission to edit a notebook shows the new source of its cell', () => {
  const { says, state } = talk();
  const input = { notebook_path: '/p/book.ipynb', cell_id: 'c1', new_source: 'y = 2' };
  says({
    type: 'control_request',
    request_id: 'r1',
    request: { subtype: 'can_use_tool', tool_name: 'NotebookEdit', input },
  });
  expect(entryById(state(), 'r1')).toMatchObject({
    request: { diff: [{ path: '/p/book.ipynb', hunks: [{ lines: ['+y = 2'] }] }] },
  });
});

test('A5 a deleted cell is removed lines; a failed edit has no diff', () => {
  const { says, state } = talk();
  const notebook_path = '/p/book.ipynb';
  says(use('a', 'NotebookEdit', { notebook_path, cell_id: 'c1', edit_mode: 'delete', new_source: '' }));
  says(result('a', { notebook_path, edit_mode: 'delete', old_source: 'x = 1', new_source: '', error: '' }));
  expect(entryById(state(), 'a')).toMatchObject({ diff: [{ hunks: [{ lines: ['-x = 1'] }] }] });
  says(use('b', 'NotebookEdit', { notebook_path, cell_id: 'c9' }));
  says(result('b', { notebook_path, new_source: 'y', old_source: 'x', error: 'no such cell' }));
  expect(entryById(state(), 'b')).not.toHaveProperty('diff');
});

test('C4 distinguishes writing a file and finding files from other edits and searches', () => {
  const { says, state } = talk();
  for (const name of ['Write', 'Edit', 'Glob', 'Grep'])
    says(use(name, name, { file_path: '/a', pattern: 'x' }));
  const variants = ['Write', 'Edit', 'Glob', 'Grep'].map((id) => {
    const entry = entryById(state(), id);
    return entry?.kind === 'tool' ? entry.variant : undefined;
  });
  expect(variants).toEqual(['write', undefined, 'find-files', undefined]);
});

test('A2 keeps the beginning of the last unrecognized message of a kind, also in a snapshot', () => {
  const { says, unreadable, state } = talk();
  says({ type: 'weather', number: 1 });
  says({ type: 'weather', number: 2, long: 'x'.repeat(2000) });
  unreadable('{"torn');
  const { count, kinds, samples } = state().unrecognized;
  expect([count, kinds]).toEqual([3, { weather: 2, 'line that is not JSON': 1 }]);
  expect(samples?.weather).toHaveLength(500);
  expect(samples?.weather).toContain('"number":2');
  expect(samples?.['line that is not JSON']).toBe('{"torn');
  for (let at = 0; at < 40; at++) says({ type: `odd-${at}` });
  expect(Object.keys(state().unrecognized.samples ?? {})).toHaveLength(20);
  const again = fromSnapshot(JSON.parse(JSON.stringify(takeSnapshot(state(), { tail: 1, receipts: false }))));
  expect(again.unrecognized).toEqual(state().unrecognized);
});
