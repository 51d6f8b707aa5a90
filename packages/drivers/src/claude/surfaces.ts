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
  { name: 'help', description: 'List the commands' },
  { name: 'permissions', description: 'Show the active permission rules' },
  { name: 'cost', description: 'Show the cost of this session' },
  { name: 'status', description: 'Show version, account and model' },
  { name: 'hooks', description: 'List the active hooks' },
  { name: 'memory', description: 'List the loaded memory files' },
  { name: 'skills', description: 'List the available skills' },
  { name: 'resume', description: 'Open another session' },
  { name: 'rewind', description: 'Restore files and conversation to before a message' },
  { name: 'export', description: 'Export the conversation to a file' },
  { name: 'fork', description: 'Continue in a copy of this session' },
  { name: 'tasks', description: 'List background tasks' },
  { name: 'trust', description: 'Trust this folder in Claude Code, so that its rules apply' },
  { name: 'btw', description: 'Ask a side question, outside the conversation', argumentHint: '<question>' },
];

/** Terminal commands that the agent does not list. */
const TERMINAL_ADDED: readonly OfferedCommand[] = [
  { name: 'login', description: 'Sign in, in the agent’s own interface' },
  { name: 'logout', description: 'Sign out, in the agent’s own interface' },
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
