/** Actions of the front card for the command palette, while it is mounted. */
import { useEffect } from 'react';
import { cell } from './cell.ts';

/** An action in a menu or in the command palette. */
export interface MenuChoice {
  readonly id: string;
  readonly label: string;
  readonly detail?: string | undefined;
  readonly checked?: boolean;
  /** Preceded by a separator. */
  readonly isApart?: boolean;
  readonly onChoose: () => void;
}

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
