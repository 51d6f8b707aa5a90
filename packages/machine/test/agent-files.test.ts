import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AgentFilesOptions, readAgentFiles } from '../src/settings/agent-files.ts';

let home: string;
let project: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tugdeck-agent-files-'));
  project = join(home, 'project');
  mkdirSync(project);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(path: string, content: string | object): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

function read(agent: string, more: Partial<AgentFilesOptions> = {}) {
  const { agents } = readAgentFiles({
    agents: [{ name: agent, label: agent }],
    environment: {},
    home,
    project,
    own: () => ({}),
    configFile: '/config.json',
    live: () => [],
    ...more,
  });
  return agents[0];
}

test('W6 lists rules and servers with their file, without secrets', () => {
  const user = put('.claude/settings.json', {
    permissions: { allow: ['Bash(ls:*)'], deny: ['Read(./.env)'] },
  });
  const local = put('.claude.json', {
    oauthAccount: { token: 'SECRET' },
    mcpServers: { notes: { command: 'npx', args: ['notes'], env: { KEY: 'SECRET' } } },
    projects: {
      [project]: {
        mcpServers: { web: { type: 'http', url: 'https://x.example/mcp', headers: { A: 'SECRET' } } },
      },
      '/another': { mcpServers: { hidden: { command: 'x' } } },
    },
  });
  const theirs = put('project/.claude/settings.json', {
    permissions: { ask: ['WebFetch'], defaultMode: 'plan' },
  });
  const own = () => ({ ours: { command: 'node', args: ['s.mjs'] } });
  const live = () => [
    { name: 'notes', status: 'connected' },
    { name: 'plugin', status: 'failed' },
  ];
  const found = read('claude', { own, live });
  expect(found?.rules).toEqual([
    { file: user, scope: 'user', text: 'allow Bash(ls:*)' },
    { file: user, scope: 'user', text: 'deny Read(./.env)' },
    { file: theirs, scope: 'project', text: 'ask WebFetch' },
    { file: theirs, scope: 'project', text: 'defaultMode: plan' },
  ]);
  expect(found?.servers).toEqual([
    { name: 'notes', file: local, scope: 'user', launch: 'npx notes', status: 'connected' },
    { name: 'web', file: local, scope: 'user', launch: 'https://x.example/mcp' },
    { name: 'ours', file: '/config.json', scope: 'config', launch: 'node s.mjs' },
    { name: 'plugin', launch: '', status: 'failed' },
  ]);
  expect(JSON.stringify(found)).not.toContain('SECRET');
});

test('W6 reads files where a variable places them, and names files it cannot parse', () => {
  put('.claude/settings.json', { permissions: { allow: ['Old'] } });
  put('elsewhere/settings.json', { permissions: { allow: ['New'] } });
  const broken = put('elsewhere/.claude.json', '{');
  const found = read('claude', { environment: { CLAUDE_CONFIG_DIR: join(home, 'elsewhere') } });
  expect(found?.rules.map(({ text }) => text)).toEqual(['allow New']);
  expect(found?.unread).toEqual([broken]);
});

test('W6 lists servers and policies of a TOML file', () => {
  put(
    '.codex/config.toml',
    [
      'approval_policy = "on-request" # ask',
      '[mcp_servers.docs]',
      'command = "npx"',
      'args = ["-y", "docs"]',
      '[mcp_servers.docs.env]',
      'command = "SECRET"',
      '[other]',
      'sandbox_mode = "x"',
    ].join('\n'),
  );
  const found = read('codex');
  expect(found?.rules.map(({ text }) => text)).toEqual(['approval_policy: on-request']);
  expect(found?.servers).toMatchObject([{ name: 'docs', launch: 'npx -y docs' }]);
});

test('W6 a project cannot expose other files through a link', () => {
  put('secret.json', { permissions: { allow: ['Secret'] } });
  mkdirSync(join(project, '.claude'));
  symlinkSync(join(home, 'secret.json'), join(project, '.claude/settings.json'));
  expect(read('claude')?.rules).toEqual([]);
});
