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

/** Longer text makes a text box too slow to type in. */
export const MAX_PASTED = 64 * 1024;

/** The clipboard contents that become attachments instead of text. */
export function filesOfPaste(
  clipboard: Pick<DataTransfer, 'files' | 'types' | 'getData'>,
): Iterable<File> | undefined {
  // Content with both, such as a spreadsheet cell, is pasted as text.
  if (!clipboard.types.includes('text/plain')) {
    return clipboard.files.length > 0 ? clipboard.files : undefined;
  }
  const text = clipboard.getData('text/plain');
  return text.length > MAX_PASTED ? [new File([text], 'pasted.txt', { type: 'text/plain' })] : undefined;
}
