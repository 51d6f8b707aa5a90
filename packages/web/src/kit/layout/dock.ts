/**
 * The current layout and the only way to change it. Views read it; everything that opens, moves or
 * closes a card goes through `changeLayout`. persist-layout.ts stores it.
 */
import type { Readable } from '@tugdeck/client/store';
import { cell } from '../cell.ts';
import { EMPTY_LAYOUT, type Layout } from './layout.ts';

const current = cell<Layout>(EMPTY_LAYOUT);

export const layout: Readable<Layout> = current;

export function changeLayout(change: (layout: Layout) => Layout): void {
  current.set(change(current.get()));
}
