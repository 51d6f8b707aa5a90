// Trust (X6): which agent starts in which project, and how long a decision is valid.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { withTimings } from '@tugdeck/local/timings';
import { projectConfigSchema } from '@tugdeck/protocol/trust/project-config';
import { openDatabase } from '@tugdeck/store/database';
import { MIGRATIONS } from '@tugdeck/store/migrations';
import { openStore, type Store } from '@tugdeck/store/store';
import { recordGrants, savedRules } from '@tugdeck/trust/grants';
import Libsql from 'libsql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AgentChoices } from '../src/agents/agent-choices.ts';
import type { AgentConfiguration } from '../src/agents/agent-settings.ts';
import { Projects } from '../src/projects/projects.ts';
import { Sessions } from '../src/sessions/sessions.ts';
import { agentTerminalLaunch } from '../src/terminals/agent-terminal.ts';
import { Trust } from '../src/trust/trust.ts';

let base: string;
let project: string;
let store: Store;
let trust: Trust;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tugdeck-trust-'));
  project = join(base, 'project');
  mkdirSync(project);
  open();
});
afterEach(() => {
  store.close();
  rmSync(base, { recursive: true, force: true });
});

function open(): void {
  store = openStore(join(base, 'tugdeck.db'));
  trust = new Trust({ table: store.trust, dataRoot: base, home: base, now: () => 1 });
}

