/** The note at the bottom of the page: an action that can be undone, an error, or what was chosen. Shown for some seconds. */
import { cell } from './cell.ts';

export interface Note {
  readonly text: string;
  /** Absent in other notes. */
  readonly undo?: () => void;
  readonly isFault?: boolean;
}

const SHOWN_MS = 10_000;

export const currentNote = cell<Note | undefined>(undefined);
let timer: ReturnType<typeof setTimeout> | undefined;

export function offerUndo(text: string, undo: () => void): void {
  show({ text, undo });
}

export function showFault(text: string): void {
  show({ text, isFault: true });
}

export function showNote(text: string): void {
  show({ text });
}

export function dismissNote(): void {
  clearTimeout(timer);
  currentNote.set(undefined);
}

function show(note: Note): void {
  clearTimeout(timer);
  currentNote.set(note);
  timer = setTimeout(() => currentNote.set(undefined), SHOWN_MS);
}
