/**
 * The text of one file in an editor, beside the same file on disk that others write to (W2). Pure. The rule: what the
 * user typed and what others wrote are both kept until the user says which to keep; a text without changes of the
 * user's simply follows the disk. Used by the file card, and by the test of a thousand interleavings.
 */
export interface DiskText {
  readonly text: string;
  readonly hash: string;
}

export interface Conflict {
  /** Nothing: the file is gone, or no text any more. */
  readonly theirs: string | undefined;
  /** What a decision will be saved over. */
  readonly onDisk: DiskText | undefined;
  /** Their text is on no disk any more (only in the trash): the disk has nothing to say about it. */
  readonly isOvertaken?: boolean;
}

export interface FileDocument {
  /** What was last known to be on disk; nothing for a file that is not there. */
  readonly base: DiskText | undefined;
  readonly text: string;
  readonly conflict: Conflict | undefined;
  /** On its way to the disk. */
  readonly saving: string | undefined;
  /** Sent, without an answer: whether it was written is not known. */
  readonly doubted: string | undefined;
  /** What the disk replaced last, while nothing here was unsaved: still at hand. */
  readonly replaced: string | undefined;
}

export interface Draft {
  readonly text: string;
  /** What it was made from. */
  readonly base: DiskText | undefined;
}

const PLAIN = { conflict: undefined, saving: undefined, doubted: undefined, replaced: undefined };

export function openDocument(disk: DiskText | undefined, draft?: Draft): FileDocument {
  if (!draft) return { ...PLAIN, base: disk, text: disk?.text ?? '' };
  // As if it had been open all the time: what the disk has now is another text than it was made from, or is not.
  return updateFromDisk({ ...PLAIN, base: draft.base, text: draft.text }, disk);
}

export function isDirty({ base, text }: FileDocument): boolean {
  return base === undefined || text !== base.text;
}

export function edit(document: FileDocument, text: string): FileDocument {
  return text === document.text ? document : { ...document, text };
}

/** The disk was read again. */
export function updateFromDisk(document: FileDocument, disk: DiskText | undefined): FileDocument {
  const { base, text, saving, doubted, conflict } = document;
  // The answer to the save will tell; whoever reads must read again after it.
  if (saving !== undefined) return document;
  const isAsBefore = disk?.hash === base?.hash;
  if (isAsBefore && conflict?.isOvertaken) return document;
  if (isAsBefore) return { ...document, conflict: undefined, doubted: undefined };
  if (disk && disk.text === text) return { ...PLAIN, base: disk, text };
  if (disk && disk.text === doubted) {
    return { ...document, base: disk, doubted: undefined, conflict: undefined };
  }
  if (!isDirty(document) && !conflict && disk)
    return { ...PLAIN, base: disk, text: disk.text, replaced: text };
  return { ...document, conflict: { theirs: disk?.text, onDisk: disk } };
}

/** Nothing while there is nothing to save, or something to decide. */
export function beginSave(document: FileDocument): FileDocument | undefined {
  if (document.conflict || document.saving !== undefined || !isDirty(document)) return undefined;
  return { ...document, saving: document.text };
}

export function saved(document: FileDocument, hash: string): FileDocument {
  const { saving, text, conflict } = document;
  const base = { text: saving ?? text, hash };
  return {
    ...document,
    base,
    saving: undefined,
    doubted: undefined,
    // Told before the answer came: what it will be saved over is what was just saved.
    conflict: conflict?.isOvertaken ? { ...conflict, onDisk: base } : conflict,
  };
}

export function saveRefused(document: FileDocument, theirs: DiskText | undefined): FileDocument {
  return updateFromDisk({ ...document, saving: undefined, base: document.base ?? NOTHING }, theirs);
}

/** A file that was made here and could not be: everything on disk is another text. */
const NOTHING: DiskText = { text: '', hash: '' };

/** No answer came. */
export function saveLost(document: FileDocument): FileDocument {
  return { ...document, saving: undefined, doubted: document.saving ?? document.doubted };
}

/** A program was still writing to what a save replaced: its text is on no disk any more. */
export function overtaken(document: FileDocument, theirs: string): FileDocument {
  if (theirs === document.text) return document;
  return { ...document, conflict: { theirs, onDisk: document.base, isOvertaken: true } };
}

/** The user's word. `mine` is whatever the editor has now, a merge of both included. */
export function resolveConflict(document: FileDocument, choice: 'mine' | 'theirs'): FileDocument {
  const { conflict, text } = document;
  if (!conflict) return document;
  const { theirs, onDisk } = conflict;
  return {
    ...document,
    base: onDisk,
    text: choice === 'mine' ? text : (theirs ?? text),
    conflict: undefined,
  };
}
