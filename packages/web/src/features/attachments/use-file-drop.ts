import { type DragEvent, useState } from 'react';
import type { Tray } from './tray.ts';

/** Adds files dropped on the card to its tray (C9). Dragged text and links are ignored. */
export function useFileDrop(tray: Tray) {
  const [isOver, setOver] = useState(false);
  const take = (event: DragEvent): boolean => {
    if (!event.dataTransfer.types.includes('Files')) return false;
    event.preventDefault();
    return true;
  };
  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (take(event)) setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        const to = event.relatedTarget;
        if (!(to instanceof Node && event.currentTarget.contains(to))) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        if (take(event)) tray.add(event.dataTransfer.files);
        setOver(false);
      },
    },
  };
}
