/**
 * Checks every agent in the catalog (L4): where it was found, its version, and whether it is signed in, as far as
 * that shows without reading a secret. Starts no session.
 */
import { findAgent, type KnownAgent } from '@tugdeck/agents/catalog';
import { isSignedIn } from '@tugdeck/machine/agents/accounts';
import { AgentChoices } from '@tugdeck/machine/agents/agent-choices';
import type { Configuration } from '@tugdeck/machine/configuration';
import type { AgentChoice } from '@tugdeck/protocol/wire/deck';
import { type Check, compareVersions, runProgram, versionIn } from './check.ts';

type Environment = Readonly<Record<string, string>>;

/** `bundled`: programs of agents that ship with Tugdeck, by name. */
export async function checkAgents(
  configuration: Configuration,
  environment: Environment,
  bundled: Readonly<Record<string, string>> = {},
): Promise<Check[]> {
  const choices = new AgentChoices(configuration, bundled);
  const chosen = configuration.agent;
  const checks = await Promise.all(
    choices.list(environment).map((choice) => checkAgent(choice, configuration, environment)),
  );
  if (chosen !== undefined && !choices.has(chosen)) {
    const fix = `Use one of: ${choices
      .list(environment)
      .map(({ name }) => name)
      .join(', ')}`;
    checks.push({ name: 'default agent', state: 'failed', detail: `unknown agent: ${chosen}`, fix });
  }
  const isUsable = checks.some(({ state, facts }) => facts?.found !== undefined && state !== 'failed');
  if (!isUsable) {
    const fix = 'Install one of the agents above.';
    checks.push({ name: 'agents', state: 'failed', detail: 'no usable agent', fix });
  }
  return checks;
}

async function checkAgent(
  { name, label, installed, detail }: AgentChoice,
  { agent: chosen, agents }: Configuration,
  own: Environment,
): Promise<Check> {
  const known = findAgent(name);
  if (!installed) {
    const state = name === chosen ? 'failed' : 'note';
    return { name: label, state, detail: 'not found on the PATH', fix: detail, facts: { agent: name } };
  }
  const environment = { ...own, ...agents?.[name]?.env };
  if (!known || known.bundled) {
    return { name: label, state: 'ok', detail, facts: { agent: name, found: detail } };
  }
  const [version, signedIn] = await Promise.all([
    runProgram(detail, known.versionArgs, environment).then(({ output }) => versionIn(output)),
    isSignedIn(known, environment),
  ]);
  const facts = { agent: name, found: detail, version, supported: isSupported(known, version), signedIn };
  return { name: label, ...assess(known, version, signedIn, detail), facts };
}

function assess(
  { versions, install, signIn }: KnownAgent,
  version: string | undefined,
  signedIn: boolean | undefined,
  found: string,
): Omit<Check, 'name'> {
  if (version === undefined) {
    return { state: 'warning', detail: `can't determine the version of ${found}`, fix: `Try: ${install}` };
  }
  const detail = `${version} at ${found}${signedIn === true ? ', signed in' : ''}`;
  if (compareVersions(version, versions.oldestWorking) < 0) {
    const fix = `${versions.oldestWorking} is the oldest supported version. Update with: ${install}`;
    return { state: 'failed', detail, fix };
  }
  if (signedIn === false) {
    return { state: 'warning', detail: `${detail}, not signed in`, fix: `Sign in with: ${signIn}` };
  }
  if (compareVersions(version, versions.oldestTested) < 0) {
    const fix = `${versions.oldestTested} is the oldest tested version. Update with: ${install}`;
    return { state: 'warning', detail, fix };
  }
  return { state: 'ok', detail };
}

function isSupported({ versions }: KnownAgent, version: string | undefined): boolean | undefined {
  return version === undefined ? undefined : compareVersions(version, versions.oldestWorking) >= 0;
}
