/** A card's state in the dock: whether it is visible, and whether keys are meant for it. */
import type { Readable } from '@tugdeck/client/store';
import { createContext, useContext } from 'react';
import { cell } from '../cell.ts';

export interface CardFrameState {
  readonly isVisible: boolean;
  /** In front in the active group: at most one card of the deck. */
  readonly isActive: boolean;
}

export interface CardFrame extends Readable<CardFrameState> {
  readonly id: string;
  /** The element that contains the card. */
  host(): HTMLElement | null;
  set(state: CardFrameState): void;
}

export function createCardFrame(id: string, state: CardFrameState): CardFrame {
  return { id, host: () => document.getElementById(`card-${id}`), ...cell(state) };
}

export const isActiveFrame = ({ isActive }: CardFrameState): boolean => isActive;

/** Whether an event at `target` is meant for this card: inside it, or outside of all cards while it is active. */
export function isMeantFor(frame: CardFrame, target: Element): boolean {
  if (target !== document.body) return frame.host()?.contains(target) ?? false;
  return frame.get().isActive;
}

const CardFrameContext = createContext<CardFrame | undefined>(undefined);

export const CardFrameProvider = CardFrameContext.Provider;

export function useCardFrame(): CardFrame {
  const frame = useContext(CardFrameContext);
  if (!frame) throw new Error('no frame: only the dock renders cards');
  return frame;
}
