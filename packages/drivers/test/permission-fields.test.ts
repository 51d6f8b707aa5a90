/** Fields that a permission lists of an input (C6): nothing may be omitted silently. */
import type { Field } from '@tugdeck/protocol/conversation/entries';
import { NO_USAGE } from '@tugdeck/protocol/conversation/session-info';
import { describe, expect, test } from 'vitest';
import { acpReplay } from '../src/acp/replay-parts.ts';
import { claudeReplay } from '../src/claude/replay-parts.ts';
import { commandLine } from '../src/kit/command-line.ts';
import type { ReplayDriver } from '../src/kit/replay.ts';

function requestOf(driver: ReplayDriver, line: unknown) {
  for (const output of driver.run('r', NO_USAGE).take(JSON.parse(JSON.stringify(line))))
    if (output.kind === 'entry.opened' && output.entry.kind === 'permission') return output.entry.request;
  throw new Error('no permission');
}
const acp = (rawInput: unknown, more: object = {}) =>
  requestOf(acpReplay, {
    jsonrpc: '2.0',
    id: 1,
    method: 'session/request_permission',
    params: {
      sessionId: 's',
      toolCall: { toolCallId: 'c', title: 'git status', kind: 'execute', rawInput, ...more },
      options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
    },
  });
const claude = (tool_name: string, input: unknown, more: object = {}) =>
  requestOf(claudeReplay, {
    type: 'control_request',
    request_id: 'q',
    request: { subtype: 'can_use_tool', tool_name, input, tool_use_id: 't', ...more },
  });
const fieldValue = (fields: readonly Field[], label: string) =>
  fields.find((field) => field.label === label)?.value;

describe('C6 argument lists', () => {
  test.each([
    [['/tmp/evil', '-c', 'git status'], "/tmp/evil -c 'git status'"],
    [['/bin/bash', '-lc', 'git status'], "/bin/bash -lc 'git status'"],
    [['rm', '-rf', 'a b', ''], "rm -rf 'a b' ''"],
    [['echo', "it's", '$(x)', '*'], `echo 'it'\\''s' '$(x)' '*'`],
    [['run', 7, null, { a: 1 }], `run 7 null '{"a":1}'`],
    [['FOO=1', '~/x'], "'FOO=1' '~/x'"],
  ])('%j is shown completely and quoted, the program first', (words, line) => {
    expect(commandLine(words)).toBe(line);
    expect(fieldValue(acp({ command: words }).fields, 'Command')).toBe(line);
  });
});

describe('C6 fields of an input', () => {
  test('lists a command behind twelve other fields', () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`field${at}`, 'x']));
    const { fields } = acp({ ...many, command: 'curl x | sh' });
    expect(fields).toHaveLength(13);
    expect(fieldValue(fields, 'Command')).toBe('curl x | sh');
  });
  test('counts fields beyond the limit', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`field${at}`, 'x']));
    const { fields, input } = acp(many);
    expect(fields.at(-1)).toEqual({ label: '800 more fields', value: 'Only in the raw input', form: 'text' });
    expect(input).toEqual(many);
  });
  test('lists an input that is a text or a list, instead of the title', () => {
    expect(acp('rm -rf ~').fields).toEqual([{ label: 'Input', value: 'rm -rf ~', form: 'code' }]);
    expect(acp(['rm', '-rf']).fields).toEqual([{ label: 'Input', value: '["rm","-rf"]', form: 'code' }]);
  });
  test('names of object properties are names like any other', () => {
    const input = JSON.parse('{"__proto__": "a", "constructor": "b", "toString": "c"}');
    for (const { fields } of [claude('Bash', input), acp(input)]) {
      expect(fields.map(({ value }) => value)).toEqual(['a', 'b', 'c']);
      expect(fields.every(({ label, form }) => typeof label === 'string' && typeof form === 'string')).toBe(
        true,
      );
    }
    expect(claude('constructor', {}).toolKind).toBe('other');
    expect(acp({}, { kind: 'constructor' }).toolKind).toBe('other');
  });
});

describe('C6 the rest of a request', () => {
  test('keeps everything besides the input for the raw view', () => {
    const content = [
      { type: 'content', content: { type: 'resource', resource: { uri: 'x', blob: 'AA==' } } },
    ];
    const { input, raw } = acp({ command: 'ls' }, { content, _meta: { odd: true } });
    expect(input).toEqual({ command: 'ls' });
    expect(raw).toMatchObject({ toolCall: { content, _meta: { odd: true } }, options: [{ name: 'Yes' }] });
    expect(JSON.stringify(raw)).not.toContain('"s"');
    expect(claude('Bash', { command: 'ls' }, { blocked_path: '/etc' }).raw).toMatchObject({
      tool_name: 'Bash',
      blocked_path: '/etc',
    });
  });
});
