import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SetupPreview } from '@tugdeck/protocol/areas/agent-setup';
import { HIDDEN_VALUE } from '@tugdeck/protocol/areas/agent-setup';
import { mcpServers } from '@tugdeck/testkit/mcp-server';
import { expect, test } from 'vitest';
import { changed, home, inProject, NAMES, open, project, put, read, server, set } from './setup-fixture.ts';

const SERVERS = [
  {
    agent: 'claude',
    place: 'server-user',
    file: '.claude.json',
    text: '{"numStartups":3,\n "mcpServers":{ "one":{"command":"a","env":{"K":"SECRET"},"note":1} } }',
    added:
      '{"numStartups":3,\n "mcpServers":{ "one":{"command":"a","env":{"K":"SECRET"},"note":1}, "new": { "command": "b", "args": ["c d"] } } }',
    edited: '{"numStartups":3,\n "mcpServers":{ "one":{"command":"z","env":{"K":"SECRET"},"note":1} } }',
    removed: '{"numStartups":3,\n "mcpServers":{  } }',
  },
  {
    agent: 'codex',
    place: 'server-user',
    file: '.codex/config.toml',
    text: '# mine\n[mcp_servers.one] # x\ncommand = "a"\nnote = 1\n[mcp_servers.one.env]\nK = "SECRET"\n',
    added:
      '# mine\n[mcp_servers.one] # x\ncommand = "a"\nnote = 1\n[mcp_servers.one.env]\nK = "SECRET"\n\n[mcp_servers.new]\ncommand = "b"\nargs = ["c d"]\n',
    edited: '# mine\n[mcp_servers.one] # x\ncommand = "z"\nnote = 1\n[mcp_servers.one.env]\nK = "SECRET"\n',
    removed: '# mine\n # x\n',
  },
  {
    agent: 'gemini',
    place: 'server-user',
    file: '.gemini/settings.json',
    text: '{\n  // mine\n  "mcpServers": { "one": { "command": "a", "env": { "K": "SECRET" }, "trust": true } }\n}\n',
    added:
      '{\n  // mine\n  "mcpServers": { "one": { "command": "a", "env": { "K": "SECRET" }, "trust": true }, "new": { "command": "b", "args": ["c d"] } }\n}\n',
    edited:
      '{\n  // mine\n  "mcpServers": { "one": { "command": "z", "env": { "K": "SECRET" }, "trust": true } }\n}\n',
    removed: '{\n  // mine\n  "mcpServers": {  }\n}\n',
  },
  {
    agent: 'opencode',
    place: 'server-1',
    file: '.config/opencode/opencode.jsonc',
    text: '{\n  "mcp": {\n    // one\n    "one": { "type": "local", "command": ["a"], "environment": { "K": "SECRET" }, "x": 1 },\n  },\n}\n',
    added:
      '{\n  "mcp": {\n    // one\n    "one": { "type": "local", "command": ["a"], "environment": { "K": "SECRET" }, "x": 1 },\n    "new": {\n      "type": "local",\n      "command": [\n        "b",\n        "c d"\n      ]\n    },\n  },\n}\n',
    edited:
      '{\n  "mcp": {\n    // one\n    "one": { "type": "local", "command": ["z"], "environment": { "K": "SECRET" }, "x": 1 },\n  },\n}\n',
    removed: '{\n  "mcp": {\n    // one\n  },\n}\n',
  },
];

test.each(SERVERS)('A61 $agent: a server is added, edited and removed in its own file', async (row) => {
  put(row.file, row.text);
  const { apply, items } = open();
  const [one] = await items(row.agent, 'server');
  expect(one).toMatchObject({ key: 'one', summary: 'a', runs: 'a', canEdit: true, scope: 'user' });
  expect(one?.content).toMatchObject({ variables: { K: HIDDEN_VALUE } });
  expect(JSON.stringify(await items(row.agent, 'server'))).not.toContain('SECRET');
  const preview = await apply(set(row.agent, row.place, { name: 'new', content: server('b', 'c d') }));
  expect(read(row.file)).toBe(row.added);
  expect(preview.runs).toEqual(["b 'c d'"]);
  expect(JSON.stringify(preview)).not.toContain('SECRET');
  expect(preview.lines.some(({ mark }) => mark === '+')).toBe(true);
  expect((await items(row.agent, 'server')).map(({ name }) => name)).toEqual(['one', 'new']);
  put(row.file, row.text);
  await apply(
    set(row.agent, row.place, { key: 'one', content: { ...server('z'), variables: { K: HIDDEN_VALUE } } }),
  );
  expect(read(row.file)).toBe(row.edited);
  put(row.file, row.text);
  await apply(set(row.agent, row.place, { key: 'one' }));
  expect(read(row.file)).toBe(row.removed);
  expect(changed).toHaveLength(3);
});

