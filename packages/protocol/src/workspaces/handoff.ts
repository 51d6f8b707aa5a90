/** Handing off a session between the checkout and a workspace (B72 to B77). */
import { z } from 'zod';

const text = z.string().max(4096);
const count = z.number().int().nonnegative();
const id = z.string().min(1).max(100);

/** `checkout`, `new`, or the id or name of a workspace. */
export const handoffChoiceSchema = z.object({ session: id, to: id });
export type HandoffChoice = z.infer<typeof handoffChoiceSchema>;

export const handoffPreviewSchema = z.object({
  /** The directories. Absent for a workspace that does not exist yet. */
  from: text,
  to: text.optional(),
  /** Files that are written, and those of them that are merged with changes there. */
  files: count,
  merged: count,
  /** Changed on both sides; nothing is handed off then. At most 200. */
  conflicts: z.array(text).max(200),
  /** Identifies what was shown. */
  hash: z.string().max(100),
  refusal: z.string().max(500).optional(),
});
export type HandoffPreview = z.infer<typeof handoffPreviewSchema>;

export const handoffRequestSchema = handoffChoiceSchema.extend({
  hash: z.string().max(100),
  /** Takes the changes out of the checkout afterwards. */
  take: z.boolean().optional(),
});
export type HandoffRequest = z.infer<typeof handoffRequestSchema>;
