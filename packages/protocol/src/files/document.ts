/**
 * The text of one file in an editor, while other programs write to the same file on disk (W2). Pure. Both versions
 * are kept until the user decides; an unmodified text simply follows the disk. Used by the file card and its
 * interleaving test.
 */
export interface DiskText {
  readonly text: string;
  readonly hash: string;
}

export interface Conflict {
  /** Undefined: the file was deleted or is no longer text. */
  readonly theirs: string | undefined;
  /** The version that the decision will overwrite. */
  readonly onDisk: DiskText | undefined;
  /** Their text is only in the trash, so changes on disk do not affect it. */
  readonly isOvertaken?: boolean;
}

export interface FileDocument {
  /** The last known version on disk; undefined if the file does not exist. */
  readonly base: DiskText | undefined;
  readonly text: string;
  readonly conflict: Conflict | undefined;
  /** Being saved. */
  readonly saving: string | undefined;
  /** Saved without an answer: whether it was written is unknown. */
  readonly doubted: string | undefined;
  /** The text that the disk last replaced, while nothing was unsaved; it can be restored. */
  readonly replaced: string | undefined;
}

export interface Draft {
  readonly text: string;
  /** The version it was edited from. */
  readonly base: DiskText | undefined;
}

const PLAIN = { conflict: undefined, saving: undefined, doubted: undefined, replaced: undefined };

export function openDocument(disk: DiskText | undefined, draft?: Draft): FileDocument {
  if (!draft) return { ...PLAIN, base: disk, text: disk?.text ?? '' };
  // As if the file had been open all along.
  return updateFromDisk({ ...PLAIN, base: draft.base, text: draft.text }, disk);
}

export function isDirty({ base, text }: FileDocument): boolean {
  return base === undefined || text !== base.text;
}

export function edit(document: FileDocument, text: string): FileDocument {
  return text === document.text ? document : { ...document, text };
}

/** The file was read again. */
export function updateFromDisk(document: FileDocument, disk: DiskText | undefined): FileDocument {
  const { base, text, saving, doubted, conflict } = document;
  // The answer to the save decides; the file must be read again after it.
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

/** Undefined if nothing is to be saved or a conflict is open. */
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
    // The conflict was reported before the answer: the next save overwrites what was just saved.
    conflict: conflict?.isOvertaken ? { ...conflict, onDisk: base } : conflict,
  };
}

export function saveRefused(document: FileDocument, theirs: DiskText | undefined): FileDocument {
  return updateFromDisk({ ...document, saving: undefined, base: document.base ?? NOTHING }, theirs);
}

/** For a new file that could not be created: any version on disk differs from it. */
const NOTHING: DiskText = { text: '', hash: '' };

/** The save was not answered. */
export function saveLost(document: FileDocument): FileDocument {
  return { ...document, saving: undefined, doubted: document.saving ?? document.doubted };
}

/** A program was still writing to the file that a save replaced; its text is only in the trash. */
export function overtaken(document: FileDocument, theirs: string): FileDocument {
  if (theirs === document.text) return document;
  return { ...document, conflict: { theirs, onDisk: document.base, isOvertaken: true } };
}

/** The user's decision. `mine` is the editor's current text, including any merge. */
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
