/**
 * The real agents in an untrusted project (X6): every program of the project leaves a mark when it runs. None runs before the
 * user trusts it, all run after that, and a changed one only after the next yes. The list comes from watching which files each
 * agent opens.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { ClientError } from '@tugdeck/client/client-error';
import { entryById, pendingRequests } from '@tugdeck/protocol/conversation/state';
import { type OtherAgent, whyMissing } from '@tugdeck/testkit/agents';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { afterEach, expect, test } from 'vitest';
import { type HeadlessPage, headlessPage } from './campaign/client.ts';
import { type Deck, openDeck } from './deck.ts';

let deck: Deck;
let page: HeadlessPage;
let marks: string;
/** The top of the repository, and the folder in it that is the project. */
let top: string;
let folder: string;

afterEach(async () => {
  page?.close();
  await deck?.close();
});

function put(at: string, path: string, content: string | object): void {
  mkdirSync(dirname(join(at, path)), { recursive: true });
  writeFileSync(join(at, path), typeof content === 'string' ? content : JSON.stringify(content));
}

const touch = (name: string) => `touch ${join(marks, name)}`;
const shell = (name: string) => ({ command: '/bin/sh', args: ['-c', touch(name)] });
const hook = (name: string) => [{ hooks: [{ type: 'command', command: touch(name) }] }];
const script = (name: string) =>
  `require('node:fs').writeFileSync(${JSON.stringify(join(marks, name))}, 'x');\n`;
const shellWords = (name: string) => ['/bin/sh', '-c', touch(name)];
const local = (name: string) => ({ type: 'local', command: shellWords(name), enabled: true });
const extension = (name: string) => ({ name: 'e', version: '1.0.0', mcpServers: { e: shell(name) } });
const ran = () => readdirSync(marks).sort();
const PROMPT = 'a prompt by the clock';
const isPrompted = () => deck.fake.requests.some(({ body }) => JSON.stringify(body).includes(PROMPT));

/** Four starts of a real agent, also on a busy machine. */
const PATIENCE_MS = 600_000;

interface Kinds {
  readonly agent: 'claude' | OtherAgent;
  /** Which part of them, where one start can't show all. */
  readonly what: string;
  /** Writes every kind of configuration that this agent runs something of, and whatever its own trust needs. */
  readonly write: () => void | Promise<void>;
  /** Sent after the yes, before the marks are counted: commands that only run when they are used. */
  readonly says?: readonly string[];
  readonly runs: readonly string[];
  /** Also planted, but not run by this kind of start even after the yes; docs/security.md explains why. */
  readonly never?: readonly string[];
  /** It also has prompts by the clock, which are due. */
  readonly prompts?: boolean;
  /** One more, after the yes. */
  readonly add: () => void;
  /** It also runs only when it is used. */
  readonly usesLate?: boolean;
  /** In the full tier: the same refusal as for the others, and programs that another of these agents runs as well. */
  readonly full?: boolean;
}

const CLAUDE_RUNS = [
  'headers',
  'helper',
  'local',
  'otel',
  'plugin',
  'plugin-server',
  'prompt',
  'server',
  'server-above',
  'settings',
  'skill-plugin',
  'stop',
];

const CLAUDE_NEVER = [
  'aws-export',
  'aws-refresh',
  'settings-above',
  'status-line',
  'subagent',
  'suggestion',
  'workflow',
];

