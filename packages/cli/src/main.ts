/**
 * The `tugdeck` command. Reads the command line, runs one command, and says every error in words with its
 * code. Exit codes: 0 done, 1 could not, 2 asked wrongly; `send` has more.
 */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type CommandName, parseCommandLine, UsageError } from './command-line.ts';
import type { Command, Context } from './commands/context.ts';
import { helpText } from './commands/help.ts';
import { version } from './install.ts';
import { readSettings } from './settings.ts';

/** Loaded when asked for: only one of them needs the whole server. */
const LOAD: Readonly<Record<CommandName, () => Promise<Command>>> = {
  start: async () => (await import('./commands/start.ts')).start,
  stop: async () => (await import('./commands/stop.ts')).stop,
  status: async () => (await import('./commands/status.ts')).status,
  url: async () => (await import('./commands/url.ts')).url,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  sessions: async () => (await import('./commands/sessions.ts')).sessions,
  send: async () => (await import('./commands/send.ts')).send,
  talk: async () => (await import('./commands/talk.ts')).talk,
  logs: async () => (await import('./commands/logs.ts')).logs,
  replay: async () => (await import('./commands/replay.ts')).replay,
};

async function run(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const line = parseCommandLine(words);
  if (line.flags.has('help')) {
    process.stdout.write(`${helpText()}\n`);
    return 0;
  }
  if (line.flags.has('version')) {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  const from = environment.TUGDECK_CALLED_FROM || process.cwd();
  const context: Context = {
    line,
    settings: readSettings(line, environment, from),
    environment,
    from,
    print: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
  };
  const command = await LOAD[line.command]();
  return command(context);
}

function explain(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`tugdeck: ${error.message}\nTry tugdeck --help\n`);
    return 2;
  }
  if (error instanceof CodedError) {
    process.stderr.write(`tugdeck: ${error.message} (${error.code})\n`);
    if (error.hint) process.stderr.write(`${error.hint}\n`);
    return error.code === 'AGENT_PROTOCOL_ERROR' ? 2 : 1;
  }
  process.stderr.write(`tugdeck: ${error instanceof Error ? error.stack : String(error)}\n`);
  return 1;
}

process.exitCode = await run(process.argv.slice(2), process.env).catch(explain);
