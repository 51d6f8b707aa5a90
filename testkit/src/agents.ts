// Locates the pinned real agents. ../install-agents.mjs installs them into ../agents, outside the workspaces, so
// that a test never starts a developer's own agents.
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../agents/node_modules/', import.meta.url));

const manifest = new URL('../agents/package.json', import.meta.url);
const pinned = JSON.parse(readFileSync(manifest, 'utf8')) as Record<
  'dependencies' | 'optionalDependencies',
  Record<string, string>
>;

/** The exact version that agents/package.json pins. */
export const claudeVersion = pinned.dependencies['@anthropic-ai/claude-code'] ?? 'unpinned';

/** The native binary itself: its npm wrapper needs a newer Node than we support. */
export function claudeBinary(): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = process.platform === 'win32' ? 'claude.exe' : 'claude';
  for (const variant of [platform, `${platform}-musl`]) {
    const path = join(modules, '@anthropic-ai', `claude-code-${variant}`, name);
    if (existsSync(path)) return path;
  }
  throw new Error(
    `No claude ${claudeVersion} for ${platform} in testkit/agents. Run \`node scripts/test.mjs\`, which installs ` +
      'the agents, or `node testkit/install-agents.mjs` alone.',
  );
}

/** The folder to put first on PATH so that a program under test finds the pinned `claude`. */
export function claudeFolder(): string {
  return dirname(claudeBinary());
}

/** All agents except Claude Code, by their names in the catalog. */
export const OTHER_AGENTS = ['claude-acp', 'codex', 'codex-acp', 'gemini', 'opencode'] as const;
export type OtherAgent = (typeof OTHER_AGENTS)[number];

export const REAL_AGENTS = ['claude', ...OTHER_AGENTS] as const;
export type RealAgent = (typeof REAL_AGENTS)[number];

interface Pinned {
  readonly package: string;
  /** The commands it provides, and the files behind them. */
  readonly commands: Readonly<Record<string, string>>;
}

const pinnedAgents: Readonly<Record<OtherAgent, Pinned>> = {
  'claude-acp': {
    package: '@agentclientprotocol/claude-agent-acp',
    commands: { 'claude-agent-acp': '@agentclientprotocol/claude-agent-acp/dist/index.js' },
  },
  codex: { package: '@openai/codex', commands: { codex: '@openai/codex/bin/codex.js' } },
  'codex-acp': {
    package: '@agentclientprotocol/codex-acp',
    commands: {
      'codex-acp': '@agentclientprotocol/codex-acp/dist/index.js',
      codex: '@openai/codex/bin/codex.js',
    },
  },
  gemini: { package: '@google/gemini-cli', commands: { gemini: '@google/gemini-cli/bundle/gemini.js' } },
  // The binary itself: the wrapper, opencode-ai, needs an install script, and we run none.
  opencode: {
    package: 'opencode-linux-x64',
    commands: { opencode: 'opencode-linux-x64/bin/opencode' },
  },
};

/** The exact version that agents/package.json pins. */
export const agentVersion = (agent: RealAgent): string =>
  agent === 'claude'
    ? claudeVersion
    : ({ ...pinned.dependencies, ...pinned.optionalDependencies }[pinnedAgents[agent].package] ?? 'unpinned');

/** The reason why an agent cannot be tested here, or undefined if it can. */
export function whyMissing(agent: RealAgent): string | undefined {
  // Every run of the tests needs it.
  if (agent === 'claude') return undefined;
  for (const file of Object.values(pinnedAgents[agent].commands)) {
    if (!existsSync(join(modules, file)))
      return `${agent} ${agentVersion(agent)} is not installed for ${process.platform}-${process.arch}: run node testkit/install-agents.mjs`;
  }
  return undefined;
}

/** The folder to put first on PATH so that a program under test finds only the pinned agent. */
export function agentFolder(agent: RealAgent): string {
  if (agent === 'claude') return claudeFolder();
  const missing = whyMissing(agent);
  if (missing !== undefined) throw new Error(missing);
  // Not `.bin`, which has all of them and which the product removes from the PATH of its agents.
  const folder = join(modules, '.tugdeck-bin', agent);
  mkdirSync(folder, { recursive: true });
  for (const [command, file] of Object.entries(pinnedAgents[agent].commands)) {
    try {
      symlinkSync(join(modules, file), join(folder, command));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
  return folder;
}