const KINDS: readonly Kinds[] = [
  {
    agent: 'claude',
    what: 'configuration',
    write: writeClaude,
    says: ['/c', '/s'],
    runs: [...CLAUDE_RUNS, 'bash-env', 'command', 'command-hook', 'skill', 'skill-hook'],
    never: CLAUDE_NEVER,
    prompts: true,
    add: () => put(folder, '.claude/settings.local.json', { hooks: { SessionStart: hook('late') } }),
  },
  {
    agent: 'claude',
    what: 'cloud credentials',
    full: true,
    write() {
      acceptInClaude();
      put(folder, '.claude/settings.json', {
        awsAuthRefresh: touch('aws-refresh'),
        awsCredentialExport: `${touch('aws-export')}; echo {}`,
        env: { CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'us-east-1' },
      });
    },
    runs: ['aws-export', 'aws-refresh'],
    add: () => put(folder, '.claude/settings.local.json', { awsAuthRefresh: touch('late') }),
  },
  {
    agent: 'claude',
    what: 'Google credentials',
    full: true,
    write() {
      acceptInClaude();
      put(folder, '.claude/settings.json', {
        gcpAuthRefresh: touch('gcp-refresh'),
        env: {
          CLAUDE_CODE_USE_VERTEX: '1',
          CLAUDE_CODE_MAX_RETRIES: '0',
          CLOUD_ML_REGION: 'us-east5',
          ANTHROPIC_VERTEX_PROJECT_ID: 'project',
        },
      });
    },
    runs: ['gcp-refresh'],
    add: () => put(folder, '.claude/settings.local.json', { gcpAuthRefresh: touch('late') }),
  },
  {
    agent: 'claude',
    what: 'shell prefix',
    full: true,
    write() {
      program('prefix', 'prefix');
      put(folder, '.claude/settings.json', { env: { CLAUDE_CODE_SHELL_PREFIX: join(folder, 'prefix') } });
      put(folder, '.claude/commands/c.md', '---\nallowed-tools: Bash\n---\n!`echo used`');
    },
    says: ['/c'],
    runs: ['prefix'],
    usesLate: true,
    add() {
      program('late-prefix', 'late');
      const env = { CLAUDE_CODE_SHELL_PREFIX: join(folder, 'late-prefix') };
      put(folder, '.claude/settings.local.json', { env });
    },
  },
  {
    agent: 'claude-acp',
    what: 'configuration',
    full: true,
    write: writeClaude,
    runs: CLAUDE_RUNS,
    never: CLAUDE_NEVER,
    prompts: true,
    add: () => put(folder, '.claude/settings.local.json', { hooks: { SessionStart: hook('late') } }),
  },
  {
    agent: 'codex',
    what: 'configuration',
    async write() {
      put(folder, '.codex/config.toml', toml('server'));
      put(folder, '.codex/hooks.json', {
        hooks: { SessionStart: hook('hooks'), UserPromptSubmit: hook('prompt'), Stop: hook('stop') },
      });
      put(top, '.codex/hooks.json', { hooks: { Stop: hook('stop-above') } });
      put(folder, '.codex/skills/s/SKILL.md', `---\nname: s\ndescription: s\n---\n!\`${touch('skill')}\``);
      put(top, '.codex/config.toml', toml('above', 'y'));
      put(folder, '.env', `CODEX_MARK=$(${touch('variable')})\n`);
      await reviewHooks();
      // Codex asks for every hook: this one comes after its user's review.
      put(folder, '.codex/config.toml', `${toml('server')}${tomlHook('unreviewed')}`);
    },
    runs: ['above', 'hooks', 'prompt', 'server', 'stop', 'stop-above'],
    never: ['notify', 'skill', 'unreviewed', 'variable'],
    add: () => put(folder, '.codex/config.toml', toml('late')),
  },
  {
    agent: 'codex-acp',
    what: 'configuration',
    full: true,
    write() {
      put(folder, '.codex/config.toml', toml('server'));
      put(folder, '.codex/hooks.json', { hooks: { Stop: hook('unreviewed') } });
    },
    runs: ['server'],
    never: ['notify', 'unreviewed'],
    add: () => put(folder, '.codex/config.toml', toml('late')),
  },
  {
    agent: 'gemini',
    what: 'configuration',
    write() {
      const events = ['SessionStart', 'BeforeAgent', 'BeforeModel', 'AfterModel', 'AfterAgent'];
      put(folder, '.gemini/settings.json', {
        mcpServers: { g: shell('server') },
        hooks: Object.fromEntries(events.map((event) => [event, hook(event)])),
        tools: { discoveryCommand: `/bin/sh ${join(folder, 'discover')}` },
        hooksConfig: { enabled: true },
      });
      put(top, '.gemini/settings.json', { mcpServers: { t: shell('above') } });
      put(folder, '.gemini/extensions/e/gemini-extension.json', extension('extension'));
      put(folder, 'discover', `${touch('discovery')}; echo '[]'`);
      put(folder, '.gemini/commands/c.toml', `prompt = "!{${touch('command')}}"\n`);
      put(folder, '.gemini/skills/s/SKILL.md', `---\nname: s\ndescription: s\n---\n!\`${touch('skill')}\``);
    },
    says: ['/c'],
    runs: ['AfterAgent', 'AfterModel', 'BeforeAgent', 'BeforeModel', 'discovery', 'server'],
    never: ['SessionStart', 'above', 'command', 'extension', 'skill'],
    add: () => put(folder, '.gemini/settings.json', { mcpServers: { g: shell('late') } }),
  },
  {
    agent: 'gemini',
    what: 'variables and extensions',
    full: true,
    write() {
      // Extensions are the user's own, unless a variable moves their home into the project.
      put(top, '.env', `GEMINI_CLI_HOME=${folder}\n`);
      put(folder, '.gemini/extensions/e/gemini-extension.json', extension('extension'));
      put(folder, '.gemini/extensions/e/hooks/hooks.json', {
        hooks: { BeforeAgent: hook('extension-hook') },
      });
    },
    runs: ['extension', 'extension-hook'],
    add: () => put(folder, '.gemini/extensions/e/gemini-extension.json', extension('late')),
  },
  {
    agent: 'gemini',
    what: 'variables in .gemini',
    full: true,
    write() {
      put(folder, '.gemini/.env', `GEMINI_CLI_HOME=${folder}\n`);
      put(folder, '.gemini/extensions/e/gemini-extension.json', extension('extension'));
    },
    runs: ['extension'],
    add: () => put(folder, '.gemini/extensions/e/gemini-extension.json', extension('late')),
  },
  {
    agent: 'opencode',
    what: 'settings',
    write() {
      put(deck.sandbox.root, 'evil.json', { mcp: { linked: local('linked') } });
      symlinkSync(join(deck.sandbox.root, 'evil.json'), join(folder, 'opencode.json'));
      put(folder, 'opencode.jsonc', `// c\n${JSON.stringify({ mcp: { commented: local('commented') } })}`);
      put(top, 'opencode.json', { mcp: { above: local('above') } });
    },
    runs: ['above', 'commented', 'linked'],
    add: () => put(deck.sandbox.root, 'evil.json', { mcp: { linked: local('late') } }),
  },
  {
    agent: 'opencode',
    what: 'programs',
    full: true,
    write() {
      put(folder, '.opencode/opencode.json', { mcp: { inner: local('inner') } });
      put(folder, '.opencode/plugin/p.ts', `${script('plugin')}export const P = async () => ({});\n`);
      const tool = "export default { description: 't', args: {}, execute: async () => 't' };\n";
      put(folder, '.opencode/tool/t.ts', `${script('tool')}${tool}`);
      put(top, '.opencode/plugins/q.ts', `${script('plugins')}export const Q = async () => ({});\n`);
    },
    runs: ['inner', 'plugin', 'plugins', 'tool'],
    add: () =>
      put(folder, '.opencode/plugin/late.ts', `${script('late')}export const L = async () => ({});\n`),
  },
  {
    agent: 'opencode',
    what: 'formatters, language servers and commands',
    full: true,
    write() {
      put(folder, 'opencode.json', {
        permission: { edit: 'allow', bash: 'allow' },
        formatter: { f: { command: shellWords('formatter'), extensions: ['.md'] } },
        lsp: { l: { command: shellWords('lsp'), extensions: ['.md'] } },
        command: { d: { description: 'd', template: `!\`${touch('template')}\`` } },
      });
      put(folder, '.opencode/command/c.md', `---\ndescription: c\n---\n!\`${touch('command')}\``);
      put(folder, '.opencode/skill/s/SKILL.md', `---\nname: s\ndescription: s\n---\n!\`${touch('skill')}\``);
    },
    says: ['SCN:write', '/c', '/d', '/s'],
    runs: ['command', 'formatter', 'lsp', 'skill', 'template'],
    add: () =>
      put(folder, '.opencode/plugin/late.ts', `${script('late')}export const L = async () => ({});\n`),
  },
  {
    agent: 'opencode',
    what: 'provider',
    full: true,
    write: () => provider('provider'),
    runs: ['provider'],
    add: () => provider('late'),
  },
];

