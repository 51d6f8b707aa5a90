/**
 * `tugdeck fleet` (N25): a NATS server's configuration for machines that only connect outwards, codes with which they join,
 * and the list of those that did. A running server applies changes at once.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createCertificate } from '@tugdeck/fleet/certificates';
import { createCopyKey } from '@tugdeck/fleet/copy/copy-cipher';
import { serversOf } from '@tugdeck/fleet/engine';
import { deckKeys, forgetFleet, writeFleetKeys } from '@tugdeck/fleet/fleet-files';
import { CODE_MS, createCode } from '@tugdeck/fleet/join-code';
import { createSeed } from '@tugdeck/fleet/nats-tokens';
import { SERVER_FILES, serverConfiguration } from '@tugdeck/fleet/server-config';
import { findServer, requestServer } from '@tugdeck/gateway/control/control-client';
import type { MachineState } from '@tugdeck/gateway/control/messages';
import { openAudit } from '@tugdeck/link/audit';
import { makeDataDirectory } from '@tugdeck/local/data-directory';
import { configurationSchema, type FleetSettings, MACHINE_NAME } from '@tugdeck/machine/configuration';
import { LiveConfiguration } from '@tugdeck/machine/settings/live-configuration';
import { visibleText } from '@tugdeck/protocol/visible-text';
import { UsageError } from '../command-line.ts';
import { checkFleetServer } from '../doctor/fleet-checks.ts';
import type { Command, Context } from './context.ts';

export const fleet: Command = async (context) => {
  const [verb = 'status', name, ...more] = context.line.arguments;
  if (more.length > 0) throw new UsageError(`fleet ${verb}: too many arguments`);
  switch (verb) {
    case 'status':
      return status(context);
    case 'init':
      return init(context);
    case 'invite':
      return invite(context, named(verb, name));
    case 'revoke':
      return revoke(context, named(verb, name));
    case 'leave':
      return leave(context);
    default:
      throw new UsageError(`fleet ${verb}: unknown command; use status, init, invite, revoke or leave`);
  }
};

async function init(context: Context): Promise<number> {
  const { settings, line, from, print } = context;
  const { data, configuration } = settings;
  if (configuration.fleet) throw new UsageError('this is part of a fleet already (see tugdeck fleet leave)');
  const { server, folder: typed = 'nats', replicas: count = '1' } = line.values;
  if (server === undefined) throw new UsageError('fleet init needs --server tls://HOST:PORT');
  const replicas = Number(count);
  const stored = { role: 'deck', server, ...(replicas === 1 ? {} : { replicas }) };
  const parsed = configurationSchema.shape.fleet.safeParse(stored);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UsageError(`--${String(issue?.path[0])}: ${issue?.message ?? 'invalid value'}`);
  }
  const folder = resolve(from, typed);
  if (existsSync(folder)) throw new UsageError(`${folder} already exists; choose another with --folder`);
  const addresses = serversOf(server).map((address) => new URL(address));
  const hosts = addresses.map(({ hostname }) => hostname.replace(/^\[|\]$/g, ''));
  const certificate = createCertificate(hosts);
  const seeds = {
    ...{ operator: createSeed('operator'), account: createSeed('account'), system: createSeed('account') },
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 });
  file(SERVER_FILES.configuration, serverConfiguration(seeds, Number(addresses[0]?.port || 4222)));
  file(SERVER_FILES.certificate, certificate.certificate);
  file(SERVER_FILES.key, certificate.key);
  makeDataDirectory(data.root);
  writeFleetKeys(data, {
    ...{ role: 'deck', seeds, user: createSeed('user'), systemUser: createSeed('user') },
    ...{ tls: createCertificate(), authority: certificate.certificate },
    copyKey: createCopyKey().toString('base64'),
  });
  configurationOf(context).set(['fleet'], stored);
  openAudit(data).info('fleet created', { server });
  print(`Wrote ${folder}. Copy it to the server and run there: nats-server -c ${SERVER_FILES.configuration}`);
  print('Then add machines with: tugdeck fleet invite NAME');
  return 0;
}

async function invite(context: Context, name: string): Promise<number> {
  const { settings, note, print } = context;
  const { data } = settings;
  const { server, machines = {} } = deckSettings(context);
  if (!MACHINE_NAME.test(name)) throw new UsageError(`${name}: use letters, digits, dots and dashes`);
  if (Object.hasOwn(machines, name) || Object.hasOwn(settings.configuration.machines ?? {}, name))
    throw new UsageError(`${name} is one of your machines already`);
  const code = createCode(data, deckKeys(data), { server, name, now: Date.now() });
  openAudit(data).info('invited', { machine: name });
  print(`tugdeck machine join ${code}`);
  note(`Run this on ${name}. It works once, for ${CODE_MS / 60_000} minutes, while Tugdeck runs here.`);
  if (!findServer(data.ledger, settings.configuration.timings))
    note('Tugdeck is not running here: start it with tugdeck serve.');
  return 0;
}

async function revoke(context: Context, name: string): Promise<number> {
  const { machines = {} } = deckSettings(context);
  const member = Object.hasOwn(machines, name) ? machines[name] : undefined;
  if (!member) throw new UsageError(`${name} is not a machine of the fleet (see tugdeck fleet status)`);
  const configuration = configurationOf(context);
  configuration.set(['fleet', 'revoked', member.user], Math.floor(Date.now() / 1000) + 1);
  configuration.set(['fleet', 'machines', name], null);
  openAudit(context.settings.data).info('revoked', { machine: name });
  context.print(`Revoked ${name}. Its sessions keep running there; the server refuses it from now on.`);
  return 0;
}

async function leave(context: Context): Promise<number> {
  const { settings, line, print } = context;
  const { fleet: joined } = settings.configuration;
  if (!joined) throw new UsageError('this is not part of a fleet');
  if (joined.role === 'deck' && !line.flags.has('yes'))
    throw new UsageError('this deletes the keys, so that no copy can be read any longer; confirm with --yes');
  configurationOf(context).set(['fleet'], null);
  forgetFleet(settings.data);
  openAudit(settings.data).info('fleet left', {});
  print(
    joined.role === 'machine'
      ? 'Left the fleet. Its deck still lists this machine until it is revoked there.'
      : 'Left the fleet. The keys are deleted: its machines can’t be reached and its copies can’t be read any longer.',
  );
  return 0;
}

async function status(context: Context): Promise<number> {
  const { settings, line, print } = context;
  const { fleet: joined } = settings.configuration;
  if (!joined) {
    print(line.flags.has('json') ? '{}' : 'Not part of a fleet. See tugdeck fleet --help.');
    return 0;
  }
  const checks = await checkFleetServer(settings.data, joined);
  const states = await statesOf(context);
  const machines = joined.role === 'deck' ? Object.keys(joined.machines ?? {}) : [];
  if (line.flags.has('json')) {
    const members = joined.role === 'deck' ? joined.machines : undefined;
    const listed = machines.map((name) => ({ name, ...members?.[name], ...states.get(name) }));
    print(JSON.stringify({ role: joined.role, server: joined.server, checks, machines: listed }));
    return 0;
  }
  print(`${joined.role} of a fleet at ${joined.server}`);
  for (const { name, detail } of checks) print(`${name.padEnd(16)} ${visibleText(detail)}`);
  for (const name of machines) {
    const { state = 'not running here', seenAt } = states.get(name) ?? {};
    const seen = seenAt === undefined ? '' : `, last seen ${new Date(seenAt).toLocaleString()}`;
    print(`${name.padEnd(16)} ${state}${state === 'online' ? '' : seen}`);
  }
  if (joined.role === 'deck' && machines.length === 0)
    print('No machines. Add one with: tugdeck fleet invite NAME');
  return 0;
}

async function statesOf({ settings }: Context): Promise<Map<string, Partial<MachineState>>> {
  const server = findServer(settings.data.ledger, settings.configuration.timings);
  if (!server) return new Map();
  const answer = await requestServer(server, { type: 'machines' });
  return new Map(answer.type === 'machines' ? answer.machines.map((one) => [one.name, one]) : []);
}

function deckSettings({ settings }: Context): Extract<FleetSettings, { role: 'deck' }> {
  const { fleet: joined } = settings.configuration;
  if (joined?.role !== 'deck')
    throw new UsageError('this is not the deck of a fleet (see tugdeck fleet init)');
  return joined;
}

function named(verb: string, name: string | undefined): string {
  if (name === undefined) throw new UsageError(`fleet ${verb} needs the name of a machine`);
  return name;
}

function configurationOf({ settings }: Context): LiveConfiguration {
  return new LiveConfiguration(settings.data.config, {}, () => undefined);
}
