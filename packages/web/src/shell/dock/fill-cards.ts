/** Assigns the current session or project to cards of an old layout that have none. Pure. */
import type { Deck } from '@tugdeck/protocol/wire/deck';
import { kindByName } from '../../kit/card-kinds.ts';
import { changeCard, forgetCard } from '../../kit/layout/edit-layout.ts';
import type { Layout } from '../../kit/layout/layout.ts';
import { defaultProject } from '../../kit/machines.ts';
import { placeOf } from '../../kit/place.ts';
import { lastActive } from '../../kit/projects.ts';

export function fillCards(layout: Layout, deck: Deck): Layout {
  const isOpen = (session: string) => layout.cards.some(({ params }) => params.session === session);
  const last = lastActive(deck);
  const project = last ? placeOf(last) : defaultProject(deck)?.id;
  return layout.cards.reduce((now, { id, kind, params }) => {
    const needs = kindByName(kind)?.needs;
    const isEmpty = params.project === undefined && params.session === undefined;
    if (!isEmpty || needs === undefined || needs === 'nothing') return now;
    const filled =
      needs === 'project'
        ? project === undefined
          ? undefined
          : { ...params, project }
        : last && !isOpen(last.id)
          ? { ...params, session: last.id }
          : undefined;
    return filled ? changeCard(now, id, (card) => ({ ...card, params: filled })) : forgetCard(now, id);
  }, layout);
}
