/** What this browser remembers of the deck. */
import { kept, listOfNames } from './kept.ts';

/** Projects whose sessions are folded away. */
export const foldedProjects = kept<readonly string[]>('folded', listOfNames, { isShared: true });

export const sidebarHidden = kept<boolean>('sidebar-hidden', (raw) => raw === true, { isShared: true });