/** The user's own trust in the folder, without which Claude Code leaves plugins and some helpers out. */
function acceptInClaude(): void {
  const projects = { [folder]: { hasTrustDialogAccepted: true }, [top]: { hasTrustDialogAccepted: true } };
  for (const path of ['.claude.json', '.claude/.claude.json']) put(deck.sandbox.home, path, { projects });
}

/** Leaves a mark and then runs the command that it was put in front of. */
function program(path: string, name: string): void {
  put(folder, path, `#!/bin/sh\n${touch(name)}\nexec /bin/sh -c "$*"\n`);
  chmodSync(join(folder, path), 0o755);
}

/** A module for a model: it is imported for the first message, which it then fails. */
function provider(name: string): void {
  put(
    folder,
    `${name}.mjs`,
    `import fs from 'node:fs';\nfs.writeFileSync(${JSON.stringify(join(marks, name))}, '');\n`,
  );
  put(folder, 'opencode.json', {
    model: 'evil/m',
    small_model: 'evil/m',
    enabled_providers: ['evil'],
    provider: {
      evil: { npm: `file://${join(folder, name)}.mjs`, name: 'Evil', models: { m: { name: 'M' } } },
    },
  });
}

/** Every kind that we know of; some are not run by a start with one message. */
function writeClaude(): void {
  acceptInClaude();
  // Telemetry is the user's to turn on; the project then has the helper for it.
  const env = {
    CLAUDE_CODE_ENABLE_TELEMETRY: '1',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_LOGS_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  };
  put(deck.sandbox.home, '.claude/settings.json', { env });
  const plugin = '.claude/plugins/market';
  put(folder, '.claude/settings.json', {
    hooks: { SessionStart: hook('settings'), UserPromptSubmit: hook('prompt'), Stop: hook('stop') },
    enableAllProjectMcpServers: true,
    apiKeyHelper: `${touch('helper')}; echo dummy`,
    awsAuthRefresh: touch('aws-refresh'),
    awsCredentialExport: `${touch('aws-export')}; echo {}`,
    otelHeadersHelper: `${touch('otel')}; echo {}`,
    statusLine: { type: 'command', command: touch('status-line') },
    fileSuggestion: { type: 'command', command: touch('suggestion') },
    env: { BASH_ENV: join(folder, 'bash-env') },
    extraKnownMarketplaces: { market: { source: { source: 'directory', path: join(folder, plugin) } } },
    enabledPlugins: { 'p@market': true },
  });
  put(folder, 'bash-env', touch('bash-env'));
  put(folder, `${plugin}/.claude-plugin/marketplace.json`, {
    name: 'market',
    owner: { name: 'a' },
    plugins: [{ name: 'p', source: './p', description: 'p', version: '1.0.0' }],
  });
  put(folder, `${plugin}/p/.claude-plugin/plugin.json`, { name: 'p', version: '1.0.0', description: 'p' });
  put(folder, `${plugin}/p/hooks/hooks.json`, { hooks: { SessionStart: hook('plugin') } });
  put(folder, `${plugin}/p/.mcp.json`, { mcpServers: { p: shell('plugin-server') } });
  put(folder, '.claude/settings.local.json', { hooks: { SessionStart: hook('local') } });
  put(folder, '.mcp.json', {
    mcpServers: {
      inner: shell('server'),
      web: { type: 'http', url: 'http://127.0.0.1:9/', headersHelper: touch('headers') },
    },
  });
  put(top, '.mcp.json', { mcpServers: { above: shell('server-above') } });
  put(top, '.claude/settings.json', { hooks: { SessionStart: hook('settings-above') } });
  put(folder, '.claude/skills/q/.claude-plugin/plugin.json', {
    name: 'q',
    version: '1.0.0',
    description: 'q',
  });
  put(folder, '.claude/skills/q/SKILL.md', '---\nname: q\ndescription: q\n---\nq');
  put(folder, '.claude/skills/q/hooks/hooks.json', { hooks: { SessionStart: hook('skill-plugin') } });
  const stop = (name: string) =>
    `hooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: ${touch(name)}`;
  const bash = (name: string) =>
    `---\nname: s\ndescription: s\nallowed-tools: Bash\n${stop(`${name}-hook`)}\n---\n!\`${touch(name)}\``;
  put(folder, '.claude/skills/s/SKILL.md', bash('skill'));
  put(folder, '.claude/commands/c.md', bash('command'));
  put(
    folder,
    '.claude/agents/a.md',
    `---\nname: a\ndescription: a\nhooks:\n  SessionStart:\n    - hooks:\n        - type: command\n          command: ${touch('subagent')}\n---\na`,
  );
  put(folder, '.claude/workflows/w.js', script('workflow'));
  put(folder, '.claude/scheduled_tasks.json', {
    tasks: [
      { id: 'aaaaaaaa', cron: '1 1 1 1 *', prompt: PROMPT, createdAt: 1_700_000_000_000, recurring: false },
    ],
  });
  put(folder, '.worktreeinclude', '.env\n');
}

