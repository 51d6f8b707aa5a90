/** The last thing done that can be taken back, for some seconds at the foot of the page (UX 7). One at a time. */
import { cell } from '../ui/cell.ts';

export interface Undo {
  readonly text: string;
  readonly undo: () => void;
}

const SHOWN_MS = 10_000;

export const lastDone = cell<Undo | undefined>(undefined);
let timer: ReturnType<typeof setTimeout> | undefined;

export function offerUndo(text: string, undo: () => void): void {
  clearTimeout(timer);
  lastDone.set({ text, undo });
  timer = setTimeout(() => lastDone.set(undefined), SHOWN_MS);
}

export function forgetUndo(): void {
  clearTimeout(timer);
  lastDone.set(undefined);
}
