/** `tugdeck doctor` (L4): one line per thing that must be right, with what to do where it is not. Exit code 1 then. */
import { cleanEnvironment } from '@tugdeck/server/rooms';
import { checkAgents } from '../doctor/agent-checks.ts';
import type { Check } from '../doctor/check.ts';
import { checkBuild, checkData, checkGit, checkNode, checkPort } from '../doctor/machine-checks.ts';
import type { Command } from './context.ts';

const SIGNS: Readonly<Record<Check['state'], string>> = { ok: 'ok', note: '-', warning: '!', failed: 'FAIL' };

export const doctor: Command = async ({ settings, environment, line, print }) => {
  const { data, configuration } = settings;
  const clean = cleanEnvironment(environment);
  const build = checkBuild();
  const [git, port, agents] = await Promise.all([
    checkGit(clean),
    checkPort(data, configuration),
    checkAgents(configuration, clean, build.agents),
  ]);
  const checks = [checkNode(), git, build.check, checkData(data), port, ...agents];
  const ok = checks.every(({ state }) => state !== 'failed');
  if (line.flags.has('json')) print(JSON.stringify({ ok, checks }));
  else for (const check of checks) print(describe(check));
  return ok ? 0 : 1;
};

function describe({ name, state, detail, fix }: Check): string {
  const first = `${SIGNS[state].padEnd(5)}${name.padEnd(14)} ${detail}`;
  return fix === undefined ? first : `${first}\n${' '.repeat(20)}${fix}`;
}
