/**
 * The words of the command line (L3): one table of commands and options that the parser, `--help` and the tests
 * read. Decides nothing about what they do.
 */
import { parseArgs } from 'node:util';

export interface Option {
  readonly name: string;
  readonly value?: string;
  readonly short?: string;
  /** Environment variable and line in config.json that say the same, weaker than the option. */
  readonly variable?: string;
  readonly setting?: string;
  readonly fallback?: string;
  readonly text: string;
  /** Commands that take it; all of them where none is named. */
  readonly only?: readonly CommandName[];
}

export interface CommandSpec {
  readonly usage: string;
  readonly text: string;
  /** Words of which the first argument is one. */
  readonly verbs?: readonly string[];
  /** As many arguments it takes. */
  readonly maxArguments: number;
}

export const COMMANDS = {
  start: {
    usage: 'tugdeck [--trust] [DIR]',
    text: 'Start the server, or hand DIR to the one that runs, and open it',
    maxArguments: 1,
  },
  stop: {
    usage: 'tugdeck stop [--all]',
    text: 'Stop the server; sessions go on, unless --all ends them too',
    maxArguments: 0,
  },
  status: {
    usage: 'tugdeck status [--json]',
    text: 'Tell what runs; exit code 1 if no server does',
    maxArguments: 0,
  },
  url: { usage: 'tugdeck url', text: 'Print a fresh one-time address', maxArguments: 0 },
  password: {
    usage: 'tugdeck password [--remove]',
    text: 'Set the password that another address than this machine needs, read from the terminal or stdin; ends every sign-in',
    maxArguments: 0,
  },
  doctor: {
    usage: 'tugdeck doctor [--json] [--rebuild-index]',
    text: 'Check node, git, the agents, the port and the data directory; exit code 1 if something is wrong',
    maxArguments: 0,
  },
  sessions: {
    usage: 'tugdeck sessions list [--all]|show ID|search WORDS|export ID [--json|--html]',
    text:
      'Read sessions without a browser, those that agents keep themselves too; export writes Markdown, JSON or a web page. ' +
      'Exit code 1: there is no such session, or nothing was found',
    verbs: ['list', 'show', 'search', 'export'],
    maxArguments: Number.POSITIVE_INFINITY,
  },
  send: {
    usage: 'tugdeck send [--session ID|--new] [--dir DIR] [--agent NAME] [--trust] [--wait] [--json] TEXT',
    text:
      "Send a message, to the directory's last session unless told otherwise; --wait prints the answer. " +
      'Exit code 3: refused, 4: the turn failed, 5: it waits for an answer of yours',
    maxArguments: Number.POSITIVE_INFINITY,
  },
  talk: {
    usage: 'tugdeck talk [--dir DIR] [--agent NAME] [--session ID] [--trust] [--raw] [--keep]',
    text: 'Run a session on stdin and stdout as JSON lines, for other programs (docs/protocol.md)',
    maxArguments: 0,
  },
  logs: {
    usage: 'tugdeck logs [--output FILE]',
    text: 'Collect the logs for a bug report, without secrets',
    maxArguments: 0,
  },
  replay: {
    usage: 'tugdeck replay --agent NAME --json FILE [--session ID]',
    text: 'Fold a recorded transcript without starting anything',
    maxArguments: 1,
  },
  completion: {
    usage: 'tugdeck completion bash|zsh|fish',
    text: 'Print what makes your shell complete these words; how to use it is in its first lines',
    verbs: ['bash', 'zsh', 'fish'],
    maxArguments: 1,
  },
} as const satisfies Record<string, CommandSpec>;
export type CommandName = keyof typeof COMMANDS;

