/**
 * `tugdeck machine` (N20): the other machines whose projects this deck shows, in `config.json`. A running server
 * applies changes at once. Here ssh has the terminal, so it can ask its own questions (N26).
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { findServer, requestServer } from '@tugdeck/gateway/control/control-client';
import type { MachineState } from '@tugdeck/gateway/control/messages';
import { auditFile, openAudit } from '@tugdeck/link/audit';
import { connectLink, type Link } from '@tugdeck/link/connect-link';
import { machineSpecs } from '@tugdeck/link/machine-specs';
import { type DataDirectory, makeDataDirectory } from '@tugdeck/local/data-directory';
import { openLog } from '@tugdeck/local/log';
import { MACHINE_NAME } from '@tugdeck/machine/configuration';
import { LiveConfiguration } from '@tugdeck/machine/settings/live-configuration';
import { visibleText } from '@tugdeck/protocol/visible-text';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { UsageError } from '../command-line.ts';
import { installedPrograms } from '../install.ts';
import { describeAudit, readAudit } from '../machine/audit.ts';
import { installThere } from '../machine/install-there.ts';
import { splitWords } from '../split-words.ts';
import type { Command, Context } from './context.ts';

const INSTALL =
  'Install Tugdeck there: its command must be on the PATH of the remote shell. Or copy this one over ssh: tugdeck machine add NAME --install';

export const machine: Command = async (context) => {
  const [verb = 'list', name, ...more] = context.line.arguments;
  if (verb === 'list') return list(context);
  if (verb === 'audit') return audit(context);
  if (name === undefined || more.length > 0)
    throw new UsageError(`machine ${verb} needs ${verb === 'join' ? 'a code' : 'the name of a machine'}`);
  switch (verb) {
    case 'join':
      return join(context, name);
    case 'add':
      return add(context, name);
    case 'remove':
      return remove(context, name);
    case 'doctor':
      return doctor(context, name);
    default:
      throw new UsageError(`machine ${verb}: unknown command; use list, add, remove, doctor, audit or join`);
  }
};

async function add(context: Context, name: string): Promise<number> {
  const { settings, line, note, print } = context;
  if (!MACHINE_NAME.test(name)) throw new UsageError(`${name}: use letters, digits, dots and dashes`);
  const typed = line.values.command;
  const command = typed === undefined ? undefined : splitWords(typed);
  if (command?.length === 0) throw new UsageError('--command is empty');
  const [typedSpec] = machineSpecs({ [name]: { command } });
  const copied = line.flags.has('install')
    ? await installThere(context, name, typedSpec?.command ?? [])
    : undefined;
  if (line.flags.has('install') && !copied) return 1;
  const stored = copied ?? command;
  makeDataDirectory(settings.data.root);
  configurationOf(context).set(['machines', name], stored ? { command: stored } : {});
  const [spec] = machineSpecs({ [name]: { command: stored } });
  openAudit(settings.data).info('added', { machine: name, command: spec?.command.join(' ') });
  try {
    const { greeted } = await tryLink(spec?.command ?? [], name);
    const { build } = installedPrograms();
    if (copied && greeted.build !== build) {
      note(
        `The server there is build ${visibleText(greeted.build)}. To use the new one, stop it there: ${copied.at(-2)} stop`,
      );
    }
    print(
      `Added ${name}. It is online (build ${visibleText(greeted.build)}). Open a project there: tugdeck ${name}:PATH`,
    );
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    note(`Added ${name}, but it can't be reached now: ${error.message}`);
    note(error.code === 'HOST_VERSION' ? (error.hint ?? '') : INSTALL);
  }
  return 0;
}

/** Makes this machine a member of a fleet (N25). */
async function join({ settings, print }: Context, typed: string): Promise<number> {
  const { parseCode } = await import('@tugdeck/fleet/join-code');
  const { joinFleet } = await import('@tugdeck/fleet/joining');
  const { writeFleetKeys } = await import('@tugdeck/fleet/fleet-files');
  const { data, configuration } = settings;
  if (configuration.fleet) throw new UsageError('this is part of a fleet already (see tugdeck fleet leave)');
  const code = parseCode(typed === '-' ? readFileSync(0, 'utf8') : typed);
  makeDataDirectory(data.root);
  const log = openLog({ file: fleetLog(data), name: 'fleet', level: 'info' });
  const keys = await joinFleet(code, log);
  writeFleetKeys(data, keys);
  new LiveConfiguration(data.config, {}, () => undefined).set(['fleet'], {
    role: 'machine',
    server: code.server,
  });
  openAudit(data).info('fleet joined', { machine: keys.name });
  print(`Joined the fleet as ${visibleText(keys.name)}. Run tugdeck serve here, or tugdeck service install.`);
  return 0;
}

