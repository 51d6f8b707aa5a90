/** What the card in front offers to the command palette, for as long as it is drawn. */

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