export const OPTIONS: readonly Option[] = [
  {
    name: 'host',
    value: 'ADDRESS',
    variable: 'TUGDECK_HOST',
    setting: 'host',
    fallback: '127.0.0.1',
    text: 'Address to listen on; one that others can reach needs a password, and TLS or --plain-http',
    only: ['start'],
  },
  {
    name: 'name',
    value: 'NAME',
    variable: 'TUGDECK_NAME',
    setting: 'name',
    fallback: 'the address of --host',
    text: 'By which name browsers reach it; requests under any other are refused',
    only: ['start'],
  },
  {
    name: 'tls-cert',
    value: 'FILE',
    variable: 'TUGDECK_TLS_CERT',
    setting: 'tlsCert',
    text: 'Certificate, and those above it, in PEM form',
    only: ['start'],
  },
  {
    name: 'tls-key',
    value: 'FILE',
    variable: 'TUGDECK_TLS_KEY',
    setting: 'tlsKey',
    text: 'Its private key',
    only: ['start'],
  },
  {
    name: 'plain-http',
    variable: 'TUGDECK_PLAIN_HTTP',
    setting: 'plainHttp',
    fallback: 'refused where others can reach it',
    text: 'Do without TLS: whoever is on the way can read and change everything',
    only: ['start'],
  },
  {
    name: 'port',
    value: 'NUMBER',
    variable: 'TUGDECK_PORT',
    setting: 'port',
    fallback: 'a random one, kept until tugdeck stop --all',
    text: 'Port to listen on; 0 is any free one',
    only: ['start'],
  },
  {
    name: 'data-dir',
    value: 'DIR',
    variable: 'TUGDECK_DATA_DIR',
    fallback: "the platform's data directory, tugdeck/",
    text: 'Where everything is kept; one server per data directory',
  },
  {
    name: 'machine',
    value: 'new|moved',
    variable: 'TUGDECK_MACHINE',
    fallback: 'asked at a terminal, else refused',
    text: "Where the data directory is another machine's: new if it was copied or is shared, moved if the other no longer uses it",
    only: ['start'],
  },
  {
    name: 'no-open',
    variable: 'TUGDECK_NO_OPEN',
    setting: 'open',
    fallback: 'the browser is opened',
    text: 'Do not open the browser (as setting: "open": false)',
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
    fallback: 'the first one that is installed',
    text: 'Agent of a new session, or of the recording',
    only: ['start', 'replay', 'send', 'talk'],
  },
  {
    name: 'all',
    text: 'stop: end all sessions and their agents too; sessions list: also those that agents keep themselves',
    only: ['stop', 'sessions'],
  },
  { name: 'html', text: 'Export as one web page that needs nothing else', only: ['sessions'] },
  { name: 'rebuild-index', text: 'Make the search index again', only: ['doctor'] },
  { name: 'json', text: 'For programs', only: ['status', 'replay', 'doctor', 'sessions', 'send'] },
  {
    name: 'session',
    value: 'ID',
    text: "This session, by its id or the beginning of it; for replay one of the agent's own",
    only: ['replay', 'send', 'talk'],
  },
  {
    name: 'dir',
    value: 'DIR',
    fallback: 'the current directory',
    text: 'Project directory of the session',
    only: ['send', 'talk'],
  },
  {
    name: 'trust',
    text: 'Trust the project: agents may use its hooks, servers and other configuration, as it is now, for its whole repository',
    only: ['start', 'send', 'talk'],
  },
  { name: 'remove', text: 'Take the password away', only: ['password'] },
  { name: 'new', text: 'Begin a new session', only: ['send'] },
  { name: 'wait', text: 'Wait for the end of the turn and print the answer', only: ['send'] },
  { name: 'raw', text: 'Speak HostLink itself instead of the bridge', only: ['talk'] },
  { name: 'keep', text: 'Leave the session running when stdin closes', only: ['talk'] },
  { name: 'output', value: 'FILE', fallback: 'stdout', text: 'Where to write to', only: ['logs'] },
  { name: 'help', short: 'h', text: 'Show this' },
  { name: 'version', short: 'V', text: 'Print the version' },
];

export class UsageError extends Error {}

export function optionsOf(command: CommandName): readonly Option[] {
  return OPTIONS.filter(({ only }) => !only || only.includes(command));
}

export interface CommandLine {
  readonly command: CommandName;
  readonly arguments: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly values: Readonly<Record<string, string | undefined>>;
}

export function parseCommandLine(words: readonly string[]): CommandLine {
  const { values, positionals } = parse(words);
  const first = positionals[0] ?? '';
  const command = first !== 'start' && Object.hasOwn(COMMANDS, first) ? (first as CommandName) : 'start';
  const rest = command === 'start' ? positionals : positionals.slice(1);
  const flags = new Set<string>();
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    const option = OPTIONS.find((one) => one.name === name);
    if (option?.only && !option.only.includes(command)) {
      throw new UsageError(`--${name} does not go with ${COMMANDS[command].usage}`);
    }
    if (typeof value === 'string') texts[name] = value;
    else flags.add(name);
  }
  const { maxArguments } = COMMANDS[command];
  if (rest.length > maxArguments)
    throw new UsageError(`too many arguments: ${rest.slice(maxArguments).join(' ')}`);
  return { command, arguments: rest, flags, values: texts };
}

function parse(words: readonly string[]) {
  const options = Object.fromEntries(
    OPTIONS.map(({ name, value, short }) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short ? { short } : {}) },
    ]),
  );
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!code.startsWith('ERR_PARSE_ARGS')) throw error;
    throw new UsageError(readableMessage(code, words, (error as Error).message));
  }
}

function readableMessage(code: string, words: readonly string[], message: string): string {
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return message.split('. ')[0] ?? message;
  const known = new Set(OPTIONS.flatMap(({ name, short }) => [`--${name}`, `-${short}`]));
  const unknown = words.find((word) => word.startsWith('-') && !known.has(word.split('=')[0] ?? ''));
  return `unknown option ${unknown ?? ''}`.trim();
}
