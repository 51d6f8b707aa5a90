import type { Deck } from '@tugdeck/protocol/wire/deck';
import { useEffect, useMemo, useRef, useState } from 'react';
import { pinned } from '../kit/pinned.ts';
import { reviewed } from '../kit/reviewed.ts';
import { tags } from '../kit/tags.ts';
import { useNow } from '../kit/use-now.ts';
import { useReadable } from '../kit/use-readable.ts';
import { heldList, type SidebarList, sidebarList } from './sidebar-sections.ts';

/** How long the pointer must rest before sessions may change their section. */
const REST_MS = 600;

const NOTHING: SidebarList = { sections: [], projects: [] };

/** The list to draw, and the handlers of its element: while the pointer moves over it, nothing changes its place. */
export function useSidebarList(deck: Deck | undefined, filter: string) {
  const now = useNow('half-minute');
  const done = useReadable(reviewed);
  const pins = useReadable(pinned);
  const tagged = useReadable(tags);
  const [isHeld, setHeld] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const last = useRef({ list: NOTHING, filter, projects: deck?.projects });
  useEffect(() => () => clearTimeout(timer.current), []);
  const list = useMemo(() => {
    if (!deck) return NOTHING;
    const isSameList = last.current.filter === filter && last.current.projects === deck.projects;
    return isHeld && isSameList
      ? heldList(last.current.list, deck)
      : sidebarList(deck, { filter, now, reviewed: done, pinned: pins, tags: tagged });
  }, [deck, filter, now, done, pins, tagged, isHeld]);
  last.current = { list, filter, projects: deck?.projects };
  const release = () => {
    clearTimeout(timer.current);
    setHeld(false);
  };
  const onPointerMove = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setHeld(false), REST_MS);
    setHeld(true);
  };
  return { list, handlers: { onPointerMove, onPointerLeave: release } };
}
