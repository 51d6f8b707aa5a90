/** Texts that may be too long for a change. Pure. */
import { z } from 'zod';

/** A long text or a binary, stored by content hash (X2). `head` and `tail` can be shown without loading it. */
export const blobRefSchema = z.object({
  blob: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.number().int().nonnegative(),
  head: z.string(),
  tail: z.string(),
  /** The text is the JSON of the original value. */
  form: z.literal('json').optional(),
});
export const longTextSchema = z.union([z.string(), blobRefSchema]);

export type BlobRef = z.infer<typeof blobRefSchema>;
export type LongText = z.infer<typeof longTextSchema>;
