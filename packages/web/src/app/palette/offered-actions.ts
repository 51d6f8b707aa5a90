/** Actions of the front card for the command palette, while it is mounted. */

import { useEffect } from 'react';
import { cell } from '../../ui/cell.ts';
import type { MenuChoice } from '../../ui/Menu.tsx';

export const offeredActions = cell<readonly MenuChoice[]>([]);

export function useOfferedActions(choices: readonly MenuChoice[], isInFront: boolean): void {
  useEffect(() => {
    if (!isInFront) return;
    offeredActions.set(choices);
    return () => {
      if (offeredActions.get() === choices) offeredActions.set([]);
    };
  }, [choices, isInFront]);
}
