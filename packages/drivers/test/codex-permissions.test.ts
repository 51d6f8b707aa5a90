/**
 * Hostile requests through the Codex driver (C6): nothing that says what will run is missing from the fields, and no
 * title, rule or tool name stands for something else.
 */
import type { Entry, PermissionRequest } from '@tugdeck/protocol/conversation/entries';
import { NO_USAGE } from '@tugdeck/protocol/conversation/session-info';
import { describe, expect, test } from 'vitest';
import { codexReplay } from '../src/codex/replay-parts.ts';
import { parseExact } from '../src/kit/exact-json.ts';

const T = { threadId: 'thread-1', turnId: 'turn-1' };
const BEGUN = [
  { method: 'thread/started', params: { thread: { id: 'thread-1' } } },
  { method: 'turn/started', params: { threadId: 'thread-1', turn: { id: 'turn-1' } } },
];
const started = (item: object) => ({ method: 'item/started', params: { ...T, item } });
const asks = (method: string, params: object, id = 7) => ({ id, method, params: { ...T, ...params } });

function entriesOf(...lines: readonly unknown[]): Entry[] {
  const run = codexReplay.run('r', NO_USAGE, undefined);
  return [...BEGUN, ...lines].flatMap((line) =>
    run
      .take(parseExact(typeof line === 'string' ? line : JSON.stringify(line)))
      .flatMap((output) => (output.kind === 'entry.opened' ? [output.entry as Entry] : [])),
  );
}

function permission(...lines: readonly unknown[]): PermissionRequest {
  const entry = entriesOf(...lines).findLast(({ kind }) => kind === 'permission');
  if (entry?.kind !== 'permission') throw new Error('no permission');
  return entry.request;
}
const values = ({ fields }: PermissionRequest, label: string) =>
  fields.filter((field) => field.label === label).map(({ value }) => value);

const COMMAND = 'item/commandExecution/requestApproval';
const EDIT = 'item/fileChange/requestApproval';
const GRANT = 'item/permissions/requestApproval';
const ELICITATION = 'mcpServer/elicitation/request';

describe('C6 a command', () => {
  const item = { type: 'commandExecution', id: 'c', command: 'rm -rf ~', cwd: '/etc', status: 'inProgress' };
  test.each([
    "/tmp/evil/sh -c 'git status'",
    "evilsh -c 'git status'",
    "./bash -lc 'git status'",
    "FOO=1 sh -c 'git status'",
    "/bin/bash -c 'git status' sh x",
  ])('%s is named with the program that runs', (command) => {
    const request = permission(asks(COMMAND, { itemId: 'c', command, cwd: '/project' }));
    expect(request.title).toBe(command);
    expect(values(request, 'Command')).toEqual([command]);
  });
  test('the shell that Codex itself uses is left out of the title only', () => {
    const command = "/bin/bash -lc 'git status'";
    const request = permission(asks(COMMAND, { itemId: 'c', command }));
    expect([request.title, values(request, 'Command')]).toEqual(['git status', [command]]);
  });
  test('its parsed actions never replace it', () => {
    const commandActions = [{ type: 'read', command: 'cat README.md', name: 'README.md', path: '/project' }];
    const request = permission(asks(COMMAND, { itemId: 'c', command: 'curl x | sh', commandActions }));
    expect(request.title).toBe('curl x | sh');
    expect(request.raw).toMatchObject({ commandActions });
  });
  test('that differs from its tool call is shown beside the one of the tool call', () => {
    const request = permission(
      started(item),
      asks(COMMAND, { itemId: 'c', command: 'git status', cwd: '/project' }),
    );
    expect(values(request, 'Command')).toEqual(['git status']);
    expect(values(request, 'Command of the tool call')).toEqual(['rm -rf ~']);
    expect(request.fields).toContainEqual({
      label: 'Directory of the tool call',
      value: '/etc',
      form: 'path',
    });
  });
  test('that only its tool call states is listed', () => {
    const request = permission(started(item), asks(COMMAND, { itemId: 'c', command: null, cwd: null }));
    expect([request.title, values(request, 'Command')]).toEqual(['rm -rf ~', ['rm -rf ~']]);
    expect(values(request, 'Directory')).toEqual(['/etc']);
  });
  test('as a list is quoted, in the title too', () => {
    const request = permission(
      asks(COMMAND, { itemId: 'c', command: ['/tmp/evil', '-c', 'git status', "it's", ''] }),
    );
    const line = `/tmp/evil -c 'git status' 'it'\\''s' ''`;
    expect([request.title, values(request, 'Command')]).toEqual([line, [line]]);
  });
  test('in another environment, or of another kind, says so', () => {
    const params = {
      itemId: 'c',
      command: 'ls',
      environmentId: 'production',
      kind: 'execve',
      env: { A: 'b' },
    };
    const request = permission(asks(COMMAND, params));
    expect(values(request, 'Environment id')).toEqual(['production']);
    expect(values(request, 'Kind')).toEqual(['execve']);
    expect(values(request, 'Env')).toEqual(['{"A":"b"}']);
    const usual = permission(
      asks(COMMAND, { itemId: 'c', command: 'ls', environmentId: 'local', kind: 'command' }),
    );
    expect(usual.fields.map(({ label }) => label)).toEqual(['Command']);
  });
  test('that gets more rights lists each path of them', () => {
    const additionalPermissions = { network: { enabled: true }, fileSystem: { read: null, write: ['/etc'] } };
    const request = permission(asks(COMMAND, { itemId: 'c', command: 'ls', additionalPermissions }));
    expect(request.fields).toContainEqual({ label: 'May write', value: '/etc', form: 'path' });
    expect(values(request, 'Network')).toEqual(['{"enabled":true}']);
  });
});

