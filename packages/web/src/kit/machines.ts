/** Other machines in the deck (N7): the machine of a project or session, and the agents there. */
import type { AgentChoice, Deck, MachineRow, Project } from '@tugdeck/protocol/wire/deck';

/** Undefined for this machine. */
export function machineOf(
  deck: Pick<Deck, 'machines'> | undefined,
  row: { readonly machine?: string | undefined } | undefined,
): MachineRow | undefined {
  return deck?.machines?.find(({ id }) => id === row?.machine);
}

export function machineOfProject(
  deck: Deck | undefined,
  project: string | undefined,
): MachineRow | undefined {
  const row = deck?.projects.find(({ id }) => id === project);
  return machineOf(deck, row);
}

/** The project to use if none is named: the last one added on this machine. */
export function defaultProject(deck: Deck): Project | undefined {
  return deck.projects.findLast((project) => !machineOf(deck, project)) ?? deck.projects.at(-1);
}

/** The agents that can work in a project: those of its machine. */
export function agentsIn(deck: Deck, project: string | undefined): Pick<Deck, 'agents' | 'defaultAgent'> {
  return machineOfProject(deck, project) ?? deck;
}

/** All agents; one that this machine does not have, as another one describes it. */
export function agentsByName(deck: Pick<Deck, 'agents' | 'machines'>): Map<string, AgentChoice> {
  const all = [...(deck.machines ?? []), deck].flatMap(({ agents }) => agents);
  return new Map(all.map((agent) => [agent.name, agent]));
}

export function findAgent(deck: Deck | undefined, name: string | undefined): AgentChoice | undefined {
  if (!deck || name === undefined) return undefined;
  return deck.agents.find((agent) => agent.name === name) ?? agentsByName(deck).get(name);
}
