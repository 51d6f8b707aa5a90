/** The previous or next session in the order of the sidebar. */
import type { Client } from '@tugdeck/client/client';
import { frontSession } from '../kit/layout/front-session.ts';
import { pinned } from '../kit/pinned.ts';
import { reviewed } from '../kit/reviewed.ts';
import { showSession } from '../kit/route.ts';
import { sidebarList } from './sidebar-sections.ts';

export function stepSession(client: Client, step: 1 | -1): void {
  const deck = client.deck.get();
  if (!deck) return;
  const { sections, projects } = sidebarList(deck, {
    filter: '',
    now: Date.now(),
    reviewed: reviewed.get(),
    pinned: pinned.get(),
  });
  const rows = [
    ...sections.flatMap((section) => section.rows),
    ...projects.flatMap(({ sessions }) => sessions),
  ];
  const at = rows.findIndex(({ id }) => id === frontSession.get());
  const next = at < 0 ? rows[0] : rows[at + step];
  if (next) showSession(next.id);
}
