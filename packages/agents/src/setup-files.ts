/** Setup files that projects have for other tools with worktrees (B18), and where their commands are in them. */

export interface SetupFile {
  readonly tool: string;
  /** Of a file, or of a folder whose files with this ending count. */
  readonly path: string;
  readonly ending?: string;
  readonly syntax: 'json' | 'toml';
  /** Keys from the top to a command, to a list of commands, or to the name of a script; the first that is there counts. */
  readonly setup: readonly (readonly string[])[];
  readonly teardown?: readonly string[];
  readonly run?: readonly string[];
  /** A list of `name` and `command`. */
  readonly actions?: readonly string[];
  /** Patterns of ignored files to copy. */
  readonly copy?: readonly string[];
  /** A key and its value, if run commands of several workspaces exclude each other. */
  readonly oneAtATime?: readonly [key: string, value: string];
  /** A setup that is a text names a script in this folder. */
  readonly scripts?: string;
  /** The variables of the tool, with our placeholders. */
  readonly environment: Readonly<Record<string, string>>;
}

export const SETUP_FILES: readonly SetupFile[] = [
  {
    tool: 'Conductor',
    path: 'conductor.json',
    syntax: 'json',
    setup: [['scripts', 'setup']],
    teardown: ['scripts', 'archive'],
    run: ['scripts', 'run'],
    oneAtATime: ['runScriptMode', 'nonconcurrent'],
    environment: {
      CONDUCTOR_WORKSPACE_NAME: '{name}',
      CONDUCTOR_WORKSPACE_PATH: '{path}',
      CONDUCTOR_ROOT_PATH: '{root}',
      CONDUCTOR_PORT: '{port}',
    },
  },
  {
    tool: 'Cursor',
    path: '.cursor/worktrees.json',
    syntax: 'json',
    setup: [['setup-worktree-unix'], ['setup-worktree']],
    scripts: '.cursor',
    environment: { ROOT_WORKTREE_PATH: '{root}' },
  },
  {
    tool: 'Codex app',
    path: '.codex/environments',
    ending: '.toml',
    syntax: 'toml',
    setup: [['setup', 'script']],
    teardown: ['cleanup', 'script'],
    actions: ['actions'],
    environment: { CODEX_WORKTREE_PATH: '{path}', CODEX_SOURCE_TREE_PATH: '{root}' },
  },
  {
    tool: 'emdash',
    path: '.emdash.json',
    syntax: 'json',
    setup: [['scripts', 'setup']],
    teardown: ['scripts', 'teardown'],
    run: ['scripts', 'run'],
    copy: ['preservePatterns'],
    environment: {
      EMDASH_TASK_NAME: '{name}',
      EMDASH_TASK_PATH: '{path}',
      EMDASH_ROOT_PATH: '{root}',
      EMDASH_PORT: '{port}',
    },
  },
];
