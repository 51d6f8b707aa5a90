/** On a phone the buttons of the card in front are in the title bar, which the dock draws. */
import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { cell } from './cell.ts';
import { useCardFrame } from './layout/card-frame.tsx';
import { PHONE, useMedia } from './use-media.ts';
import { useReadable, useSelected } from './use-readable.ts';

/** Where the title bar takes the buttons of the card in front. */
export const phoneTitleSlot = cell<HTMLElement | null>(null);

export function InPhoneTitle({ children }: { children: ReactNode }) {
  const isPhone = useMedia(PHONE);
  const slot = useReadable(phoneTitleSlot);
  const isVisible = useSelected(useCardFrame(), (frame) => frame.isVisible);
  if (!isPhone) return children;
  return slot && isVisible ? createPortal(children, slot) : null;
}
