/** All commands with their usage, for the parser, `--help`, completion and tests (L3). */

export interface CommandSpec {
  readonly usage: string;
  readonly text: string;
  /** Allowed values of the first argument. */
  readonly verbs?: readonly string[];
  readonly maxArguments: number;
}

export const COMMANDS = {
  start: {
    usage: 'tugdeck [--trust] [DIR|MACHINE:DIR]',
    text: 'Open DIR in Tugdeck, also on another machine (starts the server if needed)',
    maxArguments: 1,
  },
  stop: {
    usage: 'tugdeck stop [--all]',
    text: 'Stop the server. Sessions keep running unless --all is given',
    maxArguments: 0,
  },
  status: {
    usage: 'tugdeck status [--json]',
    text: 'Show server and session status (exit code 1 if no server is running)',
    maxArguments: 0,
  },
  url: {
    usage: 'tugdeck url [--qr] [--device NAME] [--limited]',
    text: 'Print a new one-time sign-in link, for this machine or to pair another device',
    maxArguments: 0,
  },
  password: {
    usage: 'tugdeck password [--remove]',
    text: 'Set the password for remote access, typed or on stdin; signs out every browser',
    maxArguments: 0,
  },
  doctor: {
    usage: 'tugdeck doctor [--json] [--rebuild-index]',
    text: 'Check Node, git, the agents, the port and the data directory (exit code 1 if something is wrong)',
    maxArguments: 0,
  },
  sessions: {
    usage: 'tugdeck sessions list [--all]|show ID|search WORDS|export ID [--json|--html]',
    text:
      'List, show, search or export sessions, including ones started outside Tugdeck. Exports Markdown, JSON or HTML. ' +
      'Exit code 1: session not found, or no results',
    verbs: ['list', 'show', 'search', 'export'],
    maxArguments: Number.POSITIVE_INFINITY,
  },
  checkpoints: {
    usage:
      'tugdeck checkpoints list|show|diff|restore|undo|finish|leave ID [NUMBER] [NUMBER] [--files|--conversation] [--branch] [--yes]',
    text:
      'List the messages of a session, each with a checkpoint before it. show previews a restore, diff compares two checkpoints or one with the current files, restore restores files and conversation, undo reverts that, and finish or leave settles an interrupted restore. ' +
      'Exit codes: 3 refused, 4 some files were left unchanged',
    verbs: ['list', 'show', 'diff', 'restore', 'undo', 'finish', 'leave'],
    maxArguments: 4,
  },
  workspaces: {
    usage:
      'tugdeck workspaces list|new|show|path|land|handoff|archive|restore|forget|disk [NAME] [--dir DIR] [--from NUMBER] [--base REF] [--branch-name NAME] [--no-setup] [--method squash|merge|rebase|changes] [--message TEXT] [--onto BRANCH] [--leave] [--anyway] [--to checkout|NAME|new] [--take] [--all] [--dry-run] [--yes] [--json]',
    text:
      'List, create, land, archive or restore workspaces: separate checkouts of a repository. new prints the path; land brings the work to the base branch; handoff moves a session (its id instead of a name); archives are kept for 30 days; forget deletes an archive. ' +
      'Needs a running server. Exit codes: 3 refused or conflicts, 4 check failed',
    verbs: ['list', 'new', 'show', 'path', 'land', 'handoff', 'archive', 'restore', 'forget', 'disk'],
    maxArguments: Number.POSITIVE_INFINITY,
  },
  attempts: {
    usage:
      'tugdeck attempts [TEXT] [--agents NAME[:MODEL],NAME…] [--base REF] [--dir DIR] [--compare ID] [--choose NAME --yes] [--json]',
    text:
      'Start 2 to 6 agents on one message, each in a new workspace, all from one commit. Without TEXT, list them; --compare shows their files and checks; --choose archives the other attempts. ' +
      'Needs a running server. Exit code 3: refused',
    maxArguments: Number.POSITIVE_INFINITY,
  },
  send: {
    usage:
      'tugdeck send [--session ID|--new] [--workspace NAME|new|none] [--dir DIR] [--agent NAME] [--trust] [--wait] [--json] TEXT',
    text:
      'Send a message to the latest session in this folder, or to a new one with --new. --wait prints the answer. ' +
      'Exit codes: 3 refused, 4 turn failed, 5 needs your answer',
    maxArguments: Number.POSITIVE_INFINITY,
  },
  talk: {
    usage: 'tugdeck talk [--dir DIR] [--agent NAME] [--session ID] [--trust] [--raw] [--keep]',
    text: 'Run a session over stdin and stdout as JSON lines, for other programs (docs/protocol.md)',
    maxArguments: 0,
  },
  machine: {
    usage:
      "tugdeck machine list|add|remove|doctor|audit|join [NAME|CODE] [--command 'PROGRAM ARGUMENTS'] [--install] [--yes] [--json]",
    text:
      'Use projects on other machines in this Tugdeck, over ssh or any command whose stdin and stdout reach tugdeck bridge there. ' +
      'doctor checks the connection (exit code 1 if it fails), audit lists when machines were added, reached, lost and removed. ' +
      'join makes this machine a member of a fleet, with a code from tugdeck fleet invite there (- reads it from stdin)',
    verbs: ['list', 'add', 'remove', 'doctor', 'audit', 'join'],
    maxArguments: 2,
  },
  fleet: {
    usage:
      'tugdeck fleet status|init|invite|revoke|leave [NAME] [--server tls://HOST:PORT] [--folder FOLDER] [--replicas N] [--yes] [--json]',
    text:
      'Use machines that only connect outwards, through your own NATS server, which also keeps encrypted copies of their sessions (docs/fleet.md). ' +
      'init writes the configuration of the server, invite prints a code for a machine that works once and for ten minutes, revoke removes a machine',
    verbs: ['status', 'init', 'invite', 'revoke', 'leave'],
    maxArguments: 2,
  },
  serve: {
    usage: 'tugdeck serve',
    text: 'Run the server without opening a folder or a browser, for a service',
    maxArguments: 0,
  },
  service: {
    usage: 'tugdeck service install|remove|status',
    text: 'Keep the server running, also after a restart of this machine (systemd user unit, or launchd agent on macOS)',
    verbs: ['install', 'remove', 'status'],
    maxArguments: 1,
  },
  bridge: {
    usage: 'tugdeck bridge',
    text: 'Connect stdin and stdout to the server on this machine, for tugdeck on another one (starts the server if needed)',
    maxArguments: 0,
  },
  update: {
    usage: 'tugdeck update [--check] [--json]',
    text: 'Show what is older than this program, and how to update. Changes nothing, and uses no network without --check',
    maxArguments: 0,
  },
  logs: {
    usage: 'tugdeck logs [--output FILE]',
    text: 'Collect logs for a bug report, with secrets removed',
    maxArguments: 0,
  },
  replay: {
    usage: 'tugdeck replay --agent NAME --json FILE [--session ID]',
    text: 'Print the conversation of a recorded transcript as JSON, without starting the agent',
    maxArguments: 1,
  },
  completion: {
    usage: 'tugdeck completion bash|zsh|fish',
    text: 'Print a shell completion script (its first lines explain how to install it)',
    verbs: ['bash', 'zsh', 'fish'],
    maxArguments: 1,
  },
} as const satisfies Record<string, CommandSpec>;
export type CommandName = keyof typeof COMMANDS;
