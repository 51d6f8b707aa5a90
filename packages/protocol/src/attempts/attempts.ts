/** Attempts (B37): sessions that work on one prompt, each in its own workspace, all from one commit. */
import { z } from 'zod';
import { firstPromptSchema } from '../conversation/commands.ts';

export const ATTEMPTS = { least: 2, most: 6 } as const;

const id = z.string().min(1).max(100);
const count = z.number().int().nonnegative();
const setting = z.string().min(1).max(200);

/** One attempt to start. A session that exists must have no message yet. */
export const attemptChoiceSchema = z.object({
  session: z.uuid(),
  workspace: z.uuid(),
  agent: z.string().min(1).max(50),
  /** Otherwise the user's default for the agent. */
  model: setting.optional(),
  mode: setting.optional(),
  /** The confirmation that a dangerous mode needs. */
  confirmed: z.boolean().optional(),
});

export const startAttemptsSchema = z.object({
  /** The page chooses it, so that a repeated request starts them once. */
  id: z.uuid(),
  /** Its attachments are stored in the first session. */
  prompt: firstPromptSchema,
  base: z.string().max(300).optional(),
  attempts: z.array(attemptChoiceSchema).min(ATTEMPTS.least).max(ATTEMPTS.most),
});

/** A group of attempts, as the deck lists it. */
export const attemptsRowSchema = z.object({
  id,
  project: id,
  /** The beginning of the prompt. */
  title: z.string().max(200),
  base: z.string().max(300).optional(),
  baseCommit: z.string().max(64),
  createdAt: z.number(),
  /** The session that the user chose; the others were archived. */
  chosen: id.optional(),
  attempts: z.array(
    z.object({
      session: id,
      workspace: id,
      agent: z.string().max(50),
      model: z.string().max(200).optional(),
      /** Its workspace is not being created yet: two are at a time. */
      isWaiting: z.boolean().optional(),
      /** Why it could not be started. */
      fault: z.string().max(1000).optional(),
    }),
  ),
});

/** Files and check of one attempt. State, time, tokens and cost are in the session's row. */
export const attemptFiguresSchema = z.object({
  session: id,
  /** Absent if its files can't be read. */
  files: count.optional(),
  added: count.optional(),
  removed: count.optional(),
  /** Its files as they are now. */
  tree: z.string().max(64).optional(),
  check: z
    .discriminatedUnion('state', [
      z.object({ state: z.literal('running') }),
      z.object({
        state: z.literal('ended'),
        at: z.number(),
        /** Absent if it was stopped. */
        code: z.number().int().optional(),
        /** Its files changed since. */
        isOld: z.boolean(),
      }),
    ])
    .optional(),
});

export const comparedAttemptsSchema = z.object({
  attempts: z.array(attemptFiguresSchema),
  /** Changed files, each with the sessions that changed it. */
  files: z.array(z.object({ path: z.string().max(4096), by: z.array(id) })),
  /** Number of files not in `files`. */
  more: count,
  /** The configured check command. */
  check: z.string().max(4096).optional(),
});

/** How many of some new agents would have to wait for others. */
export const attemptRoomSchema = z.object({ limit: count, running: count });

export type AttemptChoice = z.infer<typeof attemptChoiceSchema>;
export type StartAttempts = z.infer<typeof startAttemptsSchema>;
export type AttemptsRow = z.infer<typeof attemptsRowSchema>;
export type AttemptFigures = z.infer<typeof attemptFiguresSchema>;
export type ComparedAttempts = z.infer<typeof comparedAttemptsSchema>;

/** Why some attempts start later, before any is started; undefined if all can run at once. */
export function roomText(attempts: number, { limit, running }: z.infer<typeof attemptRoomSchema>) {
  const free = Math.max(0, limit - running);
  if (attempts <= free) return undefined;
  const busy = running === 0 ? '' : `, and ${running} ${running === 1 ? 'is' : 'are'} running`;
  return `At most ${limit} ${limit === 1 ? 'agent runs' : 'agents run'} at once${busy}: ${attempts - free} of ${attempts} attempts will be queued.`;
}
