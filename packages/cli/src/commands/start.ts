/**
 * `tugdeck [DIR]` (L1, L2): runs the server in this process, or opens the directory in the running one. Prints one
 * line with a sign-in link.
 */
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type FoundServer, findServer } from '@tugdeck/gateway/control/find-server';
import { type RunningServer, startServer } from '@tugdeck/gateway/main';
import { MACHINE_CHOICES, type MachineChoice } from '@tugdeck/local/machine';
import { cleanEnvironment } from '@tugdeck/machine/clean-environment';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { UsageError } from '../command-line.ts';
import { makeDemoProject } from '../demo-project.ts';
import { installedPrograms, PACKAGE_ROOT } from '../install.ts';
import { promptMachine } from '../machine-prompt.ts';
import { openBrowser } from '../open-browser.ts';
import type { Command, Context } from './context.ts';

/** How long to wait for another `tugdeck` process that is starting or stopping. */
const OTHER_PROCESS_MS = 20_000;
/** How long to wait for a project on another machine, which may have to be reached first. */
const REMOTE_MS = 90_000;

export const start: Command = async (context) => {
  const { settings } = context;
  const directory = directoryFor(context);
  const deadline = performance.now() + OTHER_PROCESS_MS;
  for (;;) {
    const isLate = performance.now() > deadline;
    const running = findServer(settings.data.ledger, settings.configuration.timings);
    const url = running && (await openInRunningServer(context, running, directory, isLate));
    if (url !== undefined) return announce(context, url);
    const server = running ? undefined : await startUnlessLocked(context);
    if (server) return serve(context, server, directory);
    if (isLate) break;
    await wait(25);
  }
  throw stuck();
};

/** `tugdeck serve`: the server alone. Succeeds at once if one is running. */
export const serveOnly: Command = async (context) => {
  const { settings, note } = context;
  const deadline = performance.now() + OTHER_PROCESS_MS;
  while (performance.now() < deadline) {
    if (findServer(settings.data.ledger, settings.configuration.timings)) {
      note('The server is already running.');
      return 0;
    }
    const server = await startUnlessLocked(context);
    if (server) return runUntilClosed(context, server, async () => note(`Serving at ${server.origin}`));
    await wait(25);
  }
  throw stuck();
};

function stuck(): CodedError {
  return new CodedError('SESSION_LOCKED', 'Another Tugdeck process is stuck while starting or stopping.');
}

/** Returns undefined while another process holds the data directory: it is starting or stopping. */
async function startUnlessLocked(context: Context): Promise<RunningServer | undefined> {
  try {
    return await startOnMachine(context, machineChoice(context));
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'SESSION_LOCKED') throw error;
    return undefined;
  }
}

/** In a terminal, asks about a data directory from another machine (N3). */
async function startOnMachine(context: Context, machine?: MachineChoice): Promise<RunningServer> {
  const { settings, environment, note } = context;
  const moved = (url: string) => {
    note('The server lost its port, so all browsers are signed out. Open the new sign-in link:');
    announce(context, url);
  };
  try {
    return await startServer({
      dataRoot: settings.data.root,
      programs: installedPrograms(),
      configuration: settings.configuration,
      environment,
      moved,
      machine,
    });
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'MACHINE_CHANGED') throw error;
    const answer = await promptMachine(error.message);
    if (answer === undefined) throw error;
    return startOnMachine(context, answer);
  }
}

function machineChoice({ line, environment }: Context): MachineChoice | undefined {
  const given = line.values.machine ?? (environment.TUGDECK_MACHINE || undefined);
  const choice = MACHINE_CHOICES.find((one) => one === given);
  if (given !== undefined && !choice) throw new UsageError(`--machine ${given}: must be new or moved`);
  return choice;
}

function serve(context: Context, server: RunningServer, { path, machine }: Place): Promise<number> {
  return runUntilClosed(context, server, async () => {
    const trust = context.line.flags.has('trust');
    const { url } = await server.add(path, context.environment, { trust, machine });
    announce(context, url);
    warn(context, server);
    context.note('Press Ctrl+C to stop the server. Running sessions continue in the background.');
  });
}

async function runUntilClosed(
  context: Context,
  server: RunningServer,
  begin: () => Promise<void>,
): Promise<number> {
  const stop = () => void server.close();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  try {
    await begin();
  } catch (error) {
    await server.close();
    throw error;
  }
  await server.closed;
  if (!server.isLost()) return 0;
  context.note(
    "Another process took or removed this server's lock, so it stopped. Running sessions continue in the background.",
  );
  return 1;
}

function warn({ note }: Context, { origin, reach }: RunningServer): void {
  if (reach.proxied !== undefined) {
    note(`Also served at ${reach.proxied} through your proxy. Sign in there with the password.`);
  }
  if (reach.isLoopback) return;
  note(`Reachable from other machines at ${origin}. Sign in with the password or a link from tugdeck url.`);
  if (reach.isPlain)
    note('WARNING: without TLS, all traffic, including the password, can be read and modified.');
}

const OTHER_BUILD =
  'The running server is from another build. To use this one, run tugdeck stop and start again. Running sessions continue.';

/** Returns undefined if the server does not answer: it may just be stopping. */
async function openInRunningServer(
  context: Context,
  server: FoundServer,
  { path: directory, machine }: Place,
  isLast: boolean,
): Promise<string | undefined> {
  const environment = cleanEnvironment(context.environment);
  const { requestServer } = await import('@tugdeck/gateway/control/control-client');
  try {
    const trust = context.line.flags.has('trust');
    const answer = await requestServer(
      server,
      { type: 'add', directory, environment, trust, ...(machine === undefined ? {} : { machine }) },
      machine === undefined ? undefined : REMOTE_MS,
    );
    const about = await requestServer(server, { type: 'status' });
    if (answer.type !== 'url' || about.type !== 'status') throw new CodedError('INTERNAL_ERROR');
    if (about.status.build !== installedPrograms().build) context.note(OTHER_BUILD);
    return answer.url;
  } catch (error) {
    if (isLast || !(error instanceof CodedError) || error.code !== 'HOST_UNAVAILABLE') throw error;
    return undefined;
  }
}

function announce({ print, settings, environment }: Context, url: string): number {
  print(`Tugdeck is ready: ${url}`);
  if (settings.configuration.open !== false) openBrowser(url, settings.data.run, environment);
  return 0;
}

interface Place {
  readonly path: string;
  readonly machine?: string;
}

function directoryFor(context: Context): Place {
  const [typed] = context.line.arguments;
  const remote = typed === undefined ? undefined : remotePlace(context, typed);
  return remote ?? { path: localDirectory(context, typed) };
}

/** `NAME:PATH` of a configured machine; an existing local path of that name wins. */
function remotePlace({ from, settings }: Context, typed: string): Place | undefined {
  const [, machine = '', path = ''] = /^([^:/]+):(.*)$/s.exec(typed) ?? [];
  if (!Object.hasOwn(settings.configuration.machines ?? {}, machine)) return undefined;
  return existsSync(resolve(from, typed)) ? undefined : { machine, path: path === '' ? '.' : path };
}

function localDirectory({ from, environment, settings }: Context, typed: string | undefined): string {
  // Usually the shell expands `~`, but not every caller is a shell.
  if (typed !== undefined) return typed.startsWith('~') ? typed : resolve(from, typed);
  const isClone = environment.TUGDECK_CALLED_FROM !== undefined && samePlace(from, PACKAGE_ROOT);
  return isClone ? makeDemoProject(settings.data.root) : from;
}

function samePlace(a: string, b: string): boolean {
  return realpathSync(a) === realpathSync(b);
}
