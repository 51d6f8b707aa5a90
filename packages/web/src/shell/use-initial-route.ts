/**
 * The initial content of a page without a session in its URL (D12): the server's layout, else the last active
 * session, else a new one with the default agent. Also shows the project that another `tugdeck DIR` asked for.
 */
import type { Client } from '@tugdeck/client/client';
import { useEffect } from 'react';
import { changeLayout, layout } from '../kit/layout/dock.ts';
import { activeCard } from '../kit/layout/layout.ts';
import { showCard } from '../kit/layout/open-card.ts';
import { isLimited } from '../kit/limited.ts';
import { defaultProject } from '../kit/machines.ts';
import { composeSession } from '../kit/new-session.ts';
import { cardOfProject, hasSessions, lastActive, usableAgent } from '../kit/projects.ts';
import { atHome, route, showHome, showSession } from '../kit/route.ts';
import { PHONE } from '../kit/use-media.ts';
import { openRoute } from './dock/follow-deck.ts';
import { hadStoredLayout } from './dock/persist-layout.ts';
import { serverLayout } from './dock/sync-layout.ts';

export function useInitialRoute(client: Client): void {
  useEffect(() => {
    // The deck and the project to show may both arrive before the first session is listed.
    const begun = new Set<string>();
    const land = (project?: string) => {
      const deck = client.deck.get();
      if (!deck) return false;
      if (project !== undefined && showOpen(client, project)) return true;
      const last = lastActive(deck, project);
      const home = project ?? defaultProject(deck)?.id;
      const agent = usableAgent(deck, home);
      if (last) showSession(last.id);
      else if (home !== undefined && agent !== undefined && !begun.has(home)) {
        begun.add(home);
        const before = inFront();
        // If the user opened something else in between, it stays in front.
        composeSession(client, home, agent, { isWanted: () => inFront() === before }).catch((error) =>
          console.warn('no first session', error),
        );
      }
      return true;
    };
    let isDone = hadStoredLayout() && layout.get().cards.length > 0;
    let isRequested = route.get() !== undefined;
    const once = () => {
      // A user who closed everything sees Home again.
      isDone ||= hadStoredLayout() && hasSessions(client.deck.get());
      if (isDone) return;
      const kept = serverLayout(client);
      // The stored layout is another device's, and a session can't be started here (N55).
      if (isLimited.get()) {
        if (!isRequested) showHome();
        isRequested = true;
      } else if (kept) {
        changeLayout(() => kept);
        if (!isRequested && isPhone() && client.requestedProject.get() === undefined) showHome();
        else openRoute({ isReload: false });
        isRequested = true;
      }
      isDone = isRequested || atHome.get() || landOnPhone(client) || land(client.requestedProject.get());
    };
    once();
    const offs = [
      client.layout.subscribe(once),
      client.deck.subscribe(once),
      client.requestedProject.subscribe(() => land(client.requestedProject.get())),
    ];
    return () => {
      for (const off of offs) off();
    };
  }, [client]);
}

/** A phone shows one card at a time: Home, with everything that needs the user, is the better start. */
function landOnPhone(client: Client): boolean {
  const isHome = isPhone() && client.requestedProject.get() === undefined && hasSessions(client.deck.get());
  if (isHome) showHome();
  return isHome;
}

const isPhone = () => matchMedia(PHONE).matches;

const inFront = () => `${route.get()} ${activeCard(layout.get())?.id}`;

function showOpen(client: Client, project: string): boolean {
  const now = layout.get();
  const found = cardOfProject(project, now, client.deck.get()?.sessions);
  // The front card keeps the focus: a restarted server asks for its project too.
  if (found && found !== activeCard(now)) showCard(found.id);
  return found !== undefined;
}
