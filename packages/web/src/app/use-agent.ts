import type { Deck } from '@tugdeck/protocol/wire/deck';
import { useSelected } from '../ui/use-readable.ts';
import { useClient } from './client-context.tsx';

type AgentChoice = Deck['agents'][number];

/** Label and mark of an agent. */
export function useAgent(name: string | undefined): AgentChoice | undefined {
  return useSelected(useClient().deck, (deck) => deck?.agents.find((agent) => agent.name === name));
}