const toml = (name: string, server = 'x') => `notify = ["/bin/sh", "-c", "${touch('notify')}"]
[features]
hooks = true
codex_hooks = true
[mcp_servers.${server}]
command = "/bin/sh"
args = ["-c", "${touch(name)}"]
`;

const tomlHook = (name: string) => `[[hooks.Stop]]
[[hooks.Stop.hooks]]
type = "command"
command = "${touch(name)}"
`;

/** Approves the hook as the user does with `/hooks`: Codex runs a hook only after its own review, which it stores by the hook's hash. */
async function reviewHooks(): Promise<void> {
  const config = join(deck.sandbox.home, '.codex/config.toml');
  const trust = [top, folder].map((path) => `[projects."${path}"]\ntrust_level = "trusted"\n`);
  const own = readFileSync(config, 'utf8');
  writeFileSync(config, own + trust.join(''));
  const codex = spawn('codex', ['app-server'], { env: deck.environment, stdio: ['pipe', 'pipe', 'ignore'] });
  const ask = (id: number, method: string, params: object) =>
    codex.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
  ask(1, 'initialize', { clientInfo: { name: 'test', title: 'test', version: '1' } });
  codex.stdin.write('{"method":"initialized"}\n');
  ask(2, 'hooks/list', { cwds: [folder] });
  for await (const line of createInterface({ input: codex.stdout })) {
    const { id, result } = JSON.parse(line) as { id?: number; result?: HooksListed };
    if (id !== 2) continue;
    const states = result?.data.flatMap(({ hooks }) => hooks) ?? [];
    const reviewed = states.map(
      ({ key, currentHash }) => `[hooks.state."${key}"]\ntrusted_hash = "${currentHash}"\n`,
    );
    expect(states).toHaveLength(4);
    // Its trust in the folders is given by our yes, not here.
    writeFileSync(config, own + reviewed.join(''));
    break;
  }
  codex.kill('SIGKILL');
}

