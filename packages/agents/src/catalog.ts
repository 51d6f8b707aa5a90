/**
 * The catalog of known agents: data only. An agent that uses a supported protocol is one more row here. Detection,
 * launching and the UI read it; no other code names an agent.
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
  /** One sentence on what it allows (A14). */
  readonly description: string;
  /** Allows everything: needs confirmation, and stays visibly marked. */
  readonly dangerous?: boolean;
}

/** A settings file of the user, relative to the home directory, or absolute for the whole machine (W6). */
export interface UserSource {
  readonly path: string;
  /** If this variable names a folder, the file is there instead. */
  readonly variable?: { readonly name: string; readonly path: string };
}

export interface KnownAgent {
  readonly name: string;
  readonly label: string;
  /** Icon for lists: SVG path in a 16 by 16 square. */
  readonly mark?: string;
  readonly protocol: Protocol;
  /** Looked up on the PATH that the agent will get. */
  readonly command: string;
  /** Leading arguments; the driver adds what its protocol needs. */
  readonly args: readonly string[];
  /** Fast, harmless, starts no session. */
  readonly versionArgs: readonly string[];
  readonly versions: {
    /** Older versions are refused, with `install` as the fix (A13). */
    readonly oldestWorking: string;
    /** Older versions are used with a warning. */
    readonly oldestTested: string;
    /** The version that the recordings were made with. */
    readonly recorded: string;
  };
  readonly install: string;
  readonly signIn: string;
  /** The agent's own command to sign out, if it has one. */
  readonly signOut?: string;
  /** How to detect a sign-in without reading a secret; unknown if nothing here gives an answer. */
  readonly signedIn?: {
    /** Exits with 0 if signed in. */
    readonly statusCommand?: readonly string[];
    /** Files below the home directory that exist, or variables that are set, only when signed in. */
    readonly files?: readonly string[];
    readonly variables?: readonly string[];
    /** A file below the home directory with a setting of another provider, which has its own keys. */
    readonly providers?: { readonly file: string; readonly pattern: RegExp };
  };
  readonly projectSources?: readonly ProjectSource[];
  readonly userSources?: readonly UserSource[];
  /**
   * The agent may start without trust (X6): `driver` if its driver excludes project configuration, `reads-none` if it
   * reads none. Every other agent waits for trust.
   */
  readonly untrustedStart?: 'driver' | 'reads-none';
  /** Modes with our own labels; empty if the agent describes its own. */
  readonly modes: readonly PermissionMode[];
  readonly defaultMode?: string;
  /** Set for the agent unless the user has set it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Timeout from spawn to the end of the handshake, if the default is too short on a busy machine. */
  readonly startTimeoutMs?: number;
  /** Names it uses in its handshake, to recognize it under any command line. */
  readonly handshakeNames?: readonly string[];
  /** Calls that it offers but that lose data; never made. */
  readonly unsafeCalls?: readonly string[];
  /** Another agent that uses the same session files: either can resume the other's sessions. */
  readonly sharesSessionsWith?: string;
  /**
   * The agent that had this name before. Settings with a command or arguments written for that agent still mean it,
   * and so does the name on a machine that only has its program.
   */
  readonly replaces?: string;
  /** It can only create a file if a missing one reads as empty. */
  readonly readsMissingAsEmpty?: boolean;
  /** It drops images from a prompt that also has resources. */
  readonly dropsImagesWithResources?: boolean;
  /** Its own modes that allow everything (A14). */
  readonly dangerousModes?: readonly string[];
  /** A usage report follows each of its messages; a message without one was cut off. */
  readonly usageEndsMessages?: boolean;
  /** Commands that it started keep running after a cancel. */
  readonly commandsOutliveCancel?: boolean;
  /** Its own terminal interface, resuming one of its sessions (A41); `{session}` is the agent's session id. */
  readonly terminal?: {
    readonly command: string;
    readonly args: readonly string[];
    /** Added in untrusted projects, to exclude their configuration (X6). */
    readonly untrustedArgs?: readonly string[];
    readonly untrustedEnvironment?: Readonly<Record<string, string>>;
  };
  /** Ships with Tugdeck; nothing to install. */
  readonly bundled?: boolean;
  /** Example prompts for an empty conversation, if the default ones make no sense. */
  readonly examples?: readonly { readonly title: string; readonly prompt: string }[];
  /** Shown below the examples. */
  readonly note?: string;
}

/**
 * Names Tugdeck in Claude Code's session files, by its own protocol and by ACP. Keeps sessions in the list of `claude --resume`, which
 * omits those of `sdk-cli`.
 */
export const CLAUDE_ENTRYPOINT = 'tugdeck';

