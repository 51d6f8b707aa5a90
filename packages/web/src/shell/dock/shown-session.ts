/** The session that is marked in the sidebar (D18): the one in front, unless Home or another tab covers it. */
import type { Readable } from '@tugdeck/client/store';
import { cell } from '../../kit/cell.ts';
import { layout } from '../../kit/layout/dock.ts';
import { frontSession } from '../../kit/layout/front-session.ts';
import { atHome } from '../../kit/route.ts';
import { visibleSessions } from './visible-cards.ts';

const shown = cell<string | undefined>(undefined);
const update = () => {
  const front = frontSession.get();
  const isShown = front !== undefined && !atHome.get() && visibleSessions(layout.get()).includes(front);
  shown.set(isShown ? front : undefined);
};
for (const source of [layout, frontSession, atHome]) source.subscribe(update);

export const shownSession: Readable<string | undefined> = shown;
