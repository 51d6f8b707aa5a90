/** Lets cards open a dialog of the shell, which owns the open dialog. */
import { cell } from '../ui/cell.ts';
import type { ShellDialog } from './Shell.tsx';

export const requestedDialog = cell<ShellDialog | undefined>(undefined);

export function openShellDialog(dialog: ShellDialog): void {
  requestedDialog.set({ ...dialog });
}
