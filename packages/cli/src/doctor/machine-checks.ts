/**
 * Checks what Tugdeck needs on this machine (L4): Node, git, the port, the data directory, its own build. Changes
 * nothing.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { findServer, requestServer } from '@tugdeck/gateway/control/control-client';
import { DEFAULT_HOST, exposureOf } from '@tugdeck/gateway/transport/exposure';
import { hasPassword } from '@tugdeck/gateway/transport/password';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { isElsewhere } from '@tugdeck/local/end-elsewhere';
import { KEEPER_RECORD } from '@tugdeck/local/keeper-link';
import { openLedger } from '@tugdeck/local/ledger';
import { findCommand } from '@tugdeck/machine/agents/agent-choices';
import type { Configuration } from '@tugdeck/machine/configuration';
import type { Programs } from '@tugdeck/machine/programs';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { installedPrograms } from '../install.ts';
import { type Check, compareVersions, runProgram, versionIn } from './check.ts';

export const OLDEST_NODE = '20.19.0';

export function checkNode(version: string = process.versions.node): Check {
  const isOld = compareVersions(version, OLDEST_NODE) < 0;
  const fix = `Install Node ${OLDEST_NODE} or newer.`;
  return { name: 'node', state: isOld ? 'failed' : 'ok', detail: version, ...(isOld ? { fix } : {}) };
}

export async function checkGit(environment: Readonly<Record<string, string>>): Promise<Check> {
  const found = findCommand('git', environment);
  if (found === undefined) {
    const fix = 'Install git. Agents and the Git panel need it.';
    return { name: 'git', state: 'warning', detail: 'not found on the PATH', fix };
  }
  const version = versionIn((await runProgram(found, ['--version'], environment)).output);
  return { name: 'git', state: 'ok', detail: `${version ?? 'unknown version'} at ${found}` };
}

export function checkBuild(): { check: Check; agents: Programs['agents'] } {
  const name = 'tugdeck';
  try {
    const { host, build, agents } = installedPrograms();
    if (existsSync(host)) return { check: { name, state: 'ok', detail: `build ${build}` }, agents };
    const fix = 'Build or install Tugdeck again.';
    return { check: { name, state: 'failed', detail: `${host} is missing`, fix }, agents };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const check: Check = { name, state: 'failed', detail: error.message, fix: error.hint };
    return { check, agents: undefined };
  }
}

function isReserved(ledger: string): boolean {
  if (!existsSync(ledger)) return false;
  const records = openLedger(ledger);
  const keeper = records.get(KEEPER_RECORD);
  return keeper !== undefined && records.isAlive(keeper);
}

/** If a server or keeper is running, the port is ours. */
export async function checkPort({ ledger }: DataDirectory, configuration: Configuration): Promise<Check> {
  const server = existsSync(ledger) ? findServer(ledger, configuration.timings) : undefined;
  if (server) {
    try {
      const answer = await requestServer(server, { type: 'status' });
      const detail =
        answer.type === 'status' ? `server running at ${answer.status.origin}` : 'server running';
      return { name: 'port', state: 'ok', detail };
    } catch (error) {
      const fix = isElsewhere(server.record)
        ? reportOf(error).hint
        : `End process ${server.identity.pid} and start Tugdeck again.`;
      return { name: 'port', state: 'failed', detail: (error as Error).message, fix };
    }
  }
  const { host = DEFAULT_HOST, port } = configuration;
  if (isReserved(ledger)) return { name: 'port', state: 'ok', detail: 'reserved for the next server' };
  if (port === undefined)
    return { name: 'port', state: 'ok', detail: 'a random free port, chosen at startup' };
  const problem = await listenProblem(host, port);
  if (problem === undefined) return { name: 'port', state: 'ok', detail: `${port} on ${host} is free` };
  const fix = 'Choose another with --port, or free it.';
  return { name: 'port', state: 'failed', detail: `can't use port ${port} on ${host} (${problem})`, fix };
}

/** Nothing to check on loopback without a proxy. */
export function checkExposure({ password }: DataDirectory, configuration: Configuration): Check[] {
  const name = 'exposure';
  try {
    const { host, isLoopback, tls, proxied } = exposureOf(configuration, hasPassword(password));
    if (proxied) {
      return [{ name, state: 'ok', detail: `a proxy serves ${proxied.origin}, with the password` }];
    }
    if (isLoopback) return [];
    const detail = `other machines can reach ${host} with the password`;
    if (tls) return [{ name, state: 'ok', detail: `${detail}, over TLS` }];
    const fix = 'Set --tls-cert and --tls-key.';
    return [{ name, state: 'warning', detail: `${detail}, without TLS`, fix }];
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return [{ name, state: 'failed', detail: error.message, fix: error.hint }];
  }
}

function listenProblem(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
}

export function checkData({ root }: DataDirectory): Check {
  const name = 'data';
  const stat = statSync(root, { throwIfNoEntry: false });
  if (stat && !stat.isDirectory()) {
    const fix = 'Move it away, or choose another with --data-dir.';
    return { name, state: 'failed', detail: `${root} is not a directory`, fix };
  }
  const place = stat ? root : firstExisting(dirname(root));
  try {
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    const fix = `Make ${place} writable, or choose another with --data-dir.`;
    return { name, state: 'failed', detail: `${place} is not writable`, fix };
  }
  if (!stat) return { name, state: 'ok', detail: `${root} will be created` };
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    const fix = `Run: chmod 700 ${root}`;
    return { name, state: 'warning', detail: `other users can enter ${root}`, fix };
  }
  return { name, state: 'ok', detail: root };
}

function firstExisting(directory: string): string {
  if (existsSync(directory) || dirname(directory) === directory) return directory;
  return firstExisting(dirname(directory));
}
