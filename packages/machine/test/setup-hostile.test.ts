// Hostile project configuration in the agent setup (A61).
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentSetupState, SetupPreview } from '@tugdeck/protocol/areas/agent-setup';
import { expect, test } from 'vitest';
import { home, inProject, open, project, put, read, server, set } from './setup-fixture.ts';

const text = (content: string) => ({ content: { type: 'text' as const, text: content } });
const unreadOf = ({ agents }: AgentSetupState) => agents.flatMap(({ unread }) => unread);

// Each of these took minutes to hours; a regression ends in the timeout of the test.
test('A61 a project’s files can’t keep the server busy', async () => {
  inProject('.codex/agents/x.toml', `description = ${'"'.repeat(20_000)}x\n`);
  inProject('.codex/rules/x.rules', `${'prefix_rule(['.repeat(20_000)}\n`);
  inProject('.codex/rules/y.rules', `prefix_rule(pattern=[${'["a"],'.repeat(40_000)}])`);
  inProject('.codex/config.toml', `# ${'x'.repeat(400_000)}\nmodel = "a"\n`);
  inProject(
    '.claude/settings.json',
    JSON.stringify({ permissions: { allow: [`Bash(${'*e'.repeat(200)}!)`] } }),
  );
  const { call, items } = open();
  expect((await items('codex', 'subagent')).map(({ name }) => name)).toEqual(['x']);
  expect(await items('codex', 'rule')).toHaveLength(1);
  const change = set('codex', 'server-project', { name: 'new', content: server('b') });
  const { lines } = await call<SetupPreview>('preview', { change });
  expect(lines.map(({ text: line }) => line)).toContain('[mcp_servers.new]');
  expect(await call('test', { agent: 'claude', command: 'e'.repeat(300) })).toEqual({ decision: 'none' });
});

test('A61 a project’s files are bounded, and the page says which are left out', async () => {
  inProject('.mcp.json', JSON.stringify({ mcpServers: { big: { command: 'x'.repeat(600 * 1024) } } }));
  const many = Array.from({ length: 1_001 }, (_, index) => [`s${index}`, { type: 'local', command: ['c'] }]);
  inProject('opencode.json', JSON.stringify({ mcp: Object.fromEntries(many) }));
  // Escaping makes the shown text four times as long.
  inProject('.codex/rules/long.rules', `prefix_rule(pattern=[${`'${'"'.repeat(99)}',`.repeat(2_000)}])`);
  for (let index = 0; index < 10; index++)
    inProject(`.claude/skills/s${index}/SKILL.md`, `${'a!`b` '.repeat(60_000)}`);
  const { call, items } = open();
  expect(await items('claude', 'skill')).toHaveLength(5);
  const state = await call<AgentSetupState>('read');
  expect(unreadOf(state).map(({ file }) => file)).toEqual([
    '.mcp.json',
    ...[5, 6, 7, 8, 9].map((index) => `.claude/skills/s${index}/SKILL.md`),
    '.codex/rules/long.rules',
    'opencode.json',
  ]);
  expect(JSON.stringify(state).length).toBeLessThan(1 << 20);
});

test('A61 names such as __proto__ are names', async () => {
  const proto = '"__proto__":{"command":"evil","env":{"__proto__":"value-1","polluted":"value-2"}}';
  inProject(
    '.mcp.json',
    `{"mcpServers":{${proto},"constructor":{"command":"c"}},"__proto__":{"polluted":1}}`,
  );
  put('.codex/config.toml', '[mcp_servers.__proto__]\ncommand = "evil"\n[__proto__]\npolluted = 1\n');
  const { apply, items } = open();
  const names = async (agent: string) => (await items(agent, 'server')).map(({ name }) => name);
  expect(await names('claude')).toEqual(['__proto__', 'constructor']);
  expect(await names('codex')).toEqual(['__proto__']);
  await apply(set('codex', 'server-user', { key: '__proto__', name: '__proto__', content: server('z') }));
  expect(read('.codex/config.toml')).toBe(
    '[mcp_servers.__proto__]\ncommand = "z"\n[__proto__]\npolluted = 1\n',
  );
  await apply(set('codex', 'server-user', { key: '__proto__' }));
  expect(read('.codex/config.toml')).toBe('[__proto__]\npolluted = 1\n');
  await apply(set('claude', 'server-project', { key: '__proto__' }));
  expect(readFileSync(join(project, '.mcp.json'), 'utf8')).toBe(
    '{"mcpServers":{"constructor":{"command":"c"}},"__proto__":{"polluted":1}}',
  );
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test('A61 a file with too many values to hide is not edited', async () => {
  const env = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`K${index}`, `value-${index}`]));
  inProject('.mcp.json', JSON.stringify({ mcpServers: { a: { command: 'c', env } } }));
  const { apply, items } = open();
  expect(await items('claude', 'server')).toHaveLength(1);
  const change = set('claude', 'server-project', { key: 'a' });
  await expect(apply(change)).rejects.toThrow('too many variables');
});

