/**
 * Where agents look for configuration in a project and the folders above it (X6). Data only, from their documentation
 * and from observing the files they open. Determines what the trust question lists and which changes ask again, never
 * whether an agent may start.
 */

export interface ProjectSource {
  /** Relative to the project or to a folder above it. */
  readonly path: string;
  /**
   * `settings`: JSON with comments. `toml`: TOML. `variables`: NAME=value lines. `package`: a package.json whose
   * dependencies and scripts the agent installs and runs. `folder`: everything in it. `file`: one opaque file.
   */
  readonly form: 'settings' | 'toml' | 'variables' | 'package' | 'folder' | 'file';
  /** Content of a file or folder; settings files say so themselves. Plugins and hooks are programs. */
  readonly holds?: 'command' | 'subagent' | 'skill' | 'plugin' | 'hook' | 'rule' | 'instructions' | 'setting';
  /** Dependencies that the agent adds itself at startup; not a change by the project. */
  readonly own?: readonly string[];
}

const folder = (path: string, holds: NonNullable<ProjectSource['holds']>): ProjectSource => ({
  path,
  form: 'folder',
  holds,
});
const instructions = (path: string): ProjectSource => ({ path, form: 'file', holds: 'instructions' });
const settings = (path: string): ProjectSource => ({ path, form: 'settings' });

const AGENTS_MD = instructions('AGENTS.md');
const SHARED_SKILLS = folder('.agents/skills', 'skill');
const PLUGIN_MANIFESTS = ['.claude-plugin', '.codex-plugin', '.cursor-plugin'].map((path) =>
  folder(path, 'plugin'),
);

export const CLAUDE_SOURCES: readonly ProjectSource[] = [
  settings('.claude/settings.json'),
  settings('.claude/settings.local.json'),
  settings('.mcp.json'),
  folder('.claude/hooks', 'hook'),
  folder('.claude/plugins', 'plugin'),
  folder('.claude/workflows', 'plugin'),
  folder('.claude/routines', 'command'),
  // Servers that it starts to show a preview.
  settings('.claude/launch.json'),
  folder('.claude/commands', 'command'),
  folder('.claude/agents', 'subagent'),
  folder('.claude/skills', 'skill'),
  folder('.claude/output-styles', 'instructions'),
  folder('.claude/rules', 'instructions'),
  instructions('CLAUDE.md'),
  instructions('CLAUDE.local.md'),
  instructions('.claude/CLAUDE.md'),
  instructions('.claude/AGENTS.md'),
  instructions('.claude/loop.md'),
  // Scheduled prompts; the agent writes to it when one was due.
  instructions('.claude/scheduled_tasks.json'),
  AGENTS_MD,
  ...PLUGIN_MANIFESTS,
];

export const CODEX_SOURCES: readonly ProjectSource[] = [
  { path: '.codex/config.toml', form: 'toml' },
  settings('.codex/hooks.json'),
  folder('.codex/hooks', 'hook'),
  folder('.codex/rules', 'rule'),
  folder('.codex/agents', 'subagent'),
  folder('.codex/skills', 'skill'),
  folder('.codex/prompts', 'command'),
  folder('.agents/plugins', 'plugin'),
  SHARED_SKILLS,
  AGENTS_MD,
  instructions('AGENTS.override.md'),
  ...PLUGIN_MANIFESTS,
];

export const GEMINI_SOURCES: readonly ProjectSource[] = [
  settings('.gemini/settings.json'),
  { path: '.gemini/.env', form: 'variables' },
  { path: '.env', form: 'variables' },
  folder('.gemini/hooks', 'hook'),
  folder('.gemini/extensions', 'plugin'),
  folder('.gemini/policies', 'rule'),
  folder('.gemini/commands', 'command'),
  folder('.gemini/agents', 'subagent'),
  folder('.gemini/skills', 'skill'),
  { path: '.gemini/sandbox.Dockerfile', form: 'file', holds: 'plugin' },
  { path: '.gemini/sandbox.bashrc', form: 'file', holds: 'plugin' },
  instructions('.gemini/system.md'),
  folder('.agents/agents', 'subagent'),
  SHARED_SKILLS,
  instructions('GEMINI.md'),
  AGENTS_MD,
];

export const OPENCODE_SOURCES: readonly ProjectSource[] = [
  settings('opencode.json'),
  settings('opencode.jsonc'),
  settings('.opencode/opencode.json'),
  settings('.opencode/opencode.jsonc'),
  { path: '.opencode/package.json', form: 'package', own: ['@opencode-ai/plugin'] },
  { path: '.opencode/.npmrc', form: 'variables' },
  ...['tool', 'tools', 'plugin', 'plugins'].map((name) => folder(`.opencode/${name}`, 'plugin')),
  ...['command', 'commands'].map((name) => folder(`.opencode/${name}`, 'command')),
  ...['agent', 'agents', 'mode', 'modes'].map((name) => folder(`.opencode/${name}`, 'subagent')),
  ...['skill', 'skills'].map((name) => folder(`.opencode/${name}`, 'skill')),
  folder('.claude/skills', 'skill'),
  SHARED_SKILLS,
  AGENTS_MD,
  instructions('CLAUDE.md'),
  instructions('CONTEXT.md'),
];

/** For agents that users add themselves, which may read any of these. */
export const OTHER_SOURCES: readonly ProjectSource[] = [
  settings('.cursor/mcp.json'),
  settings('.cursor/hooks.json'),
  settings('.cursor/cli.json'),
  folder('.cursor/rules', 'instructions'),
  folder('.cursor/commands', 'command'),
  folder('.cursor/agents', 'subagent'),
  settings('.vscode/mcp.json'),
  settings('.qwen/settings.json'),
  { path: '.qwen/.env', form: 'variables' },
  folder('.qwen/extensions', 'plugin'),
  folder('.qwen/commands', 'command'),
  folder('.qwen/agents', 'subagent'),
  instructions('QWEN.md'),
  folder('.github/hooks', 'hook'),
  folder('.github/agents', 'subagent'),
  folder('.github/skills', 'skill'),
  instructions('.github/copilot-instructions.md'),
  settings('crush.json'),
  settings('.crush.json'),
  instructions('.goosehints'),
];