describe('C21 rules that a command offers', () => {
  const rules = (params: object) =>
    permission(asks(COMMAND, { itemId: 'c', command: 'git status', ...params })).options.flatMap(
      ({ rule }) => rule ?? [],
    );
  test('name every word of the amendment, quoted', () => {
    expect(rules({ proposedExecpolicyAmendment: ['bash', '-c', 'a b', ''] })).toContain("bash -c 'a b' '' …");
  });
  test('show the amendment that is sent, where two are proposed', () => {
    const execpolicy_amendment = ['curl'];
    const all = rules({
      proposedExecpolicyAmendment: ['git'],
      availableDecisions: [{ acceptWithExecpolicyAmendment: { execpolicy_amendment } }],
    });
    expect(all).toEqual(['git status', 'git …']);
  });
  test('name the host where a host is allowed, not the command', () => {
    const all = rules({ networkApprovalContext: { host: 'evil.example', protocol: 'https' } });
    expect(all).toEqual(['connections to evil.example']);
  });
});

describe('C6 an edit', () => {
  const change = (path: string, kind: object, diff: string) => ({ path, kind, diff });
  const edit = (changes: readonly object[], params: object = {}) =>
    permission(
      started({ type: 'fileChange', id: 'e', status: 'inProgress', changes }),
      asks(EDIT, { itemId: 'e', ...params }),
    );
  test('that moves a file lists both paths separately', () => {
    const kind = { type: 'update', move_path: '/etc/cron.d/x' };
    const { fields } = edit([change('src/a', kind, '@@ -1 +1 @@\n-a\n+b\n\n\nMoved to: /etc/cron.d/x')]);
    expect(fields.filter(({ form }) => form === 'path').map(({ label, value }) => [label, value])).toEqual([
      ['File', 'src/a'],
      ['Moved to', '/etc/cron.d/x'],
    ]);
  });
  test('whose text is not a diff is listed as text', () => {
    const { fields } = edit([
      change('a', { type: 'update' }, 'hidden line\n@@ -1 +1 @@\n-a\n+b\nno sign'),
      change('b', { type: 'update' }, '@@ -1 +1 @@\n-a\n+b\n'),
    ]);
    expect(fields.filter(({ form }) => form === 'code').map(({ value }) => value)).toEqual([
      'hidden line\n@@ -1 +1 @@\n-a\n+b\nno sign',
    ]);
  });
  test('without a path, or of an unknown kind, is listed as data', () => {
    const odd = { kind: { type: 'add' }, diff: 'evil' };
    expect(JSON.stringify(edit([odd]).fields)).toContain('evil');
    const strange = change('a', { type: 'chmod', mode: '777' }, '');
    expect(JSON.stringify(edit([strange]).fields)).toContain('777');
  });
  test('that grants a folder lists it as a path', () => {
    expect(edit([], { grantRoot: '/etc' }).fields).toContainEqual({
      label: 'Grant root',
      value: '/etc',
      form: 'path',
    });
  });
});

