/** Options of `npm run faults -- --host-kills N` and their defaults. Pure. */
import type { HostKillsCall } from './host-kills-main.ts';
import { isKilledAgent, KILLED_AGENTS } from './kill-scripts.ts';

export function killsCall(
  word: (name: string) => string | undefined,
  rest: Pick<HostKillsCall, 'seed' | 'kills' | 'minutes'>,
): HostKillsCall {
  const victim = word('victim') ?? 'host';
  if (victim !== 'host' && victim !== 'agent') throw new Error(`--victim is host or agent, not ${victim}`);
  const agents = word('agents')?.split(',') ?? KILLED_AGENTS;
  if (!agents.every(isKilledAgent)) throw new Error(`--agents is a list of ${KILLED_AGENTS.join(', ')}`);
  return { ...rest, victim, agents };
}
