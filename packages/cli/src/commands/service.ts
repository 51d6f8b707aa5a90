/**
 * `tugdeck service`: keeps the server running for this user, also after a restart of the machine: a systemd user unit
 * on Linux, a launchd agent on macOS. Stopping the service leaves sessions running, like `tugdeck stop`.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { findServer } from '@tugdeck/gateway/control/find-server';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { UsageError } from '../command-line.ts';
import { launchAgent, type ServiceCommand, systemdUnit } from '../service-files.ts';
import type { Command, Context } from './context.ts';

const UNIT = 'tugdeck.service';
const LABEL = 'dev.tugdeck.server';

interface Manager {
  readonly file: string;
  readonly text: (command: ServiceCommand) => string;
  /** Command lines that start it now and at every login, end it, and report on it. */
  readonly enable: readonly (readonly string[])[];
  readonly disable: readonly (readonly string[])[];
  readonly status: readonly string[];
  readonly hint?: string;
}

export const service: Command = async (context) => {
  const { line, settings, print, note } = context;
  const manager = managerOf(context);
  switch (line.arguments[0] ?? 'status') {
    case 'install': {
      const wasInstalled = existsSync(manager.file);
      mkdirSync(dirname(manager.file), { recursive: true });
      writeFileSync(manager.file, manager.text(commandOf(context)));
      if (wasInstalled) for (const words of manager.disable) await runQuietly(context, words);
      for (const words of manager.enable) await run(context, words);
      print(`Installed ${manager.file}`);
      if (manager.hint !== undefined) note(manager.hint);
      return 0;
    }
    case 'remove':
      if (!existsSync(manager.file)) {
        note('The service is not installed.');
        return 1;
      }
      for (const words of manager.disable) await runQuietly(context, words);
      rmSync(manager.file);
      print('Removed the service. Sessions keep running until tugdeck stop --all.');
      return 0;
    case 'status': {
      const isRunning = findServer(settings.data.ledger, settings.configuration.timings) !== undefined;
      print(`Service: ${existsSync(manager.file) ? `installed (${manager.file})` : 'not installed'}`);
      if (existsSync(manager.file))
        print(`State:   ${(await runQuietly(context, manager.status)) || 'unknown'}`);
      print(`Server:  ${isRunning ? 'running' : 'not running'}`);
      return isRunning ? 0 : 1;
    }
    default:
      throw new UsageError(`service ${line.arguments[0]}: unknown command; use install, remove or status`);
  }
};

function commandOf({ settings, environment }: Context): ServiceCommand {
  return {
    words: [
      process.execPath,
      ...process.execArgv,
      process.argv[1] ?? '',
      'serve',
      '--data-dir',
      settings.data.root,
    ],
    path: environment.PATH ?? '',
  };
}

function managerOf({ environment }: Context): Manager {
  const home = environment.HOME || homedir();
  if (process.platform === 'darwin') {
    const file = join(home, 'Library', 'LaunchAgents', `${LABEL}.plist`);
    const domain = `gui/${userInfo().uid}`;
    return {
      file,
      text: (command) => launchAgent(LABEL, command),
      enable: [['launchctl', 'bootstrap', domain, file]],
      disable: [['launchctl', 'bootout', `${domain}/${LABEL}`]],
      status: ['launchctl', 'print', `${domain}/${LABEL}`],
    };
  }
  const systemctl = (...words: string[]) => ['systemctl', '--user', ...words];
  return {
    file: join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'systemd', 'user', UNIT),
    text: systemdUnit,
    enable: [systemctl('daemon-reload'), systemctl('enable', '--now', UNIT)],
    disable: [systemctl('disable', '--now', UNIT), systemctl('daemon-reload')],
    status: systemctl('is-active', UNIT),
    hint: 'To keep it running while you are logged out: loginctl enable-linger',
  };
}

/** Returns its output. */
function run({ environment }: Context, [program = '', ...args]: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { env: environment, encoding: 'utf8' }, (error, stdout, stderr) => {
      if (!error) resolve(stdout.trim());
      else
        reject(
          new CodedError(
            'HOST_UNAVAILABLE',
            `${program} failed: ${stderr.trim() || stdout.trim() || error.message}`,
            'The file is written; enable it by hand, or run tugdeck service remove.',
          ),
        );
    });
  });
}

/** For commands whose failure is an answer: not running, not loaded. */
async function runQuietly(context: Context, words: readonly string[]): Promise<string> {
  try {
    return await run(context, words);
  } catch (error) {
    return error instanceof CodedError ? (error.message.split('failed: ')[1] ?? '') : String(error);
  }
}
