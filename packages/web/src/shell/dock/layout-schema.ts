/** Schema of a stored layout, which may be old, edited or broken. */
import { z } from 'zod';
import type { Node } from '../../kit/layout/layout.ts';

const id = z.string().min(1).max(100);
const share = z.number().min(0).max(1);

const paramsSchema = z.object({
  project: id.optional(),
  session: id.optional(),
  of: id.optional(),
  item: z.string().max(4096).optional(),
});
const cardSchema = z.object({
  id,
  kind: id,
  params: paramsSchema,
  title: z.string().max(200).optional(),
  isTemporary: z.boolean().optional().catch(undefined),
});
const groupSchema = z.object({
  type: z.literal('group'),
  id,
  cards: z.array(id).max(200),
  front: z.string().max(100),
  isCollapsed: z.boolean().optional(),
});
const nodeSchema: z.ZodType<Node> = z.lazy(() =>
  z.union([
    groupSchema,
    z.object({
      type: z.literal('split'),
      direction: z.enum(['row', 'column']),
      children: z.array(nodeSchema).min(1).max(50),
      sizes: z.array(z.number().min(0)).max(50),
    }),
  ]),
) as z.ZodType<Node>;

export const layoutSchema = z.object({
  version: z.literal(3),
  cards: z.array(cardSchema).max(200),
  root: nodeSchema.optional(),
  floats: z
    .array(z.object({ group: groupSchema, x: z.number(), y: z.number(), width: share, height: share }))
    .max(50)
    .default([]),
  active: id.optional(),
  maximised: id.optional(),
  closed: z.array(z.object({ card: cardSchema, group: id, at: z.number().int().min(0) })).default([]),
});
