/** Requests of `tugdeck workspaces` to the server. */
import { z } from 'zod';
import {
  attemptRoomSchema,
  attemptsRowSchema,
  comparedAttemptsSchema,
  startAttemptsSchema,
} from '../attempts/attempts.ts';
import { handoffChoiceSchema, handoffPreviewSchema, handoffRequestSchema } from './handoff.ts';
import { landChoiceSchema, landPreviewSchema, landRequestSchema } from './landing.ts';
import {
  workspaceContentsSchema,
  workspaceRowSchema,
  workspaceSizeSchema,
  workspaceSpecSchema,
} from './workspace.ts';

/** Name or id. */
const name = z.string().min(1).max(100);

export const workspaceRequestSchema = z.discriminatedUnion('act', [
  /** Of one project, or of all. */
  z.object({ act: z.literal('list'), all: z.boolean().optional() }),
  z.object({ act: z.literal('show'), name }),
  z.object({ act: z.literal('create'), spec: workspaceSpecSchema }),
  /** From a pull request or an issue by its number (B91). */
  z.object({ act: z.literal('start'), number: z.number().int().positive() }),
  /** What archiving would keep. */
  z.object({ act: z.literal('contents'), name }),
  z.object({ act: z.literal('archive'), name }),
  z.object({ act: z.literal('restore'), name }),
  z.object({ act: z.literal('forget'), name, confirmed: z.boolean().optional() }),
  z.object({ act: z.literal('land.look'), name, choice: landChoiceSchema }),
  /** Waits until it has landed. */
  z.object({ act: z.literal('land'), name, request: landRequestSchema }),
  z.object({ act: z.literal('handoff.look'), choice: handoffChoiceSchema }),
  /** Waits until the session works in the other place. */
  z.object({ act: z.literal('handoff'), request: handoffRequestSchema }),
  z.object({ act: z.literal('disk') }),
  z.object({ act: z.literal('attempts.list') }),
  /** Starts them under ids that the command chose; without `agent` in an attempt, with the default agent. */
  z.object({ act: z.literal('attempts.start'), request: startAttemptsSchema }),
  z.object({ act: z.literal('attempts.compare'), group: name }),
  /** By session id or workspace name. Refused with NOT_CONFIRMED unless confirmed. */
  z.object({ act: z.literal('attempts.choose'), attempt: name, confirmed: z.boolean().optional() }),
]);
export type WorkspaceRequest = z.infer<typeof workspaceRequestSchema>;

export const workspaceAnswerSchema = z.object({
  rows: z.array(workspaceRowSchema),
  contents: workspaceContentsSchema.optional(),
  landing: landPreviewSchema.optional(),
  handoff: handoffPreviewSchema.optional(),
  sizes: z.array(workspaceSizeSchema).optional(),
  attempts: z.array(attemptsRowSchema).optional(),
  compared: comparedAttemptsSchema.optional(),
  room: attemptRoomSchema.optional(),
});
export type WorkspaceAnswer = z.infer<typeof workspaceAnswerSchema>;
