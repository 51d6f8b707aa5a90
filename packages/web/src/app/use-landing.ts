/**
 * What a page shows that was asked for nothing (D12): the last active session, else a new one with the default
 * agent. Also follows the project that another call of the command asked for.
 */
import type { Client } from '@tugdeck/client/client';
import { useEffect } from 'react';
import { createSession } from './deck-actions.ts';
import { layout } from './dock/dock.ts';
import { lastActive, usableAgent } from './projects.ts';
import { route, showSession } from './route.ts';

export function useLanding(client: Client): void {
  useEffect(() => {
    // The deck and the project to show may both arrive before the first session is listed.
    const begun = new Set<string>();
    const land = (project?: string) => {
      const deck = client.deck.get();
      if (!deck) return false;
      const last = lastActive(deck, project);
      const home = project ?? deck.projects.at(-1)?.id;
      const agent = usableAgent(deck);
      if (last) showSession(last.id);
      else if (home !== undefined && agent !== undefined && !begun.has(home)) {
        begun.add(home);
        createSession(client, home, agent).catch((error) => console.warn('no first session', error));
      }
      return true;
    };
    let isDone = route.get() !== undefined || layout.get().cards.length > 0;
    const once = () => {
      if (!isDone) isDone = land(client.shown.get());
    };
    once();
    const offDeck = client.deck.subscribe(once);
    const offShown = client.shown.subscribe(() => land(client.shown.get()));
    return () => {
      offDeck();
      offShown();
    };
  }, [client]);
}
