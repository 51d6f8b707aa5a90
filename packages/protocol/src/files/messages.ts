/** Data of the files area (W2, areas/files) and of the HTTP requests for file contents. Paths are those of `paths.ts`. */
import { z } from 'zod';

export const MAX_FOUND = 50;
/** Maximum entries listed for a folder; `left` counts the rest. */
export const MAX_LISTED = 5_000;
/** Maximum size of a text opened for editing. */
export const MAX_TEXT = 4 * 1024 * 1024;

const path = z.string().max(4096);
const id = z.string().min(1).max(100);

/** Git's status letter of a file; for a folder, that something in it has one. `!` is ignored, `?` untracked. */
export const fileMarkSchema = z.enum(['M', 'A', 'D', 'R', 'U', '?', '!']);
export type FileMark = z.infer<typeof fileMarkSchema>;

/** `other`: neither file nor folder (a socket, pipe or device), or a link that is broken or leaves the project. */
export const fileEntrySchema = z.object({
  name: z.string(),
  kind: z.enum(['file', 'folder', 'other']),
  isLink: z.boolean().optional(),
  mark: fileMarkSchema.optional(),
});
export type FileEntry = z.infer<typeof fileEntrySchema>;

export const listingSchema = z.object({
  folder: z.string(),
  entries: z.array(fileEntrySchema),
  /** Number of entries that are not listed. */
  left: z.number().int(),
});
export type Listing = z.infer<typeof listingSchema>;

export const searchQuerySchema = z.strictObject({
  text: z.string().min(1).max(1_000),
  isRegex: z.boolean().default(false),
  isCaseSensitive: z.boolean().default(false),
  isWholeWord: z.boolean().default(false),
  /** Searches only this folder. */
  folder: path.default(''),
});
export type SearchQuery = z.infer<typeof searchQuerySchema>;

export const foundFileSchema = z.object({
  path: z.string(),
  kind: z.enum(['file', 'folder']),
  /** Matching positions in the path. */
  at: z.array(z.number().int()),
});
export type FoundFile = z.infer<typeof foundFileSchema>;

export const trashEntrySchema = z.object({
  id,
  path: z.string(),
  kind: z.enum(['file', 'folder', 'other']),
  at: z.number(),
  /** Deleted by a user, or replaced by a save that came too late to be detected. */
  why: z.enum(['deleted', 'overtaken']),
});
export type TrashEntry = z.infer<typeof trashEntrySchema>;

export const searchHitSchema = z.object({
  path: z.string(),
  line: z.number().int(),
  /** The line, truncated around the hit if it is long. */
  text: z.string(),
  /** Start and end of each hit in `text`. */
  at: z.array(z.tuple([z.number().int(), z.number().int()])),
  /** Column of the first hit in the whole line. */
  column: z.number().int(),
});
export type SearchHit = z.infer<typeof searchHitSchema>;

export const filesPushSchema = z.discriminatedUnion('type', [
  /** Entries or git marks of these folders changed; these files have new contents. */
  z.object({ type: z.literal('changed'), folders: z.array(z.string()), files: z.array(z.string()) }),
  /** Too many changes to list: reload everything. */
  z.object({ type: z.literal('everything') }),
  z.object({ type: z.literal('found'), search: id, hits: z.array(searchHitSchema) }),
  /** A save overwrote a change that another program was still writing. Its text is also in the trash. */
  z.object({ type: z.literal('overtaken'), path: z.string(), text: z.string(), trash: id }),
  /** Whether all changes are watched, or only open folders because the system limits watches. */
  z.object({ type: z.literal('watching'), extent: z.enum(['everything', 'open folders']) }),
]);
export type FilesPush = z.infer<typeof filesPushSchema>;

/** `GET /api/file/text`. */
export const fileTextSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string(), hash: z.string(), isWritable: z.boolean() }),
  /** The page's `known` hash is current. */
  z.object({ kind: z.literal('same'), hash: z.string() }),
  /** The file does not exist. Not an error, because files come and go while they are open. */
  z.object({ kind: z.literal('gone') }),
  z.object({
    kind: z.enum(['binary', 'large']),
    size: z.number(),
    hash: z.string().optional(),
    preview: z.enum(['image', 'pdf']).optional(),
  }),
]);
export type FileText = z.infer<typeof fileTextSchema>;

/** `PUT /api/file/text`: saved, or the current version (undefined if it was deleted or is no longer text). */
export const saveAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('saved'), hash: z.string() }),
  z.object({
    kind: z.literal('changed'),
    theirs: z.object({ text: z.string(), hash: z.string() }).optional(),
  }),
]);
export type SaveAnswer = z.infer<typeof saveAnswerSchema>;
