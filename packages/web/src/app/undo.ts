/** What is told at the foot of the page for some seconds (UX 7): what was done and can be taken back, or what failed. */
import { cell } from '../ui/cell.ts';

export interface Note {
  readonly text: string;
  /** Without it the note tells of something that failed. */
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
