/** Lets cards open a dialog of the shell, which owns the open dialog. */
import { cell } from './cell.ts';

export type ShellDialog =
  | { kind: 'project' }
  | { kind: 'workspaces'; project: string }
  | { kind: 'land'; project: string; workspace: string }
  | { kind: 'push'; place: string; branch?: string }
  | { kind: 'pull'; workspace: string; session?: string }
  | { kind: 'handoff'; session: string }
  | { kind: 'palette' }
  | { kind: 'keyboard' }
  | { kind: 'search'; query?: string }
  | { kind: 'picker'; group?: string }
  | { kind: 'outside'; place: string; path: string; line?: number }
  | { kind: 'tags'; session: string }
  | { kind: 'prompts'; text?: string }
  | { kind: 'quick-open' };

export const requestedDialog = cell<ShellDialog | undefined>(undefined);

export function openShellDialog(dialog: ShellDialog): void {
  requestedDialog.set({ ...dialog });
}
