/** Lets cards open a dialog of the shell, which owns the open dialog. */
import { cell } from './cell.ts';

export type ShellDialog =
  | { kind: 'project' }
  | { kind: 'workspaces'; project: string }
  | { kind: 'palette' }
  | { kind: 'keyboard' }
  | { kind: 'search'; query?: string }
  | { kind: 'picker'; group?: string }
  | { kind: 'quick-open' };

export const requestedDialog = cell<ShellDialog | undefined>(undefined);

export function openShellDialog(dialog: ShellDialog): void {
  requestedDialog.set({ ...dialog });
}
