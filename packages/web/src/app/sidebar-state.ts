/** What this browser remembers of the deck. */
import { persisted, stringList } from './persisted.ts';

/** Projects whose sessions are folded away. */
export const foldedProjects = persisted<readonly string[]>('folded', stringList, { isShared: true });

export const sidebarHidden = persisted<boolean>('sidebar-hidden', (raw) => raw === true, { isShared: true });
