/** The results of tools. Pure. */
import { z } from 'zod';
import { longTextSchema } from './long-text.ts';

/** A result prepared for display by the driver. The view depends on `type`, never on an agent's tool name. */
export const toolResultSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: longTextSchema }),
  z.object({
    type: z.literal('terminal'),
    stdout: longTextSchema,
    stderr: longTextSchema,
    exitCode: z.number().int().optional(),
    interrupted: z.boolean().optional(),
    task: z.string().optional(),
    /** The agent kept only the beginning: the full size, and the agent's file that has the rest. */
    cut: z.object({ size: z.number().nonnegative(), path: z.string().optional() }).optional(),
  }),
  z.object({
    type: z.literal('file'),
    path: z.string(),
    text: longTextSchema,
    startLine: z.number().int(),
    totalLines: z.number().int().optional(),
  }),
  z.object({ type: z.literal('image'), mimeType: z.string(), data: longTextSchema }),
  z.object({
    type: z.literal('matches'),
    files: z.array(z.string()),
    text: longTextSchema.optional(),
    total: z.number().int().optional(),
  }),
  z.object({
    type: z.literal('agent'),
    text: longTextSchema,
    tokens: z.number().optional(),
    toolUses: z.number().optional(),
    durationMs: z.number().optional(),
  }),
  z.object({ type: z.literal('json'), value: z.unknown() }),
]);

export type ToolResult = z.infer<typeof toolResultSchema>;