test('A61 a server is started only to list its tools, with the command that was shown', async () => {
  const { command, args, env } = mcpServers.testkit;
  put('.claude.json', JSON.stringify({ mcpServers: { testkit: { command, args, env } } }));
  put('.codex/config.toml', `[mcp_servers.gone]\ncommand = "/nonexistent/server"\n`);
  inProject('.mcp.json', JSON.stringify({ mcpServers: { theirs: { command, args } } }));
  const { call, items } = open();
  const [mine, theirs] = await items('claude', 'server');
  const ref = (item: typeof mine, agent = 'claude') => ({
    agent,
    place: item?.place,
    key: item?.key,
    runs: item?.runs,
  });
  const { tools } = await call<{ tools: { name: string }[] }>('tools', ref(mine));
  expect(tools).toMatchObject([{ name: 'echo', inputSchema: { type: 'object' } }]);
  await expect(call('tools', { ...ref(mine), runs: 'other' })).rejects.toMatchObject({
    code: 'CONFIGURATION_CHANGED',
  });
  // The project isn't trusted.
  await expect(call('tools', ref(theirs))).rejects.toMatchObject({ code: 'PROJECT_UNTRUSTED' });
  const [gone] = await items('codex', 'server');
  await expect(call('tools', ref(gone, 'codex'))).rejects.toMatchObject({ code: 'AGENT_UNAVAILABLE' });
});

test('A61 a server is switched where its agent keeps the switch', async () => {
  put('.claude.json', '{ "mcpServers": { "one": { "command": "a" } } }');
  put('.codex/config.toml', '[mcp_servers.one]\ncommand = "a" # c\n');
  put('.gemini/settings.json', '{ "mcpServers": { "one": { "command": "a" } } }');
  put('.config/opencode/opencode.json', '{ "mcp": { "one": { "type": "local", "command": ["a"] } } }');
  const { apply, items } = open();
  for (const agent of NAMES) {
    const [one] = await items(agent, 'server');
    expect(one, agent).toMatchObject({ on: true });
    const place = one?.place ?? '';
    const off = await apply({ type: 'switch', agent, place, key: 'one', on: false });
    expect(off.runs).toEqual([]);
    expect((await items(agent, 'server'))[0], agent).toMatchObject({ on: false });
    const on = await apply({ type: 'switch', agent, place, key: 'one', on: true });
    expect(on.runs, agent).toEqual(['a']);
    expect((await items(agent, 'server'))[0], agent).toMatchObject({ on: true });
  }
  expect(read('.codex/config.toml')).toBe('[mcp_servers.one]\ncommand = "a" # c\n');
});

const RULES = [
  {
    agent: 'claude',
    place: 'rule-local',
    file: 'work/project/.claude/settings.local.json',
    text: '{ "permissions": { "allow": ["Bash(ls:*)", "Read"], /* no */ "deny": ["Bash(rm *)"] } }',
    fresh: 'Bash(git push:*)',
    after:
      '{ "permissions": { "allow": ["Bash(ls:*)", "Read"], /* no */ "deny": ["Bash(rm *)"], "ask": ["Bash(git push:*)"] } }',
    asks: 'git push origin',
    allows: 'ls -la && ls',
    denies: 'ls; rm -rf x',
    nothing: 'ls && cat x',
  },
  {
    agent: 'codex',
    place: 'rule-user',
    file: '.codex/rules/default.rules',
    text: '# mine\nprefix_rule(\n  pattern = ["ls"], # list\n  match = ["ls -a"],\n)\nprefix_rule(pattern=["rm", ["-r", "-rf"]], decision="forbidden")\n',
    fresh: 'git push',
    after:
      '# mine\nprefix_rule(\n  pattern = ["ls"], # list\n  match = ["ls -a"],\n)\nprefix_rule(pattern=["rm", ["-r", "-rf"]], decision="forbidden")\nprefix_rule(pattern = ["git", "push"], decision = "prompt")\n',
    asks: 'git push origin',
    allows: 'ls -la && ls',
    denies: 'ls; rm -rf x',
    nothing: 'ls && cat x',
  },
  {
    agent: 'gemini',
    place: 'rule-user',
    file: '.gemini/policies/rules.toml',
    text: '# mine\n[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "ls"\ndecision = "allow" # fine\npriority = 100\n\n[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "rm"\ndecision = "deny"\npriority = 200\n',
    fresh: 'git push',
    after:
      '# mine\n[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "ls"\ndecision = "allow" # fine\npriority = 100\n\n[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "rm"\ndecision = "deny"\npriority = 200\n\n[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "git push"\ndecision = "ask_user"\npriority = 100\n',
    asks: 'git push origin',
    allows: 'ls -la && ls',
    denies: 'ls; rm -rf x',
    nothing: 'ls && cat x',
  },
  {
    agent: 'opencode',
    place: 'rule-0',
    file: '.config/opencode/opencode.json',
    text: '{ "permission": { "edit": "ask", "bash": { "ls *": "allow", "rm *": "deny" } } }',
    fresh: 'bash: git push *',
    after:
      '{ "permission": { "edit": "ask", "bash": { "ls *": "allow", "rm *": "deny", "git push *": "ask" } } }',
    asks: 'git push origin',
    allows: 'ls -la && ls',
    denies: 'ls; rm -rf x',
    nothing: 'ls && cat x',
  },
];

