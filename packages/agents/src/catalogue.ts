/**
 * The catalogue of known agents: data only. A new agent that speaks a protocol we have a driver for is one
 * more row here. Detection, launching and drawing read it; nothing else names an agent.
 */

import {
  CLAUDE_SOURCES,
  CODEX_SOURCES,
  GEMINI_SOURCES,
  OPENCODE_SOURCES,
  OTHER_SOURCES,
  type ProjectSource,
} from './project-sources.ts';

export const PROTOCOLS = ['stream-json', 'acp', 'app-server'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export interface PermissionMode {
  readonly id: string;
  readonly label: string;
  /** One sentence on what it lets through (A14). */
  readonly description: string;
  /** Lets everything through: asked once more, and stays visibly marked. */
  readonly dangerous?: boolean;
}

/** A settings file of the user's, below their home, or with a whole path one that holds for the machine (W6). */
export interface UserSource {
  readonly path: string;
  /** Where this variable names a folder, it is this file of that. */
  readonly variable?: { readonly name: string; readonly path: string };
}

export interface KnownAgent {
  readonly name: string;
  readonly label: string;
  /** A small drawing of ours, to know it by in lists: strokes in a square of 16. */
  readonly mark?: string;
  readonly protocol: Protocol;
  /** Looked up on the PATH of the environment the agent will get. */
  readonly command: string;
  /** Leading arguments; what the protocol needs is added by its driver. */
  readonly args: readonly string[];
  /** Harmless, fast, starts no session. */
  readonly versionArgs: readonly string[];
  readonly versions: {
    /** Below this one it is refused, with `install` as the way out (A13). */
    readonly oldestWorking: string;
    /** Below this one it is used with a warning. */
    readonly oldestTested: string;
    /** The one the recordings were made with. */
    readonly recorded: string;
  };
  readonly install: string;
  readonly signIn: string;
  /** How to tell without reading a secret; where nothing of it says yes and no `ask` says no, nobody knows. */
  readonly signedIn?: {
    /** A command line that ends with 0 when signed in. */
    readonly statusCommand?: readonly string[];
    /** Files below the home directory whose being there says yes, and variables whose being set does. */
    readonly files?: readonly string[];
    readonly variables?: readonly string[];
  };
  readonly projectSources?: readonly ProjectSource[];
  readonly userSources?: readonly UserSource[];
  /**
   * It starts without a yes to the project (X6): `driver`, because its driver leaves the project's configuration out; `reads-none`,
   * because it has none. Every other agent waits for the yes.
   */
  readonly untrustedStart?: 'driver' | 'reads-none';
  /** Modes by our own words; empty where the agent describes its own. */
  readonly modes: readonly PermissionMode[];
  readonly defaultMode?: string;
  /** Set for the agent unless the user has set it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** From spawn to the end of its handshake, where the usual time is not enough on a busy machine. */
  readonly startTimeoutMs?: number;
  /** How it names itself in its handshake: what is known of it holds under any command line. */
  readonly handshakeNames?: readonly string[];
  /** Calls that it offers but that lose data: never made. */
  readonly unsafeCalls?: readonly string[];
  /** Another agent whose sessions it keeps too, in the same files: either goes on with what the other began. */
  readonly sharesSessionsWith?: string;
  /**
   * The agent that had this name before. What was written for that one still means it: settings with a command or arguments,
   * and every use of the name on a machine that has only the other's program.
   */
  readonly replaces?: string;
  /** It cannot create a file unless a missing one reads as an empty one. */
  readonly readsMissingAsEmpty?: boolean;
  /** It drops images from a prompt that also has resources. */
  readonly dropsImagesWithResources?: boolean;
  /** Modes of its own that let everything through (A14). */
  readonly dangerousModes?: readonly string[];
  /** Each of its messages is followed by a report of usage: one that is not was cut off. */
  readonly usageEndsMessages?: boolean;
  /** After a cancel a command it had started runs on. */
  readonly commandsOutliveCancel?: boolean;
  /** Its own interface in a terminal, going on with one of its sessions (A41); `{session}` is the agent's own id. */
  readonly terminal?: {
    readonly command: string;
    readonly args: readonly string[];
    /** Added where nobody trusts the project, so that its configuration is left out (X6). */
    readonly untrustedArgs?: readonly string[];
    readonly untrustedEnvironment?: Readonly<Record<string, string>>;
  };
  /** Ships with the product: started from its bundle, there is nothing to install. */
  readonly bundled?: boolean;
  /** Prompts that an empty conversation offers, where the usual ones make no sense. */
  readonly examples?: readonly { readonly title: string; readonly prompt: string }[];
  /** A sentence that an empty conversation shows below them. */
  readonly note?: string;
}

const CLAUDE_USER_SOURCES: readonly UserSource[] = [
  { path: '/etc/claude-code/managed-settings.json' },
  { path: '/Library/Application Support/ClaudeCode/managed-settings.json' },
  { path: '.claude/settings.json', variable: { name: 'CLAUDE_CONFIG_DIR', path: 'settings.json' } },
  { path: '.claude.json', variable: { name: 'CLAUDE_CONFIG_DIR', path: '.claude.json' } },
];

const CODEX_USER_SOURCES: readonly UserSource[] = [
  { path: '.codex/config.toml', variable: { name: 'CODEX_HOME', path: 'config.toml' } },
];

export const KNOWN_AGENTS: readonly KnownAgent[] = [
  {
    name: 'claude',
    label: 'Claude Code',
    mark: 'M12 4.5a5 5 0 1 0 0 7M12 8h.01',
    protocol: 'stream-json',
    command: 'claude',
    args: [],
    versionArgs: ['--version'],
    versions: { oldestWorking: '2.1.0', oldestTested: '2.1.325', recorded: '2.1.325' },
    install: 'npm install -g @anthropic-ai/claude-code',
    signIn: 'claude auth login',
    signedIn: { statusCommand: ['claude', 'auth', 'status'] },
    projectSources: CLAUDE_SOURCES,
    userSources: CLAUDE_USER_SOURCES,
    untrustedStart: 'driver',
    terminal: {
      command: 'claude',
      args: ['--resume', '{session}'],
      untrustedArgs: ['--setting-sources', 'user'],
      untrustedEnvironment: { CLAUDE_CODE_DISABLE_CRON: '1' },
    },
    modes: [
      {
        id: 'default',
        label: 'Ask',
        description: 'Reads freely inside the project and asks before it changes anything or runs a command.',
      },
      {
        id: 'acceptEdits',
        label: 'Accept edits',
        description:
          'Changes files in the project and runs simple file commands without asking; asks for the rest.',
      },
      {
        id: 'plan',
        label: 'Plan',
        description: 'Explores and writes a plan, and changes nothing until you approve it.',
      },
      {
        id: 'dontAsk',
        label: "Don't ask",
        description: 'Never asks: whatever your rules do not already allow is refused.',
      },
      {
        id: 'auto',
        label: 'Auto',
        description: 'A classifier of the provider decides which actions are safe to take without asking.',
      },
      {
        id: 'bypassPermissions',
        label: 'Bypass',
        description: 'Does everything without asking: only for a machine that may be lost.',
        dangerous: true,
      },
    ],
    defaultMode: 'default',
  },
  {
    name: 'claude-acp',
    label: 'Claude (ACP)',
    mark: 'M12 4.5a5 5 0 1 0 0 7M11.5 6.5h.01M11.5 9.5h.01',
    protocol: 'acp',
    command: 'claude-agent-acp',
    args: [],
    versionArgs: ['--version'],
    versions: { oldestWorking: '0.0.0', oldestTested: '0.99.0', recorded: '0.99.0' },
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    signIn: 'claude auth login',
    signedIn: { statusCommand: ['claude', 'auth', 'status'] },
    projectSources: CLAUDE_SOURCES,
    userSources: CLAUDE_USER_SOURCES,
    modes: [],
    defaultMode: 'default',
    // Without it there are no todo tools, and so no plan to show.
    environment: { CLAUDE_CODE_ENABLE_TODO_TOOLS: '1' },
    handshakeNames: ['@agentclientprotocol/claude-agent-acp'],
    sharesSessionsWith: 'claude',
    usageEndsMessages: true,
    dangerousModes: ['bypassPermissions'],
    startTimeoutMs: 30_000,
    terminal: { command: 'claude', args: ['--resume', '{session}'] },
  },
  {
    name: 'codex',
    label: 'Codex',
    mark: 'M6 4 2.5 8 6 12M10 4l3.5 4-3.5 4',
    protocol: 'app-server',
    command: 'codex',
    args: ['app-server'],
    versionArgs: ['--version'],
    versions: { oldestWorking: '0.0.0', oldestTested: '0.166.0', recorded: '0.166.0' },
    install: 'npm install -g @openai/codex',
    signIn: 'codex login',
    signedIn: { statusCommand: ['codex', 'login', 'status'], variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'] },
    userSources: CODEX_USER_SOURCES,
    projectSources: CODEX_SOURCES,
    modes: [],
    // Its own default lets it write without asking: here the user is asked.
    defaultMode: 'read-only',
    dangerousModes: ['agent-full-access'],
    replaces: 'codex-acp',
    startTimeoutMs: 30_000,
    terminal: { command: 'codex', args: ['resume', '{session}'] },
  },
  {
    name: 'codex-acp',
    label: 'Codex (ACP)',
    mark: 'M6 4 2.5 8 6 12M10 4l3.5 4-3.5 4M7 8h2',
    protocol: 'acp',
    command: 'codex-acp',
    args: [],
    versionArgs: ['--version'],
    versions: { oldestWorking: '0.0.0', oldestTested: '2.6.0', recorded: '2.6.0' },
    install: 'npm install -g @agentclientprotocol/codex-acp',
    signIn: 'codex login',
    signedIn: { statusCommand: ['codex', 'login', 'status'], variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'] },
    userSources: CODEX_USER_SOURCES,
    projectSources: CODEX_SOURCES,
    modes: [],
    // Its own default lets an automatic reviewer decide: here the user is asked.
    defaultMode: 'read-only',
    environment: { INITIAL_AGENT_MODE: 'read-only' },
    handshakeNames: ['@agentclientprotocol/codex-acp'],
    sharesSessionsWith: 'codex',
    dangerousModes: ['agent-full-access', 'full-access'],
    commandsOutliveCancel: true,
    terminal: { command: 'codex', args: ['resume', '{session}'] },
  },
  {
    name: 'gemini',
    label: 'Gemini',
    mark: 'M9.5 8a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0M13.5 8a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0',
    protocol: 'acp',
    command: 'gemini',
    args: ['--acp'],
    versionArgs: ['--version'],
    versions: { oldestWorking: '0.0.0', oldestTested: '0.61.0', recorded: '0.61.0' },
    install: 'npm install -g @google/gemini-cli',
    signIn: 'gemini',
    signedIn: { files: ['.gemini/oauth_creds.json'], variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] },
    userSources: [{ path: '.gemini/settings.json' }],
    projectSources: GEMINI_SOURCES,
    modes: [],
    defaultMode: 'default',
    // Else a parent process stays between us and the agent and does not heed the end.
    environment: { GEMINI_CLI_NO_RELAUNCH: 'true' },
    handshakeNames: ['gemini-cli'],
    dangerousModes: ['yolo'],
    startTimeoutMs: 45_000,
    // It resets the stored session before it reads it, fails, and deletes it at the next start.
    unsafeCalls: ['session/load'],
    readsMissingAsEmpty: true,
    dropsImagesWithResources: true,
  },
  {
    name: 'opencode',
    label: 'OpenCode',
    mark: 'M6.5 3C4 3 6 7.5 3 8c3 .5.5 5 3.5 5M9.5 3C12 3 10 7.5 13 8c-3 .5-.5 5-3.5 5',
    protocol: 'acp',
    command: 'opencode',
    args: ['acp'],
    versionArgs: ['--version'],
    versions: { oldestWorking: '0.0.0', oldestTested: '1.18.33', recorded: '1.18.33' },
    install: 'npm install -g opencode-ai',
    signIn: 'opencode auth login',
    signedIn: { files: ['.local/share/opencode/auth.json'] },
    userSources: [{ path: '.config/opencode/opencode.json' }],
    projectSources: OPENCODE_SOURCES,
    modes: [],
    handshakeNames: ['OpenCode'],
    // It starts in four seconds alone, and its first start also makes its database.
    startTimeoutMs: 60_000,
    terminal: { command: 'opencode', args: ['--session', '{session}'] },
  },
  {
    name: 'demo',
    label: 'Demo',
    mark: 'M5 3.5v9L12.5 8z',
    protocol: 'acp',
    command: 'tugdeck-demo-agent',
    args: [],
    versionArgs: ['--version'],
    versions: { oldestWorking: '0.0.0', oldestTested: '0.1.0', recorded: '0.1.0' },
    install: 'It ships with tugdeck.',
    signIn: 'Nothing to sign in to.',
    modes: [],
    handshakeNames: ['tugdeck-demo-agent'],
    untrustedStart: 'reads-none',
    dangerousModes: ['trust'],
    bundled: true,
    examples: [
      { title: 'Take the tour', prompt: 'tour' },
      { title: 'Run a command', prompt: 'run ls -la' },
      { title: 'Be asked something', prompt: 'ask' },
    ],
    note: 'This is the built-in demo agent: it needs no network and no key. Install a real agent, for example by npm install -g @anthropic-ai/claude-code, and it is offered here.',
  },
];

export function findAgent(name: string): KnownAgent | undefined {
  return KNOWN_AGENTS.find((agent) => agent.name === name);
}

/** What is known of an agent by the name it gave in its handshake. */
export function findByHandshakeName(name: string | undefined): KnownAgent | undefined {
  return KNOWN_AGENTS.find((agent) => name !== undefined && agent.handshakeNames?.includes(name));
}

/** Every place that an agent may read configuration from, once (X6). */
export const PROJECT_SOURCES: readonly ProjectSource[] = [
  ...new Map(
    [...KNOWN_AGENTS.flatMap(({ projectSources = [] }) => projectSources), ...OTHER_SOURCES].map(
      (source) => [source.path, source] as const,
    ),
  ).values(),
];
