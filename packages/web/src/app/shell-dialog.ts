/** A way for cards to ask for a dialog of the shell; the shell listens and owns which one is open. */
import { cell } from '../ui/cell.ts';
import type { ShellDialog } from './Shell.tsx';

export const requestedDialog = cell<ShellDialog | undefined>(undefined);

export function openShellDialog(dialog: ShellDialog): void {
  requestedDialog.set({ ...dialog });
}
