/** A pull request or an issue to start from (B91). Its texts come from other people. */
import { z } from 'zod';

export const forgeItemSchema = z.object({
  kind: z.enum(['pull', 'issue']),
  number: z.number().int().positive(),
  url: z
    .string()
    .max(500)
    .regex(/^https:\/\//),
  title: z.string().max(500),
  body: z.string().max(20_000),
  author: z.string().max(100),
  /** Whether the author may write to the repository. */
  mayWrite: z.boolean(),
  isOpen: z.boolean(),
  /** Of a pull request: its commits are used. */
  head: z
    .object({
      branch: z.string().max(300),
      commit: z.string().max(64),
      /** From another repository. */
      isForeign: z.boolean(),
    })
    .optional(),
});
export type ForgeItem = z.infer<typeof forgeItemSchema>;

export const forgeStartSchema = z.object({
  number: z.number().int().positive(),
  /** The head that was shown. */
  commit: z.string().max(64).optional(),
});
export type ForgeStart = z.infer<typeof forgeStartSchema>;
