import type { ShellDialog } from '../../kit/shell-dialog.ts';
import { Palette } from './Palette.tsx';
import { usePaletteItems } from './use-palette-items.ts';

export interface CommandPaletteProps {
  onDialog: (dialog: ShellDialog) => void;
  onClose: () => void;
}

/** Subscribes to the deck and the card only while it is open. */
export function CommandPalette({ onDialog, onClose }: CommandPaletteProps) {
  return <Palette items={usePaletteItems(onDialog)} onClose={onClose} />;
}
