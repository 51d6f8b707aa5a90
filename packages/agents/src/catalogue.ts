/**
 * The catalogue of known agents: data only. A new agent that speaks a protocol we have a driver for is one
 * more row here. Detection, launching and drawing read it; nothing else names an agent.
 */

export const PROTOCOLS = ['stream-json', 'acp'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export interface PermissionMode {
  readonly id: string;
  readonly label: string;
  /** One sentence on what it lets through (A14). */
  readonly description: string;
  /** Lets everything through: asked once more, and stays visibly marked. */
  readonly dangerous?: boolean;
}

export interface KnownAgent {
  readonly name: string;
  readonly label: string;
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
  /** Modes by our own words; empty where the agent describes its own. */
  readonly modes: readonly PermissionMode[];
  readonly defaultMode?: string;
}

export const KNOWN_AGENTS: readonly KnownAgent[] = [
  {
    name: 'claude',
    label: 'Claude Code',
    protocol: 'stream-json',
    command: 'claude',
    args: [],
    versionArgs: ['--version'],
    versions: { oldestWorking: '2.1.0', oldestTested: '2.1.325', recorded: '2.1.325' },
    install: 'npm install -g @anthropic-ai/claude-code',
    signIn: 'claude auth login',
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
];

export function findAgent(name: string): KnownAgent | undefined {
  return KNOWN_AGENTS.find((agent) => agent.name === name);
}
