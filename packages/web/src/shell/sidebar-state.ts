/** Persisted state of the sidebar and the status bar. */
import { persisted, stringList } from '../kit/persisted.ts';

/** Collapsed projects. */
export const foldedProjects = persisted<readonly string[]>('folded', stringList, { isShared: true });

export const sidebarHidden = persisted<boolean>('sidebar-hidden', (raw) => raw === true, { isShared: true });

export const statusBarHidden = persisted<boolean>('status-bar-hidden', (raw) => raw === true, {
  isShared: true,
});
