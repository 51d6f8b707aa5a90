/** The note at the bottom of the page: an action that can be undone, or an error. Shown for some seconds. */
import { cell } from './cell.ts';

export interface Note {
  readonly text: string;
  /** Absent in error notes. */
  readonly undo?: () => void;
}

const SHOWN_MS = 10_000;

export const currentNote = cell<Note | undefined>(undefined);
let timer: ReturnType<typeof setTimeout> | undefined;

export function offerUndo(text: string, undo: () => void): void {
  show({ text, undo });
}

export function showFault(text: string): void {
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