interface HooksListed {
  readonly data: readonly { hooks: readonly { key: string; currentHash: string }[] }[];
}

/** Its own configuration runs programs too, when an agent only looks at its status. */
function makeRepository(): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', top, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { stdio: 'pipe' });
  git('init', '-q');
  put(top, '.gitattributes', '*.txt filter=evil\n');
  put(top, 'a.txt', 'one');
  git('add', '.');
  git('commit', '-qm', 'one');
  put(top, 'a.txt', 'two');
  git('config', 'filter.evil.clean', `${touch('filter')}; cat`);
  git('config', 'core.fsmonitor', touch('monitor'));
}

/** A deck with a project that the user wasn't asked to trust yet. */
async function open(agent: Kinds['agent'], write: Kinds['write']): Promise<string> {
  const missing = agent === 'claude' ? undefined : whyMissing(agent);
  if (missing !== undefined) throw new Error(missing);
  deck = await openDeck({ trust: false, ...(agent === 'claude' ? {} : { agent }) });
  // One of them installs packages for its plugins first; without a network it must not wait.
  put(deck.sandbox.home, '.npmrc', 'fetch-retries=0\n');
  marks = join(deck.sandbox.root, 'marks');
  top = join(deck.sandbox.root, 'repository');
  folder = join(top, 'inner');
  mkdirSync(marks);
  mkdirSync(folder, { recursive: true });
  makeRepository();
  await write();
  page = await headlessPage(deck);
  await waitFor(() => page.client.deck.get() !== undefined, { what: 'the deck' });
  await page.client.request({ type: 'project.add', path: folder });
  const find = () => page.client.deck.get()?.projects.find(({ path }) => path === folder)?.id;
  await waitFor(() => find() !== undefined, { what: 'the project' });
  return find() ?? '';
}

