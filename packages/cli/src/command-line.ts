/** The command line (L3): commands and options for the parser, `--help`, completion and tests. */
import { COMMANDS, type CommandName } from './command-table.ts';
import { parseWords, UsageError } from './parse-words.ts';

export { COMMANDS, type CommandName, type CommandSpec } from './command-table.ts';
export { UsageError } from './parse-words.ts';

export interface Option {
  readonly name: string;
  readonly value?: string;
  readonly short?: string;
  /** Environment variable and config.json key with the same meaning; the option overrides them. */
  readonly variable?: string;
  readonly setting?: string;
  readonly fallback?: string;
  readonly text: string;
  /** Replaces `text` in the help of one command. */
  readonly texts?: Partial<Readonly<Record<CommandName, string>>>;
  /** The command that has no default for it. */
  readonly requiredBy?: CommandName;
  /** Commands that accept it; all if absent. */
  readonly only?: readonly CommandName[];
}

export const OPTIONS: readonly Option[] = [
  {
    name: 'host',
    value: 'ADDRESS',
    variable: 'TUGDECK_HOST',
    setting: 'host',
    fallback: '127.0.0.1',
    text: 'Address to listen on; a public one needs a password, and TLS or --plain-http',
    only: ['start'],
  },
  {
    name: 'name',
    value: 'NAME',
    variable: 'TUGDECK_NAME',
    setting: 'name',
    fallback: 'same as --host',
    text: 'Public hostname; requests for any other host are refused',
    only: ['start'],
  },
  {
    name: 'origin',
    value: 'URL',
    variable: 'TUGDECK_ORIGIN',
    setting: 'origin',
    text: 'Origin of a proxy on this machine, such as https://deck.example; needs a password',
    only: ['start'],
  },
  {
    name: 'tls-cert',
    value: 'FILE',
    variable: 'TUGDECK_TLS_CERT',
    setting: 'tlsCert',
    text: 'TLS certificate chain (PEM)',
    only: ['start'],
  },
  {
    name: 'tls-key',
    value: 'FILE',
    variable: 'TUGDECK_TLS_KEY',
    setting: 'tlsKey',
    text: 'TLS private key (PEM)',
    only: ['start'],
  },
  {
    name: 'plain-http',
    variable: 'TUGDECK_PLAIN_HTTP',
    setting: 'plainHttp',
    fallback: 'refused on a public address',
    text: 'Allow plain HTTP (insecure: traffic can be read and modified)',
    only: ['start'],
  },
  {
    name: 'port',
    value: 'NUMBER',
    variable: 'TUGDECK_PORT',
    setting: 'port',
    fallback: 'random, kept until tugdeck stop --all',
    text: 'Port to listen on; 0 for any free port',
    only: ['start'],
  },
  {
    name: 'data-dir',
    value: 'DIR',
    variable: 'TUGDECK_DATA_DIR',
    fallback: '~/.local/share/tugdeck (macOS: ~/Library/Application Support/tugdeck)',
    text: 'Data directory (one server per directory)',
  },
  {
    name: 'machine',
    value: 'new|moved',
    variable: 'TUGDECK_MACHINE',
    fallback: 'asks in a terminal, otherwise refuses',
    text: 'If the data directory is from another machine: new if it was copied or is shared, moved if the other machine no longer uses it',
    only: ['start'],
  },
  {
    name: 'no-open',
    variable: 'TUGDECK_NO_OPEN',
    setting: 'open',
    fallback: 'opens the browser',
    text: 'Don\'t open the browser (in config.json: "open": false)',
    only: ['start'],
  },
  {
    name: 'log-level',
    value: 'LEVEL',
    variable: 'TUGDECK_LOG_LEVEL',
    setting: 'logLevel',
    fallback: 'info',
    text: 'debug, info, warn or error',
    only: ['start', 'send', 'talk'],
  },
  {
    name: 'agent',
    value: 'NAME',
    variable: 'TUGDECK_AGENT',
    setting: 'agent',
    fallback: 'the first installed agent',
    text: 'Agent for a new session; replay: agent that made the recording',
    texts: {
      start: 'Agent for new sessions',
      send: 'Agent for a new session',
      talk: 'Agent for a new session',
      replay: 'Agent that made the recording (required)',
    },
    requiredBy: 'replay',
    only: ['start', 'replay', 'send', 'talk'],
  },
  {
    name: 'all',
    text: 'stop: also end all sessions and their agents; sessions list: include external sessions; workspaces list: of all projects',
    texts: {
      stop: 'Also end all sessions and their agents',
      sessions: 'list: include external sessions',
      workspaces: 'list: of all projects',
    },
    only: ['stop', 'sessions', 'workspaces'],
  },
  { name: 'html', text: 'export: write a self-contained HTML page', only: ['sessions'] },
  { name: 'rebuild-index', text: 'Rebuild the search index', only: ['doctor'] },
  {
    name: 'json',
    text: 'Machine-readable JSON output',
    only: [
      'status',
      'replay',
      'doctor',
      'sessions',
      'checkpoints',
      'workspaces',
      'attempts',
      'machine',
      'fleet',
      'update',
      'send',
    ],
  },
  {
    name: 'session',
    value: 'ID',
    text: "Session id, or the start of one; replay: the agent's own session id",
    texts: {
      send: 'Session id, or the start of one',
      talk: 'Session id, or the start of one',
      replay: "The agent's own session id, if the file has several sessions",
    },
    only: ['replay', 'send', 'talk'],
  },
  {
    name: 'dir',
    value: 'DIR',
    fallback: 'the current directory',
    text: 'Project folder of the session',
    texts: { workspaces: 'Project folder', attempts: 'Project folder' },
    only: ['send', 'talk', 'workspaces', 'attempts'],
  },
  {
    name: 'trust',
    text: 'Trust the repository: agents may use its hooks, MCP servers and other configuration as they are now',
    only: ['start', 'send', 'talk'],
  },
  { name: 'files', text: 'restore: only the files', only: ['checkpoints'] },
  { name: 'conversation', text: 'restore: only the conversation', only: ['checkpoints'] },
  { name: 'branch', text: 'restore: move the branch back too', only: ['checkpoints'] },
  {
    name: 'workspace',
    value: 'NAME|new|none',
    fallback: 'none',
    text: 'Start the new session in this workspace, in a new one, or in the project folder itself',
    only: ['send'],
  },
  {
    name: 'base',
    value: 'REF',
    fallback: "the remote's default branch",
    text: 'new, attempts: branch or commit to start from',
    texts: { workspaces: 'new: branch or commit to start from', attempts: 'Branch or commit to start from' },
    only: ['workspaces', 'attempts'],
  },
  {
    name: 'branch-name',
    value: 'NAME',
    fallback: 'USER/NAME-OF-THE-WORKSPACE',
    text: 'new: its branch; an existing one is used as it is',
    only: ['workspaces'],
  },
  {
    name: 'from',
    value: 'NUMBER',
    text: 'new: start from this pull request or issue',
    only: ['workspaces'],
  },
  { name: 'no-setup', text: 'new: without the setup command', only: ['workspaces'] },
  {
    name: 'method',
    value: 'NAME',
    text: 'land: squash, merge, rebase, or changes for uncommitted changes in the checkout',
    only: ['workspaces'],
  },
  { name: 'message', value: 'TEXT', text: 'land: commit message', only: ['workspaces'] },
  { name: 'onto', value: 'BRANCH', text: 'land: branch to land on', only: ['workspaces'] },
  {
    name: 'to',
    value: 'checkout|NAME|new',
    text: 'handoff: where the session continues',
    only: ['workspaces'],
  },
  { name: 'take', text: 'handoff: remove the changes from the checkout', only: ['workspaces'] },
  { name: 'leave', text: 'land: leave uncommitted files in the workspace', only: ['workspaces'] },
  { name: 'anyway', text: 'land: skip the check', only: ['workspaces'] },
  { name: 'dry-run', text: 'archive, land, handoff: only print what would happen', only: ['workspaces'] },
  {
    name: 'yes',
    text: 'checkpoints restore: do it; without it, only the preview is printed; workspaces forget: really delete it; attempts --choose: really archive the others; machine add --install: copy without a question; fleet leave: really delete the keys',
    texts: {
      checkpoints: 'restore: do it; without it, only the preview is printed',
      workspaces: 'forget: really delete it',
      attempts: '--choose: really archive the others',
      machine: 'add --install: copy without a question',
      fleet: 'leave: really delete the keys of the fleet',
    },
    only: ['checkpoints', 'workspaces', 'attempts', 'machine', 'fleet'],
  },
  {
    name: 'agents',
    value: 'NAME[:MODEL],…',
    text: 'Agents to start, 2 to 6; the same one can be repeated',
    only: ['attempts'],
  },
  { name: 'compare', value: 'ID', text: 'Compare the attempts with this id', only: ['attempts'] },
  {
    name: 'choose',
    value: 'NAME',
    text: 'Keep the attempt with this session id or workspace name, and archive the others',
    only: ['attempts'],
  },
  {
    name: 'command',
    value: 'COMMAND',
    fallback: 'ssh NAME tugdeck bridge',
    text: 'add: how to reach the machine, for example docker exec -i dev tugdeck bridge; run without a shell',
    only: ['machine'],
  },
  {
    name: 'server',
    value: 'URL',
    text: 'init: address of the NATS server, such as tls://nats.example:4222; several with commas',
    only: ['fleet'],
  },
  {
    name: 'folder',
    value: 'FOLDER',
    fallback: 'nats',
    text: 'init: where to write the configuration of the server',
    only: ['fleet'],
  },
  {
    name: 'replicas',
    value: 'N',
    fallback: '1',
    text: 'init: how many servers of a cluster keep each copy, at most 5',
    only: ['fleet'],
  },
  { name: 'qr', text: 'Pair a device: also draw the link as a QR code', only: ['url'] },
  { name: 'device', value: 'NAME', text: 'Pair a device: its name in Settings', only: ['url'] },
  { name: 'limited', text: 'Pair a device that may only read and answer', only: ['url'] },
  {
    name: 'install',
    text: 'add: first copy this program to the machine over ssh (asks first; needs Node there)',
    only: ['machine'],
  },
  { name: 'check', text: 'Look for newer commits; contacts the remote of the clone', only: ['update'] },
  { name: 'remove', text: 'Remove the password', only: ['password'] },
  { name: 'new', text: 'Start a new session', only: ['send'] },
  { name: 'wait', text: 'Wait for the turn to finish and print the answer', only: ['send'] },
  { name: 'raw', text: 'Use the internal HostLink protocol instead of the stdio protocol', only: ['talk'] },
  { name: 'keep', text: 'Keep the session running when stdin closes', only: ['talk'] },
  { name: 'output', value: 'FILE', fallback: 'stdout', text: 'Write to FILE', only: ['logs'] },
  { name: 'help', short: 'h', text: 'Show this help' },
  { name: 'version', short: 'V', text: 'Print the version' },
];

export function optionsOf(command: CommandName): readonly Option[] {
  return OPTIONS.filter(({ only }) => !only || only.includes(command));
}

export interface CommandLine {
  readonly command: CommandName;
  readonly arguments: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly values: Readonly<Record<string, string | undefined>>;
}

export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parseWords(args, OPTIONS);
  const first = positionals[0] ?? '';
  const command = first !== 'start' && Object.hasOwn(COMMANDS, first) ? (first as CommandName) : 'start';
  const rest = command === 'start' ? positionals : positionals.slice(1);
  const flags = new Set<string>();
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    const option = OPTIONS.find((one) => one.name === name);
    if (option?.only && !option.only.includes(command)) {
      throw new UsageError(`--${name} can't be used with: ${COMMANDS[command].usage}`);
    }
    if (typeof value === 'string') texts[name] = value;
    else flags.add(name);
  }
  const { maxArguments } = COMMANDS[command];
  if (rest.length > maxArguments)
    throw new UsageError(`too many arguments: ${rest.slice(maxArguments).join(' ')}`);
  return { command, arguments: rest, flags, values: texts };
}
