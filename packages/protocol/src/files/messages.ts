/**
 * What pages and server say about the files of one project (feed 0x10, W2). Texts of files travel over HTTP: they may
 * be larger than a frame. Paths are those of `paths.ts`.
 */
import { z } from 'zod';

export const MAX_FOUND = 50;
/** Entries of one folder that are told; a folder with more says so. */
export const MAX_LISTED = 5_000;
/** The largest text that is opened for editing. */
export const MAX_TEXT = 4 * 1024 * 1024;

const path = z.string().max(4096);
const id = z.string().min(1).max(100);

export const filesAboutSchema = z.strictObject({ project: id });

/** Git's word on a file; of a folder, that something in it has one. `!` is ignored, `?` new to git. */
export const fileMarkSchema = z.enum(['M', 'A', 'D', 'R', 'U', '?', '!']);
export type FileMark = z.infer<typeof fileMarkSchema>;

/** `other`: neither file nor folder (a socket, a pipe, a device), or a link that leads nowhere or out. */
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
  /** How many more there are than are told. */
  left: z.number().int(),
});
export type Listing = z.infer<typeof listingSchema>;

export const searchQuerySchema = z.strictObject({
  text: z.string().min(1).max(1_000),
  isRegex: z.boolean().default(false),
  isCaseSensitive: z.boolean().default(false),
  isWholeWord: z.boolean().default(false),
  /** Only in this folder. */
  folder: path.default(''),
});
export type SearchQuery = z.infer<typeof searchQuerySchema>;

export const filesAskSchema = z.discriminatedUnion('do', [
  /** Tells what is in a folder, and from now on when that changes. */
  z.strictObject({ do: z.literal('list'), folder: path }),
  /** The folder was folded up: nothing more about it. */
  z.strictObject({ do: z.literal('leave'), folder: path }),
  /** Tells from now on when this file changes. */
  z.strictObject({ do: z.literal('follow'), path }),
  z.strictObject({ do: z.literal('unfollow'), path }),
  z.strictObject({ do: z.literal('find'), query: z.string().max(500) }),
  z.strictObject({ do: z.literal('create'), path, kind: z.enum(['file', 'folder']) }),
  z.strictObject({ do: z.literal('rename'), from: path, to: path }),
  z.strictObject({ do: z.literal('delete'), path }),
  /** Back to where it was, or to another place. */
  z.strictObject({ do: z.literal('restore'), trash: id, to: path.optional() }),
  z.strictObject({ do: z.literal('trash') }),
  /** Hits are pushed under this name; the reply comes at the end. */
  z.strictObject({ do: z.literal('search'), search: id, query: searchQuerySchema }),
  z.strictObject({ do: z.literal('stop'), search: id }),
]);
export type FilesAsk = z.infer<typeof filesAskSchema>;

export const foundFileSchema = z.object({
  path: z.string(),
  kind: z.enum(['file', 'folder']),
  /** Places of the path that matched. */
  at: z.array(z.number().int()),
});
export type FoundFile = z.infer<typeof foundFileSchema>;

export const trashEntrySchema = z.object({
  id,
  path: z.string(),
  kind: z.enum(['file', 'folder', 'other']),
  at: z.number(),
  /** Why it is there: somebody deleted it, or a save met a change that came too late to be asked about. */
  why: z.enum(['deleted', 'overtaken']),
});
export type TrashEntry = z.infer<typeof trashEntrySchema>;

export const searchHitSchema = z.object({
  path: z.string(),
  line: z.number().int(),
  /** The line, cut around the hit where it is long. */
  text: z.string(),
  /** Pairs of start and end in `text`. */
  at: z.array(z.tuple([z.number().int(), z.number().int()])),
  /** Where the first hit begins in the whole line. */
  column: z.number().int(),
});
export type SearchHit = z.infer<typeof searchHitSchema>;

/** The value of each ask's reply. */
export const FILES_VALUES = {
  list: listingSchema,
  leave: z.null(),
  follow: z.null(),
  unfollow: z.null(),
  find: z.object({ files: z.array(foundFileSchema) }),
  create: z.null(),
  rename: z.null(),
  delete: z.object({ trash: id }),
  restore: z.object({ path: z.string() }),
  trash: z.object({ entries: z.array(trashEntrySchema) }),
  search: z.object({ hits: z.number(), files: z.number(), isCut: z.boolean(), isStopped: z.boolean() }),
  stop: z.null(),
} as const satisfies Record<FilesAsk['do'], z.ZodType>;
export type FilesValue<Do extends FilesAsk['do']> = z.infer<(typeof FILES_VALUES)[Do]>;

export const filesPushSchema = z.discriminatedUnion('type', [
  /** Something in these folders came, went or got another mark; these files have another content. */
  z.object({ type: z.literal('changed'), folders: z.array(z.string()), files: z.array(z.string()) }),
  /** Too much happened to say what: look at everything again. */
  z.object({ type: z.literal('everything') }),
  z.object({ type: z.literal('found'), search: id, hits: z.array(searchHitSchema) }),
  /** A save went over a change that another program was still writing: its text, which is in the trash as well. */
  z.object({ type: z.literal('overtaken'), path: z.string(), text: z.string(), trash: id }),
  /** Whether changes are seen everywhere, or (too many folders for this system) only in the open ones. */
  z.object({ type: z.literal('watching'), extent: z.enum(['everything', 'open folders']) }),
]);
export type FilesPush = z.infer<typeof filesPushSchema>;

/** `GET /api/file/text`. */
export const fileTextSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string(), hash: z.string(), isWritable: z.boolean() }),
  /** What the page knows already: its `known` was this hash. */
  z.object({ kind: z.literal('same'), hash: z.string() }),
  /** There is no such file: no fault, for files come and go while they are looked at. */
  z.object({ kind: z.literal('gone') }),
  z.object({
    kind: z.enum(['binary', 'large']),
    size: z.number(),
    hash: z.string().optional(),
    preview: z.enum(['image', 'pdf']).optional(),
  }),
]);
export type FileText = z.infer<typeof fileTextSchema>;

/** `PUT /api/file/text`: taken, or what is there instead (nothing: it is gone, or no text any more). */
export const saveAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('saved'), hash: z.string() }),
  z.object({
    kind: z.literal('changed'),
    theirs: z.object({ text: z.string(), hash: z.string() }).optional(),
  }),
]);
export type SaveAnswer = z.infer<typeof saveAnswerSchema>;