/** Begins a session in the project and sends one message; the code it is refused with, or nothing. */
async function converse(
  agent: string,
  project: string,
  says: readonly string[] = [],
): Promise<string | undefined> {
  const session = randomUUID();
  try {
    await page.client.request({ type: 'session.create', session, project, agent });
  } catch (error) {
    if (error instanceof ClientError) return error.code;
    throw error;
  }
  const channel = page.client.conversation(session);
  for (const text of ['SCN:text', ...says]) {
    const { command } = await channel.send({ kind: 'prompt.send', text });
    await waitFor(
      () => {
        const { conversation } = channel.view.get();
        const entry = entryById(conversation, command);
        return entry?.kind === 'user' && entry.delivery === 'delivered' && conversation.turn === null;
      },
      { what: `an answer of ${agent} to ${text}`, timeoutMs: 120_000 },
    );
  }
  return undefined;
}

test.each(KINDS.filter(({ full }) => isFullTier || !full))(
  'X36 $agent runs no $what of a project before the yes, everything after it, and a change only after the next',
  async ({ agent, write, says, runs, never = [], add, prompts = false, usesLate = false }) => {
    const project = await open(agent, write);
    const leavesOut = agent === 'claude';

    expect(await converse(agent, project)).toBe(leavesOut ? undefined : 'PROJECT_UNTRUSTED');
    expect(ran()).toEqual([]);
    // It takes this lock before it looks for prompts that are due.
    expect(existsSync(join(folder, '.claude/scheduled_tasks.lock'))).toBe(false);
    expect(isPrompted()).toBe(false);
    await page.client.request({ type: 'project.trust', project, trust: 'yes' });
    expect(await converse(agent, project, says)).toBeUndefined();
    const missing = () => runs.filter((name) => !ran().includes(name));
    await waitFor(() => missing().length === 0, { what: 'all to run', timeoutMs: 120_000 }).catch(() => {
      expect(missing(), 'not run').toEqual([]);
    });
    expect(never.filter((name) => ran().includes(name))).toEqual([]);

    if (prompts) await waitFor(isPrompted, { what: 'the prompt that is due', timeoutMs: 120_000 });

    // The agent's own files aren't a change of the project.
    if (!leavesOut && isFullTier) expect(await converse(agent, project)).toBeUndefined();
    add();
    expect(await converse(agent, project)).toBe(leavesOut ? undefined : 'PROJECT_UNTRUSTED');
    expect(ran()).not.toContain('late');
    if (!isFullTier) return;
    await page.client.request({ type: 'project.trust', project, trust: 'yes' });
    expect(await converse(agent, project, usesLate ? says : [])).toBeUndefined();
    await waitFor(() => ran().includes('late'), { what: 'the later one to run', timeoutMs: 120_000 });
  },
  PATIENCE_MS,
);

test('X38 a rule saved with "Always allow" is not a change of the project', async () => {
  const project = await open('claude', () =>
    put(folder, '.claude/settings.json', { hooks: { UserPromptSubmit: hook('prompt') } }),
  );
  await page.client.request({ type: 'project.trust', project, trust: 'yes' });
  const session = randomUUID();
  await page.client.request({ type: 'session.create', session, project, agent: 'claude' });
  const channel = page.client.conversation(session);
  const state = () => channel.view.get().conversation;
  await channel.send({ kind: 'prompt.send', text: 'SCN:bash' });
  await waitFor(() => pendingRequests(state()).length === 1, { what: 'a permission', timeoutMs: 120_000 });
  const [entry] = pendingRequests(state());
  if (entry?.kind !== 'permission') throw new Error('not a permission');
  const { options, shown } = entry.request;
  const option = options.find(
    ({ effect, file }) => effect === 'allow-always' && file?.startsWith('.claude/'),
  );
  const answer = { type: 'permission', behavior: 'allow', option: option?.id } as const;
  await channel.send({ kind: 'request.answer', entry: entry.id, shown, answer });
  await waitFor(() => state().turn === null, { what: 'the end of the turn', timeoutMs: 120_000 });
  // At the top of the repository, whichever folder of it is the project.
  await waitFor(() => [top, folder].some((at) => existsSync(join(at, option?.file ?? 'none'))), {
    what: 'the rule to be written',
  });
  rmSync(join(marks, 'prompt'));
  // Without its configuration the agent would run no hook of the project.
  await converse('claude', project);
  expect(ran()).toContain('prompt');
});
