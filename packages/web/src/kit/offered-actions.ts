/** Actions of the front card for the command palette, while it is mounted. */
import type { LucideIcon } from 'lucide-react';
import { useEffect } from 'react';
import { cell } from './cell.ts';
import { isLimited } from './limited.ts';

/** An action in a menu or in the command palette. */
export interface MenuChoice {
  readonly id: string;
  readonly label: string;
  readonly detail?: string | undefined;
  readonly checked?: boolean;
  readonly icon?: LucideIcon;
  /** Preceded by a separator. */
  readonly isApart?: boolean;
  /** Its arguments, for the command palette: chosen in a second list. */
  readonly choices?: readonly MenuChoice[];
  readonly onChoose: () => void;
}

export const offeredActions = cell<readonly MenuChoice[]>([]);

export interface OfferedPrompt {
  /** The agent that would answer. */
  readonly agent: string;
  readonly fill: (text: string) => void;
}

/** The message box of the conversation in front. */
export const offeredPrompt = cell<OfferedPrompt | undefined>(undefined);

export function useOfferedActions(choices: readonly MenuChoice[], isInFront: boolean): void {
  useEffect(() => {
    if (!isInFront || isLimited.get()) return;
    offeredActions.set(choices);
    return () => {
      if (offeredActions.get() === choices) offeredActions.set([]);
    };
  }, [choices, isInFront]);
}