test.each(RULES)('A61 $agent: a rule is added, changed and removed, and a command is tested', async (row) => {
  put(row.file, row.text);
  const { apply, items, call } = open();
  const before = await items(row.agent, 'rule');
  await apply(set(row.agent, row.place, { content: { type: 'rule', decision: 'ask', text: row.fresh } }));
  expect(read(row.file)).toBe(row.after);
  const decided = (command: string) =>
    call<{ decision: string; rule?: string }>('test', { agent: row.agent, command });
  expect(await decided(row.asks)).toMatchObject({ decision: 'ask', rule: row.fresh });
  expect(await decided(row.allows)).toMatchObject({ decision: 'allow' });
  expect(await decided(row.denies)).toMatchObject({ decision: 'deny' });
  expect(await decided(row.nothing)).toEqual({ decision: 'none' });
  const fresh = (await items(row.agent, 'rule')).find(({ name }) => name === row.fresh);
  await apply(
    set(row.agent, row.place, {
      key: fresh?.key,
      content: { type: 'rule', decision: 'allow', text: row.fresh },
    }),
  );
  expect(await decided(row.asks)).toMatchObject({ decision: 'allow' });
  const now = (await items(row.agent, 'rule')).find(({ name }) => name === row.fresh);
  await apply(set(row.agent, row.place, { key: now?.key }));
  expect((await items(row.agent, 'rule')).map(({ name }) => name)).toEqual(before.map(({ name }) => name));
});

test('A61 memory files are listed with their chain and written whole', async () => {
  inProject('packages/app/x', '');
  inProject('AGENTS.md', 'root\n');
  inProject('packages/app/AGENTS.md', 'inner\n');
  put('.codex/AGENTS.md', 'mine\n');
  const { apply, items, call } = open({}, join(project, 'packages/app'));
  const chain = await items('codex', 'memory');
  expect(chain.map(({ file, summary }) => [file, summary])).toEqual([
    ['~/.codex/AGENTS.md', 'mine'],
    ['AGENTS.md', 'root'],
    ['packages/app/AGENTS.md', 'inner'],
  ]);
  const inner = chain[2];
  const ref = { agent: 'codex', place: inner?.place ?? '', key: inner?.key ?? '' };
  expect(await call('text', ref)).toEqual({ text: 'inner\n' });
  await apply(set('codex', ref.place, { key: ref.key, content: { type: 'text', text: 'inner\nmore\n' } }));
  expect(read('work/project/packages/app/AGENTS.md')).toBe('inner\nmore\n');
  await apply(set('gemini', 'memory-user', { content: { type: 'text', text: 'hello\n' } }));
  expect(read('.gemini/GEMINI.md')).toBe('hello\n');
  await apply(set('gemini', 'memory-user', { key: '' }));
  expect(await items('gemini', 'memory')).toEqual([]);
});

