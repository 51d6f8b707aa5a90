/** Unified or side by side: by the room there is, unless the user chose. The choice is kept in this browser. */
import { useLayoutEffect, useState } from 'react';
import { persisted } from '../app/persisted.ts';
import { useReadable } from '../ui/use-readable.ts';

export type DiffLayout = 'unified' | 'split';

/** Two columns of eighty characters and their numbers need about this much. */
const ROOM = 1180;
const PHONE = 640;

const chosen = persisted<DiffLayout | null>(
  'diff',
  (raw) => (raw === 'unified' || raw === 'split' ? raw : null),
  {
    isShared: true,
  },
);

export interface DiffLayoutState {
  readonly layout: DiffLayout;
  /** There is room for both. */
  readonly canSplit: boolean;
  choose(layout: DiffLayout): void;
}

export function useDiffLayout(element: { readonly current: HTMLElement | null }): DiffLayoutState {
  const choice = useReadable(chosen);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const scroller = element.current?.closest('.entry-scroll, .diff-room');
    if (!scroller) return;
    const measure = () => setWidth(scroller.clientWidth);
    const sizes = new ResizeObserver(measure);
    sizes.observe(scroller);
    measure();
    return () => sizes.disconnect();
  }, [element]);
  const canSplit = width >= PHONE;
  const fits = width >= ROOM ? 'split' : 'unified';
  return { layout: canSplit ? (choice ?? fits) : 'unified', canSplit, choose: chosen.set };
}