function put(path: string, content: string | object, at = project): void {
  const file = join(at, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

const hook = (command: string) => ({ hooks: { Stop: [{ hooks: [{ command }] }] } });
const untrusted = expect.objectContaining({ code: 'PROJECT_UNTRUSTED' });

function sessionsWith(configuration: AgentConfiguration, bundled: Record<string, string> = {}): Sessions {
  if (!store.projects.get('p')) store.projects.insert({ id: 'p', path: project, name: 'p', addedAt: 1 });
  return new Sessions({
    table: store.sessions,
    projects: new Projects(store.projects, trust, () => 1, { HOME: base }),
    agents: new AgentChoices(configuration, bundled),
    trust,
    now: () => 3,
    isLive: () => false,
    host: { dataDirectory: base, runtimeDirectory: base, timings: withTimings({}), logLevel: 'info' },
  });
}

test('X36 D43 a session can be created without trust if its agent starts later; the start is refused', () => {
  const sessions = sessionsWith({
    agents: { mine: { command: process.execPath, protocol: 'acp' as const } },
  });
  const id = crypto.randomUUID();
  expect(() => sessions.create(id, 'p', 'mine')).toThrow(untrusted);
  sessions.create(id, 'p', 'mine', { later: true });
  expect(() => sessions.launch(id)).toThrow(untrusted);
});

test('X36 without trust, only agents start that exclude project configuration, whatever is found and whatever they are called', () => {
  const command = process.execPath;
  const own = ['claude', 'claude-acp', 'codex', 'codex-acp', 'gemini', 'opencode', 'demo'];
  const agents = {
    ...Object.fromEntries(own.map((name) => [name, name === 'demo' ? {} : { command }])),
    mine: { command, protocol: 'acp' as const },
    'my-claude': { command, protocol: 'stream-json' as const },
    careful: { command, protocol: 'acp' as const, readsProject: false },
  };
  const starts = (configuration: AgentConfiguration, bundled?: Record<string, string>) => {
    const sessions = sessionsWith(configuration, bundled);
    return Object.keys(configuration.agents ?? {}).filter((agent) => {
      const id = crypto.randomUUID();
      try {
        sessions.create(id, 'p', agent);
        return sessions.launch(id).untrusted === true;
      } catch (error) {
        expect(error).toEqual(untrusted);
        return false;
      }
    });
  };
  const bundled = { demo: '/demo.mjs' };
  expect(starts({ agents }, bundled)).toEqual(['claude', 'demo', 'careful']);
  put('.mcp.json', { mcpServers: { x: { command: 'evil' } } });
  expect(starts({ agents }, bundled)).toEqual(['claude', 'demo', 'careful']);
  // Names alone do not count: another program as the demo, or another protocol than the driver that has the flag.
  const renamed = { demo: { command }, claude: { command, protocol: 'acp' as const } };
  expect(starts({ agents: renamed }, bundled)).toEqual([]);
});

test('X38 trust applies to what was shown: a change asks again with the difference, and a change back does not', () => {
  put('.claude/settings.json', hook('one'));
  put('CLAUDE.md', 'one');
  const sessions = sessionsWith({ agents: { mine: { command: process.execPath } } });
  const first = trust.describe(project, undefined);
  expect(first).toMatchObject({ state: 'unasked', canLeaveOut: false, repository: project });
  put('.claude/settings.json', hook('two'));
  expect(() => trust.allow(project, first.hash)).toThrowError(untrusted);
  expect(trust.decision(project)).toBeUndefined();
  trust.allow(project, trust.describe(project, undefined).hash);
  sessions.create('a', 'p', 'mine');
  expect(sessions.launch('a')).toMatchObject({ trusted: { home: base } });
  put('CLAUDE.md', 'two');
  expect(trust.check(project).state).toBe('trusted');
  put('.mcp.json', { mcpServers: { x: { command: 'evil' } } });
  put('.claude/settings.json', {});
  expect(() => sessions.launch('a')).toThrowError(untrusted);
  const changed = projectConfigSchema.parse(trust.describe(project, undefined));
  expect(changed.state).toBe('changed');
  expect(changed.brought.filter(({ kind }) => kind !== 'instructions')).toEqual([
    { kind: 'server', path: '.mcp.json', text: 'x: evil', change: 'added' },
    { kind: 'hook', path: '.claude/settings.json', text: 'Stop: two', change: 'removed' },
  ]);
  rmSync(join(project, '.mcp.json'));
  put('.claude/settings.json', hook('two'));
  expect(trust.check(project).state).toBe('trusted');
  trust.refuse(project);
  expect(trust.check(project).state).toBe('refused');
  expect(() => sessions.launch('a')).toThrowError(untrusted);
});

test('X38 rules saved with "Always allow" do not ask again, other rules do', () => {
  const rules = (...allow: string[]) => put('.claude/settings.local.json', { permissions: { allow } });
  put('.claude/settings.json', hook('one'));
  trust.allow(project);
  rules('Bash(npm test)');
  expect(trust.check(project).state).toBe('changed');
  const file = '.claude/settings.local.json';
  const saved = savedRules({ effect: 'allow-always', rule: 'Bash(npm test), Read(//x/**)', file });
  recordGrants(base, join(base, 'other'), saved);
  expect(trust.check(project).state).toBe('changed');
  recordGrants(base, project, saved);
  expect(trust.check(project).state).toBe('trusted');
  rules('Bash(npm test)', 'Bash(*)');
  expect(trust.check(project).state).toBe('changed');
  rules('Bash(npm test)', 'Read(//x/**)');
  put('.claude/settings.json', hook('two'));
  expect(trust.check(project).state).toBe('changed');
  put('.claude/settings.json', hook('one'));
  expect(trust.check(project).state).toBe('trusted');
  expect(savedRules({ effect: 'allow-always', rule: 'Bash(x)' })).toEqual([]);
  expect(savedRules({ effect: 'allow-once', rule: 'Bash(x)', file })).toEqual([]);
  expect(savedRules({ effect: 'allow-always', rule: 'mode acceptEdits', file })).toEqual([
    'defaultMode: acceptEdits',
  ]);
});

test('X38 trust belongs to the repository: its folders and worktrees share it for what they have in common', () => {
  const git = (...args: string[]) => execFileSync('git', ['-C', project, ...args], { stdio: 'pipe' });
  git('init', '-q');
  put('.mcp.json', { mcpServers: { x: { command: 'x' } } });
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'a');
  const tree = join(base, 'tree');
  git('worktree', 'add', '-q', tree);
  mkdirSync(join(project, 'sub'));
  trust.allow(join(project, 'sub'));
  expect([project, tree, join(project, 'sub')].map((at) => trust.check(at).state)).toEqual(
    Array(3).fill('trusted'),
  );
  put('sub/opencode.json', { mcp: { y: { command: ['evil'] } } });
  put('.mcp.json', { mcpServers: { x: { command: 'other' } } }, tree);
  expect(trust.check(join(project, 'sub')).state).toBe('changed');
  expect(trust.check(tree).state).toBe('changed');
  expect(trust.check(project).state).toBe('trusted');
});

test('X38 earlier decisions stay valid for the current content; their projects may be gone', () => {
  store.close();
  rmSync(join(base, 'tugdeck.db'));
  const old = openDatabase(join(base, 'tugdeck.db'), MIGRATIONS.slice(0, 8));
  const insert = old.prepare('INSERT INTO projects (id, path, name, added_at, trust) VALUES (?, ?, ?, 1, ?)');
  const refused = join(base, 'refused');
  mkdirSync(refused);
  put('.mcp.json', { mcpServers: { x: { command: 'x' } } });
  insert.run('p', project, 'p', 'yes');
  insert.run('q', refused, 'q', 'no');
  insert.run('r', join(base, 'gone'), 'r', 'yes');
  old.close();
  open();
  expect(trust.check(project).state).toBe('trusted');
  expect(trust.check(refused).state).toBe('refused');
  put('.mcp.json', { mcpServers: { late: { command: 'evil' } } }, join(base, 'gone'));
  expect(trust.check(join(base, 'gone')).state).toBe('changed');
  put('.mcp.json', { mcpServers: { x: { command: 'evil' } } });
  store.close();
  open();
  expect(trust.check(project).state).toBe('changed');
  const rows = new Libsql(join(base, 'tugdeck.db')).prepare('SELECT trust FROM projects').all();
  expect(rows).toEqual(Array(3).fill({ trust: null }));
});

test("X6 an agent's own terminal interface also excludes project configuration, or is not opened", async () => {
  const sessions = sessionsWith({ agents: { claude: { command: process.execPath } } });
  sessions.create('a', 'p', 'claude');
  const summary = { agentSession: 's-1', entries: 2, turn: 'idle' };
  const looked = { row: () => ({ summary }), launch: (id: string) => sessions.launch(id) } as never;
  const open = () => agentTerminalLaunch('a', looked, { release: async () => undefined } as never);
  expect((await open()).args).toEqual(['--resume', 's-1', '--setting-sources', 'user']);
  trust.allow(project);
  expect((await open()).args).toEqual(['--resume', 's-1']);
});
