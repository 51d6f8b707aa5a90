/** `tugdeck doctor` (L4): one line per check, with a fix for what is wrong. Exit code 1 if a check failed. */
import { rmSync } from 'node:fs';
import { findServer, requestServer } from '@tugdeck/gateway/control/control-client';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { cleanEnvironment } from '@tugdeck/machine/clean-environment';
import type { Configuration } from '@tugdeck/machine/configuration';
import { checkAgents } from '../doctor/agent-checks.ts';
import type { Check } from '../doctor/check.ts';
import {
  checkBuild,
  checkData,
  checkExposure,
  checkGit,
  checkNode,
  checkPort,
} from '../doctor/machine-checks.ts';
import type { Command } from './context.ts';

const SIGNS: Readonly<Record<Check['state'], string>> = { ok: 'ok', note: '-', warning: '!', failed: 'FAIL' };

export const doctor: Command = async ({ settings, environment, line, print, note }) => {
  const { data, configuration } = settings;
  if (line.flags.has('rebuild-index')) note(await rebuildIndex(data, settings.configuration.timings));
  const clean = cleanEnvironment(environment);
  const build = checkBuild();
  const [git, port, agents] = await Promise.all([
    checkGit(clean),
    checkPort(data, configuration),
    checkAgents(configuration, clean, build.agents),
  ]);
  const checks = [
    checkNode(),
    git,
    build.check,
    checkData(data),
    ...checkExposure(data, configuration),
    port,
    ...agents,
    ...(await checkFleet(data, configuration)),
  ];
  const ok = checks.every(({ state }) => state !== 'failed');
  if (line.flags.has('json')) print(JSON.stringify({ ok, checks }));
  else for (const check of checks) print(describe(check));
  return ok ? 0 : 1;
};

/** Loads the code for fleets only if one is configured (N15). */
async function checkFleet(data: DataDirectory, { fleet }: Configuration): Promise<Check[]> {
  if (!fleet) return [];
  const { checkFleetServer } = await import('../doctor/fleet-checks.ts');
  return checkFleetServer(data, fleet);
}

function describe({ name, state, detail, fix }: Check): string {
  const first = `${SIGNS[state].padEnd(5)}${name.padEnd(14)} ${detail}`;
  return fix === undefined ? first : `${first}\n${' '.repeat(20)}${fix}`;
}

/** Safe: the index is built from files that stay where they are (S6). */
async function rebuildIndex({ ledger, search }: DataDirectory, timings: unknown): Promise<string> {
  const server = findServer(ledger, timings);
  if (server) {
    await requestServer(server, { type: 'rebuild' });
    return 'Rebuilding the search index. Searches may be incomplete until it is done.';
  }
  for (const file of [search, `${search}-wal`, `${search}-shm`]) rmSync(file, { force: true });
  return 'Search index deleted. It will be rebuilt when the server starts.';
}