async function remove(context: Context, name: string): Promise<number> {
  known(context, name);
  configurationOf(context).set(['machines', name], null);
  openAudit(context.settings.data).info('removed', { machine: name });
  context.print(`Removed ${name}. Its sessions keep running there.`);
  return 0;
}

async function list({ settings, line, print }: Context): Promise<number> {
  const specs = machineSpecs(settings.configuration.machines);
  const states = await runningStates(settings.data.ledger, settings.configuration.timings);
  const machines = specs.map((spec) => ({ ...spec, ...states.get(spec.name) }));
  if (line.flags.has('json')) print(JSON.stringify(machines));
  else if (machines.length === 0) print('No other machines. Add one with: tugdeck machine add NAME');
  else for (const one of machines) print(describe(one.name, one.command, states.get(one.name)));
  return 0;
}

async function audit({ settings, line, print }: Context): Promise<number> {
  const lines = readAudit(auditFile(settings.data));
  if (line.flags.has('json')) print(JSON.stringify(lines));
  else if (lines.length === 0) print('No links to or from other machines yet.');
  else for (const one of lines) print(describeAudit(one));
  return 0;
}

async function runningStates(ledger: string, timings: unknown): Promise<Map<string, MachineState>> {
  const server = findServer(ledger, timings);
  if (!server) return new Map();
  const answer = await requestServer(server, { type: 'machines' });
  return new Map(answer.type === 'machines' ? answer.machines.map((one) => [one.name, one]) : []);
}

function describe(name: string, command: readonly string[], state: MachineState | undefined): string {
  const about = `${name.padEnd(16)} ${command.join(' ')}`;
  if (!state) return about;
  const seen = state.seenAt === undefined ? '' : `, last seen ${new Date(state.seenAt).toLocaleString()}`;
  const fault = state.fault === undefined ? '' : `\n${' '.repeat(17)}${visibleText(state.fault)}`;
  const detail = state.state === 'online' ? `, ${state.projects} projects, ${state.sessions} sessions` : seen;
  return `${about}\n${' '.repeat(17)}${state.state}${detail}${fault}`;
}

async function doctor(context: Context, name: string): Promise<number> {
  const { settings, print } = context;
  known(context, name);
  const spec = machineSpecs(settings.configuration.machines).find((one) => one.name === name);
  print(`     command        ${spec?.command.join(' ')}`);
  const began = performance.now();
  try {
    const { greeted, milliseconds, projects } = await tryLink(spec?.command ?? [], name, async (link) => {
      const since = performance.now();
      const { projects: all } = await link.machine.status();
      return { milliseconds: performance.now() - since, projects: all.length };
    });
    const up = Math.round(performance.now() - began);
    print(`ok   reachable      in ${up} ms, round trip ${milliseconds?.toFixed(1)} ms`);
    if (greeted.banner !== '') print(`-    login banner   ${greeted.banner.split('\n').at(-1)}`);
    print(`ok   version        link ${greeted.version}, build ${visibleText(greeted.build)}`);
    print(`ok   projects       ${projects}`);
    return 0;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    print(`FAIL reachable      ${error.message}`);
    print(`                    ${error.code === 'HOST_VERSION' ? (error.hint ?? '') : INSTALL}`);
    return 1;
  }
}

/** Opens a link, during which the program can use the terminal, then closes it. */
async function tryLink(
  [program = '', ...args]: readonly string[],
  name: string,
  use: (link: Link) => Promise<{ milliseconds?: number; projects?: number }> = async () => ({}),
) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', (error) => reject(new CodedError('HOST_UNAVAILABLE', `${name}: ${error.message}`)));
  });
  child.stdin.on('error', () => undefined);
  try {
    const link = await Promise.race([connectLink(child.stdout, child.stdin), failed]);
    const used = await use(link);
    link.close();
    return { greeted: link.greeted, ...used };
  } finally {
    child.kill();
  }
}

function known({ settings }: Context, name: string): void {
  if (Object.hasOwn(settings.configuration.machines ?? {}, name)) return;
  throw new UsageError(`${name} is not one of your machines (see tugdeck machine list)`);
}

function fleetLog({ logs }: DataDirectory): string {
  return joinPath(logs, 'fleet.log');
}

function configurationOf({ settings }: Context): LiveConfiguration {
  return new LiveConfiguration(settings.data.config, {}, () => undefined);
}
