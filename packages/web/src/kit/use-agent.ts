import type { Deck } from '@tugdeck/protocol/wire/deck';
import { useClient } from './client-context.tsx';
import { findAgent } from './machines.ts';
import { useSelected } from './use-readable.ts';

type AgentChoice = Deck['agents'][number];

/** Label and mark of an agent. */
export function useAgent(name: string | undefined): AgentChoice | undefined {
  return useSelected(useClient().deck, (deck) => findAgent(deck, name));
}