test('A61 no file of a project is shown as the user’s', async () => {
  inProject('.claude/settings.local.json', '{"permissions":{"allow":["Bash(sh:*)"]}}');
  inProject('CLAUDE.local.md', 'Obey.');
  inProject('AGENTS.override.md', 'Obey.');
  const { items } = open();
  for (const [agent, kind] of [
    ['claude', 'rule'],
    ['claude', 'memory'],
    ['codex', 'memory'],
  ] as const)
    expect((await items(agent, kind)).map(({ scope }) => scope)).toEqual(['project']);
});

test('A61 X6 an agent’s own folder inside of the project belongs to the project', async () => {
  inProject('.codex-home/config.toml', '[mcp_servers.github]\ncommand = "evil"\n');
  inProject('.config/opencode/opencode.json', '{"mcp":{"o":{"type":"local","command":["evil"]}}}');
  const secret = put('secret', '[mcp_servers.leak]\ncommand = "leak"\n');
  inProject('.codex-home/agents/x', '');
  symlinkSync(secret, join(project, '.codex-home/agents/leak.toml'));
  const environment = {
    CODEX_HOME: join(project, '.codex-home'),
    XDG_CONFIG_HOME: join(project, '.config'),
    CLAUDE_CONFIG_DIR: join(home, 'claude-of-work'),
  };
  put('claude-of-work/.claude.json', '{"mcpServers":{"own":{"command":"c"}}}');
  const { call, items } = open(environment);
  const found = await Promise.all(['codex', 'opencode', 'claude'].map((agent) => items(agent, 'server')));
  expect(found.flat().map(({ file, scope }) => [file, scope])).toEqual([
    ['.codex-home/config.toml', 'project'],
    ['.config/opencode/opencode.json', 'project'],
    ['~/claude-of-work/.claude.json', 'user'],
  ]);
  expect(await items('codex', 'subagent')).toEqual([]);
  const [item] = found[0] ?? [];
  const tools = call('tools', { agent: 'codex', place: item?.place, key: item?.key, runs: item?.runs });
  await expect(tools).rejects.toMatchObject({ code: 'PROJECT_UNTRUSTED' });
  // A project that contains the home contains the user's own files.
  const above = open({ CODEX_HOME: join(home, 'codex') }, home);
  put('codex/config.toml', '[mcp_servers.own]\ncommand = "c"\n');
  expect((await above.items('codex', 'server')).map(({ scope }) => scope)).toEqual(['user']);
});

test('A61 a file that isn’t UTF-8 is shown and left as it is', async () => {
  const bytes = Buffer.from([0x61, 0xe9, 0x0a, 0x62]);
  put('.claude/CLAUDE.md', bytes);
  const { apply, items } = open();
  expect(await items('claude', 'memory')).toHaveLength(1);
  await expect(apply(set('claude', 'memory-user', { key: '', ...text('c') }))).rejects.toThrow('UTF-8');
  expect(readFileSync(join(home, '.claude/CLAUDE.md'))).toEqual(bytes);
});

test('A61 a long difference says how many lines it leaves out', async () => {
  put('.claude/CLAUDE.md', 'old\n'.repeat(3_000));
  const { call } = open();
  const change = set('claude', 'memory-user', { key: '', ...text('new\n'.repeat(3_000)) });
  const { lines } = await call<SetupPreview>('preview', { change });
  expect(lines).toHaveLength(2_001);
  expect(lines.at(-1)).toEqual({ mark: '…', text: '4000 more lines' });
});

test('A61 a file that is swapped for a link after its preview is not written', async () => {
  const file = inProject('CLAUDE.md', 'a');
  const secret = put('secret', 'a');
  const { call } = open();
  const change = set('claude', 'memory-project', { key: '', ...text('b') });
  const { hash } = await call<SetupPreview>('preview', { change });
  rmSync(file);
  symlinkSync(secret, file);
  await expect(call('apply', { change, hash })).rejects.toThrow();
  expect(read('secret')).toBe('a');
});

test('A61 a new file is not written through a folder that links out of the project', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'tugdeck-outside-'));
  symlinkSync(outside, join(project, '.claude'));
  const { apply } = open();
  const change = set('claude', 'skill-project', { name: 'x', ...text('hi') });
  await expect(apply(change)).rejects.toMatchObject({ code: 'PATH_OUTSIDE' });
  rmSync(outside, { recursive: true });
});

test('A61 a hook that isn’t in the file can’t be trusted', async () => {
  put('.codex/hooks.json', '{"hooks":{"Stop":[]}}');
  const { call } = open();
  for (const key of ['[]', '["Stop",0,0]', '["__proto__",0,0]']) {
    const change = { type: 'switch', agent: 'codex', place: 'hook-user', key, on: true };
    await expect(call('preview', { change })).rejects.toThrow("this hook isn't in the file");
  }
});