test.each(['claude', 'codex', 'gemini'])('A61 %s: hooks are added, changed and removed', async (agent) => {
  const event = agent === 'gemini' ? 'BeforeTool' : 'PreToolUse';
  const { apply, items } = open();
  const hook = (command: string, matcher = 'Bash') => ({ type: 'hook', event, matcher, command });
  const preview = await apply(set(agent, 'hook-user', { content: hook('./check.sh') }));
  expect(preview).toMatchObject({ isNew: true, runs: ['./check.sh'] });
  await apply(set(agent, 'hook-user', { content: hook('other', '') }));
  const both = await items(agent, 'hook');
  expect(both.map(({ name, runs }) => [name, runs])).toEqual([
    [`${event} (Bash)`, './check.sh'],
    [event, 'other'],
  ]);
  await apply(set(agent, 'hook-user', { key: both[0]?.key, content: hook('./new.sh', 'Edit') }));
  await apply(set(agent, 'hook-user', { key: both[1]?.key }));
  expect((await items(agent, 'hook')).map(({ name, summary }) => [name, summary])).toEqual([
    [`${event} (Edit)`, './new.sh'],
  ]);
});

/** Hashes as reported by `hooks/list` of Codex 0.166. */
const TRUSTED_HOOKS = [
  [
    'PreToolUse',
    'pre_tool_use',
    { matcher: 'Bash' },
    { command: 'a' },
    'feea2caddf1c2dce82a0a75b5c40eb8e23d140a3b32b447966d5fe32ff500ff7',
  ],
  [
    'PreToolUse',
    'pre_tool_use',
    { matcher: 'Bash' },
    { command: 'b', timeout: 5, statusMessage: 'hi', async: true },
    'e15d62c98a6edf0ff3964f230e807f622fb0b59d98194cd09956c8e5f3e0da6f',
  ],
  [
    'PreToolUse',
    'pre_tool_use',
    { matcher: '' },
    { command: 'c' },
    '7e854c1f725fa23a274a325759912e6d4ed41ec9ba04c1dbfd9ca060fcde10cb',
  ],
  [
    'UserPromptSubmit',
    'user_prompt_submit',
    { matcher: 'x' },
    { command: 'd' },
    '517fd3abd9e563a12c22cbd835d4e4e63885a80d82ab5e446e70e69a4a3064c9',
  ],
  [
    'SessionEnd',
    'session_end',
    {},
    { command: 'i' },
    'dd79f1ad9c7584c8e1f7f5bf1d8ed885c2ca36318dd5657cdcce8d05a0f4b386',
  ],
] as const;

test.each(TRUSTED_HOOKS)(
  'A61 codex: a hook of %s is trusted by its hash',
  async (event, name, group, hook, hash) => {
    const text = (command: string) =>
      JSON.stringify({ hooks: { [event]: [{ ...group, hooks: [{ type: 'command', ...hook, command }] }] } });
    const file = put('.codex/hooks.json', text(hook.command));
    put('.codex/config.toml', '# mine\nmodel = "m"\n');
    const { apply, items, call } = open();
    const [item] = await items('codex', 'hook');
    expect(item).toMatchObject({ on: false, runs: hook.command });
    const change = {
      type: 'switch',
      agent: 'codex',
      place: 'hook-user',
      key: item?.key ?? '',
      on: true,
    } as const;
    const preview = await apply(change);
    expect(preview).toMatchObject({ file: '~/.codex/config.toml', runs: [hook.command] });
    const key = JSON.stringify(`${file}:${name}:0:0`);
    const trusted = `# mine\nmodel = "m"\n\n[hooks.state.${key}]\ntrusted_hash = "sha256:${hash}"\n`;
    expect(read('.codex/config.toml')).toBe(trusted);
    expect(await items('codex', 'hook')).toMatchObject([{ on: true }]);
    // A hook that changed after it was shown is not trusted.
    put('.codex/config.toml', '');
    const { hash: seen } = await call<SetupPreview>('preview', { change });
    put('.codex/hooks.json', text('rm -rf'));
    await expect(call('apply', { change, hash: seen })).rejects.toMatchObject({
      code: 'CONFIGURATION_CHANGED',
    });
    put('.codex/config.toml', trusted);
    expect(await items('codex', 'hook')).toMatchObject([{ on: false }]);
    put('.codex/hooks.json', text(hook.command));
    await apply({ ...change, on: false });
    expect(read('.codex/config.toml')).toBe('# mine\nmodel = "m"\n\n');
  },
);

