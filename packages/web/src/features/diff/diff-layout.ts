/** Unified or side by side: by the available width, unless the user chose. Persisted in this browser. */
import { useLayoutEffect, useState } from 'react';
import { persisted } from '../../kit/persisted.ts';
import { useReadable } from '../../kit/use-readable.ts';

export type DiffLayout = 'unified' | 'split';

/** Width needed for two columns of eighty characters with line numbers. */
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
  /** Whether side by side fits. */
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
