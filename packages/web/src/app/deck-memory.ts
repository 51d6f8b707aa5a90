/** What this browser remembers of the deck. */
import { kept, listOfNames } from './kept.ts';

/** Sessions with an open card, in the order of their tabs. */
export const openCards = kept<readonly string[]>('cards', listOfNames);

/** Projects whose sessions are folded away. */
export const foldedProjects = kept<readonly string[]>('folded', listOfNames);
