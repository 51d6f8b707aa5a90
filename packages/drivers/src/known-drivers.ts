/** The table of drivers by protocol, for the host and for replay. */
import { findAgent, KNOWN_AGENTS } from '@tugdeck/agents/catalog';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { acpDriver } from './acp/driver.ts';
import { acpReplay } from './acp/replay-parts.ts';
import { claudeDriver } from './claude/driver.ts';
import { claudeReplay } from './claude/replay-parts.ts';
import { codexDriver } from './codex/driver.ts';
import { codexReplay } from './codex/replay-parts.ts';
import type { Driver } from './kit/port.ts';
import { type ReplayDriver, type ReplayOutput, replay } from './kit/replay.ts';

const DRIVERS: readonly Driver[] = [claudeDriver, acpDriver, codexDriver];

export function driverFor(protocol: string): Driver {
  const driver = DRIVERS.find((candidate) => candidate.protocol === protocol);
  if (!driver) throw new CodedError('AGENT_UNAVAILABLE', `No driver for the protocol ${protocol}.`);
  return driver;
}

const REPLAYS: Readonly<Record<string, ReplayDriver>> = {
  'stream-json': claudeReplay,
  acp: acpReplay,
  'app-server': codexReplay,
};

/** Replays a recording of an agent by its catalog name (M14). */
export function replayFile(
  agentName: string,
  lines: Iterable<string>,
  options: { readonly session?: string | undefined } = {},
): ReplayOutput {
  const protocol = findAgent(agentName)?.protocol;
  const driver = protocol === undefined ? undefined : REPLAYS[protocol];
  if (!driver) {
    const names = KNOWN_AGENTS.map(({ name }) => name).join(', ');
    throw new CodedError('AGENT_UNAVAILABLE', `Unknown agent: ${agentName}`, `Known agents: ${names}.`);
  }
  return replay(driver, lines, options);
}
