/**
 * The session in front on the stage: the conversation used last of those that are in front of their group. New
 * terminals, files, git and reviews belong to it, whatever has the focus (D22).
 */
import type { Readable } from '@tugdeck/client/store';
import { cell } from '../cell.ts';
import { layout } from './dock.ts';
import { activeCard, cardById, groupsOf, type Layout } from './layout.ts';

/** `before`: the session that was in front until this change. */
export function frontSessionOf(now: Layout, before: string | undefined): string | undefined {
  const active = activeCard(now);
  if (active?.kind === 'conversation') return active.params.session;
  const fronts = groupsOf(now).flatMap(({ front }) => {
    const card = cardById(now, front);
    return card?.kind === 'conversation' && card.params.session !== undefined ? [card.params.session] : [];
  });
  if (before !== undefined && fronts.includes(before)) return before;
  return fronts[0] ?? active?.params.session;
}

const front = cell<string | undefined>(undefined);
layout.subscribe(() => front.set(frontSessionOf(layout.get(), front.get())));

export const frontSession: Readable<string | undefined> = front;

/** The session that was in front before, for switching back (D44). */
let current: string | undefined;
let previous: string | undefined;
front.subscribe(() => {
  const now = front.get();
  if (now === undefined || now === current) return;
  previous = current;
  current = now;
});

export function previousSession(): string | undefined {
  return previous;
}