test('A61 gemini: an extension is switched, and not edited', async () => {
  put('.gemini/extensions/violet/gemini-extension.json', '{ "name": "violet", "version": "1.0.0" }');
  const { apply, items, call } = open();
  const on = { on: true, canEdit: false, summary: '1.0.0' };
  expect(await items('gemini', 'plugin')).toMatchObject([on]);
  const change = { type: 'switch', agent: 'gemini', place: 'plugin-user', key: 'violet' } as const;
  expect(await apply({ ...change, on: false })).toMatchObject({ isNew: true, runs: [] });
  expect(await items('gemini', 'plugin')).toMatchObject([{ ...on, on: false }]);
  expect(await apply({ ...change, on: true })).toMatchObject({ runs: ['plugin violet'] });
  expect(await items('gemini', 'plugin')).toMatchObject([on]);
  const edit = set('gemini', 'plugin-user', { key: 'violet' });
  await expect(call('preview', { change: edit })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('A61 gemini: switching an extension keeps the overrides of other folders', async () => {
  put('.gemini/extensions/violet/gemini-extension.json', '{}');
  const file = '.gemini/extensions/extension-enablement.json';
  const overrides = [`!${project}/*`, '!/other/*'];
  put(file, JSON.stringify({ violet: { overrides: ['/*', ...overrides] } }));
  const { apply, items } = open();
  expect(await items('gemini', 'plugin')).toMatchObject([{ on: false }]);
  await apply({ type: 'switch', agent: 'gemini', place: 'plugin-user', key: 'violet', on: true });
  expect(JSON.parse(read(file))).toEqual({ violet: { overrides: ['/*', '!/other/*'] } });
  expect(await items('gemini', 'plugin')).toMatchObject([{ on: true }]);
});

test('A61 skills, subagents, commands and styles are files', async () => {
  const { apply, items, call } = open();
  const kinds = {
    claude: ['skill', 'subagent', 'command', 'style'],
    codex: ['skill', 'subagent'],
    gemini: ['skill', 'subagent', 'command'],
    opencode: ['skill', 'subagent', 'command'],
  };
  for (const [agent, own] of Object.entries(kinds)) {
    for (const kind of own) {
      const place = agent === 'opencode' ? `${kind}-user-0` : `${kind}-user`;
      const made = await apply(set(agent, place, { name: 'mine', content: { type: 'text', text: '' } }));
      expect(made.isNew).toBe(true);
      const [item] = await items(agent, kind);
      expect(item, `${agent} ${kind}`).toMatchObject({ name: 'mine', key: 'mine' });
      const text = '---\ndescription: About\n---\nRun !`date` now\n';
      const edited = await apply(set(agent, place, { key: 'mine', content: { type: 'text', text } }));
      expect(edited.runs).toEqual(['date']);
      expect(await call('text', { agent, place, key: 'mine' })).toEqual({ text });
      await apply(set(agent, place, { key: 'mine' }));
      expect(await items(agent, kind)).toEqual([]);
    }
  }
  await expect(
    call('preview', {
      change: set('claude', 'command-user', { name: '../x', content: { type: 'text', text: '' } }),
    }),
  ).rejects.toMatchObject({ code: 'DATA_UNREADABLE' });
});

test('A61 an edit of a text keeps the line ends of its file', async () => {
  inProject('AGENTS.md', 'one\r\ntwo\nthree\r\nfour');
  const { apply, items } = open();
  const [item] = await items('codex', 'memory');
  const edit = (text: string) =>
    apply(set('codex', item?.place ?? '', { key: item?.key, content: { type: 'text', text } }));
  await edit('one\ntwo\nnew\nthree\nfour');
  expect(read('work/project/AGENTS.md')).toBe('one\r\ntwo\nnew\r\nthree\r\nfour');
  await edit('one\nzwei\nnew\nthree\nfour');
  expect(read('work/project/AGENTS.md')).toBe('one\r\nzwei\nnew\r\nthree\r\nfour');
  await edit('one\nthree\nfour\n');
  expect(read('work/project/AGENTS.md')).toBe('one\r\nthree\r\nfour\r\n');
});

test('A61 a preview hides values of variables, headers and keys, and no other text', async () => {
  put(
    '.claude/settings.json',
    '{\n  "env": { "API": "long-secret", "FLAG": "1" },\n  "apiKey": "another-secret",\n  "note": "1 item, long"\n}\n',
  );
  const { call } = open();
  const change = set('claude', 'rule-user', { content: { type: 'rule', decision: 'deny', text: 'Bash(1)' } });
  const { lines } = await call<SetupPreview>('preview', { change });
  const shown = lines.map(({ text }) => text).join('\n');
  expect(shown).not.toMatch(/long-secret|another-secret|"1"/);
  expect(shown).toContain(`"env": { "API": "${HIDDEN_VALUE}", "FLAG": "${HIDDEN_VALUE}" }`);
  expect(shown).toContain('"note": "1 item, long"');
  expect(shown).toContain('Bash(1)');
});

test('A61 plugins are switched, added and removed', async () => {
  put('.claude/settings.json', '{\n  "enabledPlugins": {\n    "a@m": true\n  }\n}\n');
  put('.codex/config.toml', '[plugins."a@m"]\nenabled = true # c\n');
  put('.config/opencode/opencode.json', '{ "plugin": ["one"] }');
  const { apply, items } = open();
  await apply({ type: 'switch', agent: 'claude', place: 'plugin-user', key: 'a@m', on: false });
  expect(read('.claude/settings.json')).toBe('{\n  "enabledPlugins": {\n    "a@m": false\n  }\n}\n');
  await apply({ type: 'switch', agent: 'codex', place: 'plugin-user', key: 'a@m', on: false });
  expect(read('.codex/config.toml')).toBe('[plugins."a@m"]\nenabled = false # c\n');
  const added = await apply(set('opencode', 'plugin-0', { name: 'two', content: { type: 'name' } }));
  expect(added.runs).toEqual(['plugin two']);
  expect((await items('opencode', 'plugin')).map(({ name }) => name)).toEqual(['one', 'two']);
});

test('A61 a file that changed since it was shown is not written', async () => {
  put('.claude/settings.json', '{}');
  const { call } = open();
  const change = set('claude', 'rule-user', { content: { type: 'rule', decision: 'allow', text: 'Read' } });
  const { hash } = await call<SetupPreview>('preview', { change });
  put('.claude/settings.json', '{ }');
  await expect(call('apply', { change, hash })).rejects.toMatchObject({ code: 'CONFIGURATION_CHANGED' });
  expect(read('.claude/settings.json')).toBe('{ }');
  await expect(call('apply', { change, hash: '' })).rejects.toMatchObject({ code: 'CONFIGURATION_CHANGED' });
  put('.claude/settings.json', '{ "permissions": ');
  await expect(call('preview', { change })).rejects.toMatchObject({ code: 'DATA_UNREADABLE' });
  expect(changed).toEqual([]);
});

test('A61 links out of the project or the home are neither read nor written', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'tugdeck-outside-'));
  try {
    writeFileSync(join(outside, 'x.json'), '{ "mcpServers": { "evil": { "command": "x" } } }');
    symlinkSync(join(outside, 'x.json'), join(project, '.mcp.json'));
    symlinkSync(join(outside, 'x.json'), join(home, '.claude.json'));
    symlinkSync(outside, join(project, '.claude'));
    const { call, items } = open();
    const names = (await items('claude', 'server')).filter(({ scope }) => scope === 'project');
    expect(names).toEqual([]);
    for (const place of ['server-project', 'server-user']) {
      const change = set('claude', place, { name: 'new', content: server('b') });
      await expect(call('preview', { change })).rejects.toMatchObject({ code: 'PATH_OUTSIDE' });
    }
    const change = set('claude', 'rule-project', {
      content: { type: 'rule', decision: 'allow', text: 'Read' },
    });
    const { hash } = await call<SetupPreview>('preview', { change });
    await expect(call('apply', { change, hash })).rejects.toMatchObject({ code: 'PATH_OUTSIDE' });
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
});

test('A61 a change by hand is seen, with the state of a running session and the trust of the project', async () => {
  put('.claude.json', '{ "mcpServers": { "notes": { "command": "n" } } }');
  const { states } = open();
  expect(states[0]).toMatchObject({ trust: 'no' });
  const first = states[0]?.agents[0]?.kinds.find(({ kind }) => kind === 'server')?.items;
  expect(first).toMatchObject([{ name: 'notes', status: 'connected' }]);
  inProject('.mcp.json', '{ "mcpServers": { "theirs": { "command": "t" } } }');
  await expect.poll(() => states.length).toBe(2);
  const now = states[1]?.agents[0]?.kinds.find(({ kind }) => kind === 'server')?.items;
  expect(now?.map(({ name, scope }) => [name, scope])).toEqual([
    ['notes', 'user'],
    ['theirs', 'project'],
  ]);
});

test('A61 variables that move an agent’s folder are followed', async () => {
  put('other/config.toml', '[mcp_servers.moved]\ncommand = "m"\n');
  const { items } = open({ CODEX_HOME: join(home, 'other') });
  expect(await items('codex', 'server')).toMatchObject([{ name: 'moved', file: '~/other/config.toml' }]);
});
