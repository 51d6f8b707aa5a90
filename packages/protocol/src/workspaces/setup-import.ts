/** Setup files that a project has for other tools, offered for import into the user's configuration (B18). */
import { z } from 'zod';

const command = z.string().min(1).max(4096);
const file = z.string().min(1).max(300);
/** Of the file's contents: what was shown is what is imported. */
const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const setupImportSchema = z.object({
  file,
  tool: z.string().max(40),
  hash,
  /** An earlier version was imported or dismissed. */
  isChanged: z.boolean(),
  setup: command.optional(),
  teardown: command.optional(),
  /** Commands by name. */
  run: z.record(z.string().max(40), command).optional(),
  runOneAtATime: z.boolean().optional(),
  /** Patterns of ignored files to copy. */
  copy: z.array(z.string().min(1).max(300)).max(100).optional(),
  /** Variables that the commands expect. */
  environment: z.record(z.string().max(100), z.string().max(200)).optional(),
  /** Parts that can't be imported. */
  left: z.array(z.string().max(300)).max(20).optional(),
});
export type SetupImport = z.infer<typeof setupImportSchema>;

export const setupChoiceSchema = z.object({ file, hash, act: z.enum(['import', 'dismiss']) });
export type SetupChoice = z.infer<typeof setupChoiceSchema>;
