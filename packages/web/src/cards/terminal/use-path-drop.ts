/** Inserts the path of a dropped item as one shell word; nothing is run. */

import { type DragEvent, useState } from 'react';
import type { OpenTerminal } from '../../features/terminal/rendered-terminals.ts';
import { DRAGGED_PATH, droppedPaths, shellQuote } from '../../features/terminal/shell-quote.ts';
import { useClient } from '../../kit/client-context.tsx';
import { folderOf } from '../../kit/place.ts';

const TAKEN = [DRAGGED_PATH, 'text/uri-list', 'Files'];

export interface PathDrop {
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDragLeave: () => void;
  readonly onDrop: (event: DragEvent) => void;
  readonly 'data-dropping'?: boolean;
}

export function usePathDrop(open: OpenTerminal | undefined, project: string | undefined): PathDrop {
  const client = useClient();
  const [isOver, setOver] = useState(false);
  const isTaken = (event: DragEvent) => event.dataTransfer.types.some((type) => TAKEN.includes(type));
  return {
    onDragOver(event) {
      if (!isTaken(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop(event) {
      setOver(false);
      if (!open || !isTaken(event)) return;
      event.preventDefault();
      // The shell may be in another directory, so the path is absolute.
      const root = folderOf(client.deck.get(), project)?.path ?? '';
      const paths = droppedPaths(event.dataTransfer, root);
      // Browsers hide the path of a file from outside; only its name is available.
      const names = paths.length > 0 ? paths : [...event.dataTransfer.files].map(({ name }) => name);
      if (names.length === 0) return;
      open.screen.terminal.paste(`${names.map(shellQuote).join(' ')} `);
      open.screen.terminal.focus();
    },
    ...(isOver ? { 'data-dropping': true } : {}),
  };
}
