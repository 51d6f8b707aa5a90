/**
 * The user's review notes: viewed files, accepted hunks, comments, undoable reverts. One small file beside the
 * session's journal, rewritten as a whole by the server only.
 */
import { readFileSync } from 'node:fs';
import { writePrivate } from '@tugdeck/local/private-file';
import { reviewCommentSchema } from '@tugdeck/protocol/review/review-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';

const MAX_MARKS = 5_000;
const MAX_COMMENTS = 500;
const MAX_UNDO = 50;

const undoSchema = z.object({
  id: z.string(),
  /** Content before and after the revert; absent if the file did not exist. */
  files: z.array(
    z.object({
      path: z.string(),
      before: z.object({ blob: z.string(), mode: z.string() }).optional(),
      after: z.string().optional(),
    }),
  ),
});
export type Undo = z.infer<typeof undoSchema>;

const notesSchema = z.object({
  viewed: z.record(z.string(), z.string()).default({}),
  accepted: z.array(z.object({ path: z.string(), hunk: z.string() })).default([]),
  comments: z.array(reviewCommentSchema).default([]),
  nextComment: z.number().int().default(1),
  undo: z.array(undoSchema).default([]),
});
export type Notes = z.infer<typeof notesSchema>;

export class ReviewNotes {
  readonly #file: string;
  #notes: Notes;

  constructor(file: string) {
    this.#file = file;
    this.#notes = read(file);
  }

  get notes(): Notes {
    return this.#notes;
  }

  setViewed(path: string, after: string, isViewed: boolean): void {
    const { [path]: _old, ...others } = this.#notes.viewed;
    const viewed = isViewed ? { ...others, [path]: after } : others;
    this.#save({ viewed: Object.fromEntries(Object.entries(viewed).slice(-MAX_MARKS)) });
  }

  setAccepted(path: string, hunk: string, isAccepted: boolean): void {
    const others = this.#notes.accepted.filter((one) => one.path !== path || one.hunk !== hunk);
    this.#save({ accepted: (isAccepted ? [...others, { path, hunk }] : others).slice(-MAX_MARKS) });
  }

  addComment(comment: Pick<Comment, 'path' | 'side' | 'line' | 'quote' | 'text'>, at: number): Comment {
    const { comments, nextComment } = this.#notes;
    if (comments.length >= MAX_COMMENTS) throw new CodedError('TOO_MANY');
    const made = { ...comment, id: `R${nextComment}`, at };
    this.#save({ comments: [...comments, made], nextComment: nextComment + 1 });
    return made;
  }

  changeComments(ids: readonly string[], change: (comment: Comment) => Comment | undefined): void {
    const { comments } = this.#notes;
    for (const id of ids) {
      if (!comments.some((one) => one.id === id))
        throw new CodedError('NOT_FOUND', 'This comment no longer exists.');
    }
    const changed = comments.map((one) => (ids.includes(one.id) ? change(one) : one));
    this.#save({ comments: changed.filter((one) => one !== undefined) });
  }

  pushUndo(undo: Undo): void {
    this.#save({ undo: [...this.#notes.undo, undo].slice(-MAX_UNDO) });
  }

  takeUndo(id: string): Undo {
    const undo = this.#notes.undo.find((one) => one.id === id);
    if (!undo) throw new CodedError('NOT_FOUND', 'This was already undone.');
    return undo;
  }

  dropUndo(id: string): void {
    this.#save({ undo: this.#notes.undo.filter((one) => one.id !== id) });
  }

  #save(change: Partial<Notes>): void {
    const notes = { ...this.#notes, ...change };
    writePrivate(this.#file, JSON.stringify(notes));
    this.#notes = notes;
  }
}

type Comment = Notes['comments'][number];

function read(file: string): Notes {
  try {
    return notesSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    // Missing or unreadable: start with empty notes.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || !(error as NodeJS.ErrnoException).code) {
      return notesSchema.parse({});
    }
    throw error;
  }
}
