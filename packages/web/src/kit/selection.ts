/** Multi-selection of sessions in the sidebar: Ctrl/Cmd toggles one, Shift selects a range. */
import { cell } from '../kit/cell.ts';

export const selected = cell<readonly string[]>([]);
let anchor: string | undefined;

export interface Click {
  readonly isAdding: boolean;
  readonly isExtending: boolean;
}

/**
 * Returns whether the click changed the selection instead of opening the session. `shown`: the visible ids in
 * order.
 */
export function chooseSession(
  id: string,
  { isAdding, isExtending }: Click,
  shown: readonly string[],
): boolean {
  if (!isAdding && !isExtending) {
    anchor = id;
    if (selected.get().length > 0) selected.set([]);
    return false;
  }
  const now = selected.get();
  if (isExtending && anchor !== undefined) {
    const [from, to] = [shown.indexOf(anchor), shown.indexOf(id)].sort((a, b) => a - b);
    const between = from === undefined || from < 0 ? [id] : shown.slice(from, (to ?? from) + 1);
    selected.set([...new Set([...now, ...between])]);
    return true;
  }
  anchor = id;
  selected.set(now.includes(id) ? now.filter((other) => other !== id) : [...now, id]);
  return true;
}

export function clearSelection(): void {
  selected.set([]);
}

export function toggleSelected(id: string): void {
  const now = selected.get();
  selected.set(now.includes(id) ? now.filter((other) => other !== id) : [...now, id]);
}
