/** Actions of the front card for the command palette, while it is mounted. */
import { useEffect } from 'react';
import type { MenuChoice } from '../ui/Menu.tsx';
import { cell } from './cell.ts';

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
