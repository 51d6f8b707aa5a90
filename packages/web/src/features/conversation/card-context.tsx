/** Context shared by the parts of a conversation card: its channel, and which open requests are on screen. */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { Cell } from '@tugdeck/client/store';
import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { Folds } from './folds.ts';
import type { OnScreen } from './on-screen.ts';
import type { Reading } from './reading.ts';

export interface Card {
  readonly session: string;
  readonly channel: ConversationChannel;
  readonly onScreen: OnScreen;
  readonly folds: Folds;
  readonly reading: Reading;
  readonly restoring: Cell<Restoring | undefined>;
}

/** The restore that is previewed. */
export interface Restoring {
  /** The message before which everything is restored. */
  readonly entry: string;
  /** Opened by the Undo of the turn that this message started. */
  readonly isTurn: boolean;
}

const CardContext = createContext<Card | undefined>(undefined);

export const CardProvider = CardContext.Provider;

export function useCard(): Card {
  const card = useContext(CardContext);
  if (!card) throw new Error('no card: render inside CardProvider');
  return card;
}

/** Whether an entry is expanded, and a setter. */
export function useFold(
  id: string,
  defaultOpen: boolean,
): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const { folds } = useCard();
  const subscribe = useCallback((listener: () => void) => folds.subscribe(listener), [folds]);
  const chosen = useSyncExternalStore(subscribe, () => folds.isOpen(id));
  return [chosen ?? defaultOpen, (isOpen) => folds.set(id, isOpen)];
}
