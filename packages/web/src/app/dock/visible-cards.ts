import { flattened, type Layout } from './layout.ts';
import { type PlacedLayout, placeLayout } from './place-layout.ts';

/** One card at a time is drawn there. */
export const PHONE = '(max-width: 640px)';

/** The cards that are in sight: in front of a group that is neither collapsed nor covered. */
export function visibleCards({ groups }: Pick<PlacedLayout, 'groups'>): readonly string[] {
  return groups.flatMap(({ group, isHidden, collapsed }) =>
    isHidden || collapsed !== 'no' ? [] : [group.front],
  );
}

/** The sessions whose conversations are in sight now. */
export function visibleSessions(now: Layout, isPhone = matchMedia(PHONE).matches): readonly string[] {
  const seen = visibleCards(placeLayout(isPhone ? flattened(now) : now));
  return now.cards.flatMap(({ id, kind, params }) =>
    kind === 'conversation' && params.session !== undefined && seen.includes(id) ? [params.session] : [],
  );
}
