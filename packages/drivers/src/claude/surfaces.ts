/**
 * Slash commands that open a Tugdeck view when typed without arguments (A15), because the agent needs a terminal for
 * them or our view shows more. With arguments they go to the agent, except side questions (`ask:`).
 */
import type { SessionInfo } from '@tugdeck/protocol/conversation/session-info';

export type OfferedCommand = NonNullable<SessionInfo['commands']>[number];

const SURFACES: Readonly<Record<string, string>> = {
  model: 'model',
  'permission-mode': 'mode',
  permissions: 'control:rules',
  context: 'control:context',
  cost: 'control:cost',
  usage: 'control:usage',
  status: 'control:status',
  hooks: 'control:hooks',
  memory: 'control:memory',
  skills: 'control:skills',
  mcp: 'info',
  plan: 'control:plan',
  diff: 'control:diff',
  trust: 'control:trust',
  config: 'settings',
  effort: 'options',
  'output-style': 'options',
  help: 'help',
  resume: 'sessions',
  rename: 'rename',
  export: 'export',
  fork: 'fork',
  rewind: 'rewind',
  tasks: 'tasks',
  btw: 'ask:btw',
};

/** Commands that only the agent's terminal lists. */
const ADDED: readonly OfferedCommand[] = [
  { name: 'help', description: 'What can be done here' },
  { name: 'permissions', description: 'Permission rules in force' },
  { name: 'cost', description: 'What this session cost' },
  { name: 'status', description: 'Version, account and model' },
  { name: 'hooks', description: 'Hooks in force' },
  { name: 'memory', description: 'Files of instructions in force' },
  { name: 'skills', description: 'Skills at hand' },
  { name: 'resume', description: 'Go to another session' },
  { name: 'rewind', description: 'Take files back to before a message' },
  { name: 'export', description: 'The conversation as a file' },
  { name: 'fork', description: 'Go on in a copy of this session' },
  { name: 'tasks', description: 'Tasks of the agent, and what runs in the background' },
  { name: 'trust', description: 'Accept this folder in Claude Code, so that its rules count' },
  { name: 'btw', description: 'Ask beside the conversation', argumentHint: '<question>' },
];

/** Terminal commands that the agent does not list. */
const TERMINAL_ADDED: readonly OfferedCommand[] = [
  { name: 'login', description: 'Sign in, in the agent’s own terminal' },
  { name: 'logout', description: 'Sign out, in the agent’s own terminal' },
];

/** Commands that need the agent's own terminal. */
const TERMINAL = [
  ...TERMINAL_ADDED.map(({ name }) => name),
  'doctor',
  'color',
  'focus',
  'theme',
  'vim',
  'terminal-setup',
  'install-github-app',
  'ide',
  'plugin',
  'statusline',
  'keybindings',
  'tui',
];

export function withSurfaces(commands: readonly OfferedCommand[]): OfferedCommand[] {
  const names = new Set(commands.map(({ name }) => name));
  const all = [...commands, ...[...ADDED, ...TERMINAL_ADDED].filter(({ name }) => !names.has(name))];
  return all.map((command) => {
    const surface = SURFACES[command.name] ?? (TERMINAL.includes(command.name) ? 'terminal' : undefined);
    return surface === undefined ? command : { ...command, surface };
  });
}