const CLAUDE_USER_SOURCES: readonly UserSource[] = [
  { path: '/etc/claude-code/managed-settings.json' },
  { path: '/Library/Application Support/ClaudeCode/managed-settings.json' },
  { path: '.claude/settings.json', variable: { name: 'CLAUDE_CONFIG_DIR', path: 'settings.json' } },
  { path: '.claude.json', variable: { name: 'CLAUDE_CONFIG_DIR', path: '.claude.json' } },
];

const CODEX_USER_SOURCES: readonly UserSource[] = [
  { path: '.codex/config.toml', variable: { name: 'CODEX_HOME', path: 'config.toml' } },
];

const CLAUDE_ACCOUNT: KnownAgent['signedIn'] = {
  statusCommand: ['claude', 'auth', 'status'],
  variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
};

const CODEX_ACCOUNT: KnownAgent['signedIn'] = {
  statusCommand: ['codex', 'login', 'status'],
  variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  providers: { file: '.codex/config.toml', pattern: /^[ \t]*model_provider[ \t]*=/m },
};

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
    signOut: 'claude auth logout',
    signedIn: CLAUDE_ACCOUNT,
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
        description: 'Reads files in the project, and asks before it changes anything or runs a command.',
      },
      {
        id: 'acceptEdits',
        label: 'Accept edits',
        description:
          'Edits files in the project and runs simple file commands without asking; asks for the rest.',
      },
      {
        id: 'plan',
        label: 'Plan',
        description: 'Explores and writes a plan, and changes nothing until you approve it.',
      },
      {
        id: 'dontAsk',
        label: "Don't ask",
        description: "Never asks; denies everything that your rules don't allow.",
      },
      {
        id: 'auto',
        label: 'Auto',
        description: "The provider's classifier decides which actions are safe to take without asking.",
      },
      {
        id: 'bypassPermissions',
        label: 'Bypass',
        description: 'Runs everything without asking. Only for a machine you can afford to lose.',
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
    signOut: 'claude auth logout',
    signedIn: CLAUDE_ACCOUNT,
    projectSources: CLAUDE_SOURCES,
    userSources: CLAUDE_USER_SOURCES,
    modes: [],
    defaultMode: 'default',
    // The todo tools are needed for the plan. With the entrypoint, its own turns don't count as another program's (A42).
    environment: { CLAUDE_CODE_ENABLE_TODO_TOOLS: '1', CLAUDE_CODE_ENTRYPOINT: CLAUDE_ENTRYPOINT },
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
    signOut: 'codex logout',
    signedIn: CODEX_ACCOUNT,
    userSources: CODEX_USER_SOURCES,
    projectSources: CODEX_SOURCES,
    modes: [],
    // Its own default writes without asking.
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
    signOut: 'codex logout',
    signedIn: CODEX_ACCOUNT,
    userSources: CODEX_USER_SOURCES,
    projectSources: CODEX_SOURCES,
    modes: [],
    // Its own default lets an automatic reviewer decide.
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
    // Otherwise a parent process stays between us and the agent and ignores the shutdown.
    environment: { GEMINI_CLI_NO_RELAUNCH: 'true' },
    handshakeNames: ['gemini-cli'],
    dangerousModes: ['yolo'],
    startTimeoutMs: 45_000,
    // It resets the stored session before reading it, fails, and deletes it at the next start.
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
    signOut: 'opencode auth logout',
    signedIn: { files: ['.local/share/opencode/auth.json'] },
    userSources: [{ path: '.config/opencode/opencode.json' }],
    projectSources: OPENCODE_SOURCES,
    modes: [],
    handshakeNames: ['OpenCode'],
    // It takes four seconds to start alone, and the first start also creates its database.
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
    install: 'Included with Tugdeck',
    signIn: 'No sign-in needed.',
    modes: [],
    handshakeNames: ['tugdeck-demo-agent'],
    untrustedStart: 'reads-none',
    dangerousModes: ['trust'],
    bundled: true,
    examples: [
      { title: 'Take the tour', prompt: 'tour' },
      { title: 'Run a command', prompt: 'run ls -la' },
      { title: 'See a question', prompt: 'ask' },
    ],
    note: 'This is the built-in demo agent, which needs no network and no API key. To use a real agent, install one (for example: npm install -g @anthropic-ai/claude-code) and reload this page.',
  },
];

export function findAgent(name: string): KnownAgent | undefined {
  return KNOWN_AGENTS.find((agent) => agent.name === name);
}

/** Finds the catalog entry by the name from the handshake. */
export function findByHandshakeName(name: string | undefined): KnownAgent | undefined {
  return KNOWN_AGENTS.find((agent) => name !== undefined && agent.handshakeNames?.includes(name));
}

/** Every place that any agent may read project configuration from, without duplicates (X6). */
export const PROJECT_SOURCES: readonly ProjectSource[] = [
  ...new Map(
    [...KNOWN_AGENTS.flatMap(({ projectSources = [] }) => projectSources), ...OTHER_SOURCES].map(
      (source) => [source.path, source] as const,
    ),
  ).values(),
];
