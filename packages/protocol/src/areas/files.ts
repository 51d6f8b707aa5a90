/**
 * The files area (W2), about a project. File contents go over HTTP, because they may be larger than a frame. Paths are
 * those of `files/paths`.
 */
import { z } from 'zod';
import {
  filesPushSchema,
  foundFileSchema,
  listingSchema,
  searchQuerySchema,
  trashEntrySchema,
} from '../files/messages.ts';
import { defineArea, done } from './area.ts';

const path = z.string().max(4096);
const id = z.string().min(1).max(100);
const folder = z.strictObject({ folder: path });
const file = z.strictObject({ path });

export const files = defineArea('files', {
  about: z.strictObject({ project: id }),
  events: filesPushSchema,
  calls: {
    /** Lists a folder and reports its changes from then on. */
    list: { input: folder, output: listingSchema },
    /** Stops reporting changes of a folder. */
    leave: { input: folder, output: done },
    /** Reports changes of this file from then on. */
    follow: { input: file, output: done },
    unfollow: { input: file, output: done },
    find: {
      input: z.strictObject({ query: z.string().max(500) }),
      output: z.object({ files: z.array(foundFileSchema) }),
    },
    create: { input: z.strictObject({ path, kind: z.enum(['file', 'folder']) }), output: done },
    rename: { input: z.strictObject({ from: path, to: path }), output: done },
    delete: { input: file, output: z.object({ trash: id }) },
    /** Restores to the original path, or to another. */
    restore: {
      input: z.strictObject({ trash: id, to: path.optional() }),
      output: z.object({ path: z.string() }),
    },
    trash: { input: z.strictObject({}), output: z.object({ entries: z.array(trashEntrySchema) }) },
    /** Hits are pushed under this name; the reply comes at the end. */
    search: {
      input: z.strictObject({ search: id, query: searchQuerySchema }),
      output: z.object({
        hits: z.number(),
        files: z.number(),
        isCut: z.boolean(),
        isStopped: z.boolean(),
      }),
    },
    stop: { input: z.strictObject({ search: id }), output: done },
  },
  wire: { tag: 'do' },
});
