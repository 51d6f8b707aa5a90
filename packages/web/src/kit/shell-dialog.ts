/** Lets cards open a dialog of the shell, which owns the open dialog. */
import type { ShellDialog } from '../shell/Shell.tsx';
import { cell } from './cell.ts';

export const requestedDialog = cell<ShellDialog | undefined>(undefined);

export function openShellDialog(dialog: ShellDialog): void {
  requestedDialog.set({ ...dialog });
}
