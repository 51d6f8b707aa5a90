import { flattened, type Layout } from '../../kit/layout/layout.ts';
import { PHONE } from '../../kit/use-media.ts';
import { type PlacedLayout, placeLayout } from './place-layout.ts';

/** The visible cards: in front of a group that is neither collapsed nor covered. */
export function visibleCards({ groups }: Pick<PlacedLayout, 'groups'>): readonly string[] {
  return groups.flatMap(({ group, isHidden, collapsed }) =>
    isHidden || collapsed !== 'no' ? [] : [group.front],
  );
}

/** The sessions whose conversations are visible. */
export function visibleSessions(now: Layout, isPhone = matchMedia(PHONE).matches): readonly string[] {
  const seen = visibleCards(placeLayout(isPhone ? flattened(now) : now));
  return now.cards.flatMap(({ id, kind, params }) =>
    kind === 'conversation' && params.session !== undefined && seen.includes(id) ? [params.session] : [],
  );
}
