/**
 * The `tugdeck` command: parses the command line, runs one command, and prints errors with their code. Exit codes: 0
 * ok, 1 failed, 2 usage error; `send` has more.
 */
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { type CommandName, parseCommandLine, UsageError } from './command-line.ts';
import type { Command, Context } from './commands/context.ts';
import { commandHelp, helpText } from './commands/help.ts';
import { version } from './install.ts';
import { readSettings } from './settings.ts';
import { surviveClosedPipes, writeLine } from './terminal-text.ts';

/** Loaded on demand: only `start` needs the whole server. */
const LOAD: Readonly<Record<CommandName, () => Promise<Command>>> = {
  start: async () => (await import('./commands/start.ts')).start,
  stop: async () => (await import('./commands/stop.ts')).stop,
  status: async () => (await import('./commands/status.ts')).status,
  url: async () => (await import('./commands/url.ts')).url,
  password: async () => (await import('./commands/password.ts')).password,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  checkpoints: async () => (await import('./commands/checkpoints.ts')).checkpoints,
  sessions: async () => (await import('./commands/sessions.ts')).sessions,
  workspaces: async () => (await import('./commands/workspaces.ts')).workspaces,
  attempts: async () => (await import('./commands/attempts.ts')).attempts,
  send: async () => (await import('./commands/send.ts')).send,
  talk: async () => (await import('./commands/talk.ts')).talk,
  machine: async () => (await import('./commands/machine.ts')).machine,
  fleet: async () => (await import('./commands/fleet.ts')).fleet,
  serve: async () => (await import('./commands/start.ts')).serveOnly,
  service: async () => (await import('./commands/service.ts')).service,
  bridge: async () => (await import('./commands/bridge.ts')).bridge,
  update: async () => (await import('./commands/update.ts')).update,
  logs: async () => (await import('./commands/logs.ts')).logs,
  replay: async () => (await import('./commands/replay.ts')).replay,
  completion: async () => (await import('./commands/completion.ts')).completion,
};

const USAGE_ERRORS: ReadonlySet<ErrorCode> = new Set(['AGENT_PROTOCOL_ERROR', 'EXPOSURE_REFUSED']);

async function run(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const line = parseCommandLine(args);
  if (line.flags.has('help')) {
    const isOne = line.command !== 'start' || line.arguments.length > 0;
    writeLine(process.stdout, isOne ? commandHelp(line.command) : helpText());
    return 0;
  }
  if (line.flags.has('version')) {
    writeLine(process.stdout, version());
    return 0;
  }
  const from = environment.TUGDECK_CALLED_FROM || process.cwd();
  const context: Context = {
    line,
    settings: readSettings(line, environment, from),
    environment,
    from,
    print: (text) => writeLine(process.stdout, text),
    note: (text) => writeLine(process.stderr, text),
  };
  const command = await LOAD[line.command]();
  return command(context);
}

function reportError(error: unknown): number {
  if (error instanceof UsageError) {
    writeLine(process.stderr, `tugdeck: ${error.message}\nTry tugdeck --help`);
    return 2;
  }
  if (error instanceof CodedError) {
    writeLine(process.stderr, `tugdeck: ${error.message} (${error.code})`);
    writeLine(process.stderr, reportOf(error).hint);
    return USAGE_ERRORS.has(error.code) ? 2 : 1;
  }
  writeLine(process.stderr, `tugdeck: ${error instanceof Error ? error.stack : String(error)}`);
  return 1;
}

surviveClosedPipes(process.stdout, process.stderr);
process.exitCode = await run(process.argv.slice(2), process.env).catch(reportError);