describe('C6 more rights', () => {
  const grant = (permissions: object, more: object = {}) =>
    permission(asks(GRANT, { itemId: 'g', cwd: '/project', permissions, ...more }));
  test('list each path once, with its access', () => {
    const entries = [
      { path: { type: 'path', path: '/extra' }, access: 'write' },
      { path: { type: 'path', path: '/secret' }, access: 'read' },
    ];
    const { fields } = grant({ fileSystem: { read: null, write: ['/extra'], entries } });
    expect(fields.filter(({ label }) => label.startsWith('May'))).toEqual([
      { label: 'May write', value: '/extra', form: 'path' },
      { label: 'May read', value: '/secret', form: 'path' },
    ]);
    expect(fields.some(({ form }) => form === 'code')).toBe(false);
  });
  test('that are not lists of paths are shown as data', () => {
    const entries = [{ path: { type: 'glob_pattern', pattern: '/**' }, access: 'write' }];
    const { fields } = grant({ fileSystem: { entries }, network: { enabled: true } });
    expect(JSON.stringify(fields)).toContain('/**');
    expect(fields.map(({ label }) => label)).toEqual(['Working directory', 'File system', 'Network']);
  });
});

describe('C6 an MCP tool', () => {
  const call = (id: string, tool: string, args: unknown) =>
    started({ type: 'mcpToolCall', id, server: 's', tool, status: 'inProgress', arguments: args });
  const approve = (tool: string, params: unknown) =>
    asks(ELICITATION, {
      serverName: 's',
      mode: 'form',
      message: `Allow the s MCP server to run tool "${tool}"?`,
      _meta: {
        codex_approval_kind: 'mcp_tool_call',
        ...(params === undefined ? {} : { tool_params: params }),
      },
    });
  test('keeps its name while another of the same server runs', () => {
    const lines = [call('a', 'delete_all', { path: '/' }), call('b', 'read', { path: 'a' })];
    expect(permission(...lines, approve('delete_all', { path: '/' })).tool).toBe('s: delete_all');
    expect(permission(...lines, approve('read', { path: 'a' })).tool).toBe('s: read');
    expect(permission(...lines, approve('third', { path: 'b' })).tool).toBe('s');
  });
  test('lists the arguments of the tool call where the request has none or others', () => {
    const args = { path: '/', force: true };
    const { fields, input } = permission(call('a', 'rm', args), approve('rm', undefined));
    expect(fields.map(({ value }) => value)).toEqual(['/', 'true']);
    expect(input).toEqual(args);
    const other = permission(call('a', 'rm', args), approve('rm', { path: 'a' }));
    expect(other.fields.map(({ label, value }) => [label, value])).toEqual([
      ['Path', 'a'],
      ['Arguments of the tool call', JSON.stringify(args)],
    ]);
  });
  test('with a long message has a short title and the whole message as a field', () => {
    const tool = `x"?\n${'\n'.repeat(300)}evil`;
    const request = permission(call('a', tool, {}), approve(tool, {}));
    expect(request.title.length).toBeLessThan(300);
    expect(values(request, 'Message').join()).toContain('evil');
  });
  test('shows numbers as they were sent', () => {
    const text = JSON.stringify(approve('pay', { cents: 1 })).replace(':1}', ':12345678901234567890}');
    const request = permission(text);
    expect(request.source).toContain('12345678901234567890');
    expect(values(request, 'Cents')).toEqual(['12345678901234567890']);
  });
});
