/**
 * The commands of a session (M4). The sender chooses each command's id; a prompt's id is also the id of its entry and
 * the uuid that the agent receives.
 */
import { z } from 'zod';
import { attachmentSchema } from './entries.ts';
import { restorePartsSchema } from './restore.ts';

export const MAX_PROMPT = 512 * 1024;

const id = z.uuid();
const entry = z.string().min(1).max(200);
const prompt = z.string().max(MAX_PROMPT);

export const answerSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('permission'),
    behavior: z.enum(['allow', 'deny']),
    /** One of the offered options; without it, a one-time allow or deny. */
    option: z.string().max(200).optional(),
    message: z
      .string()
      .max(64 * 1024)
      .optional(),
    input: z.unknown().optional(),
    interrupt: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('question'),
    /** Keyed by question id: chosen labels and free text. */
    answers: z.record(
      z.string(),
      z.object({
        choices: z.array(z.string().max(4096)).max(32),
        other: z
          .string()
          .max(16 * 1024)
          .optional(),
        notes: z
          .string()
          .max(16 * 1024)
          .optional(),
      }),
    ),
  }),
  z.object({
    type: z.literal('plan'),
    approve: z.boolean(),
    mode: z.string().max(100).optional(),
    /** The plan as edited by the user, if the agent accepts edits (`canEdit`). */
    plan: z
      .string()
      .min(1)
      .max(256 * 1024)
      .optional(),
    message: z
      .string()
      .max(64 * 1024)
      .optional(),
  }),
  z.object({
    type: z.literal('form'),
    action: z.enum(['accept', 'decline', 'cancel']),
    content: z.unknown().optional(),
  }),
]);

/** The first message of a session can be sent before its host exists (B3). */
export const firstPromptSchema = z.object({
  kind: z.literal('prompt.send'),
  id,
  text: prompt,
  attachments: z.array(attachmentSchema).max(20).optional(),
  /** Joins the running turn if the agent supports it; otherwise an ordinary prompt. */
  steer: z.boolean().optional(),
});

export const commandSchema = z.discriminatedUnion('kind', [
  firstPromptSchema,
  /** Sends a queued prompt into the running turn. */
  z.object({ kind: z.literal('prompt.steer'), id, prompt: entry }),
  z.object({ kind: z.literal('prompt.edit'), id, prompt: entry, text: prompt }),
  z.object({ kind: z.literal('prompt.move'), id, prompt: entry, to: z.number().int().min(0).max(10_000) }),
  z.object({ kind: z.literal('prompt.withdraw'), id, prompt: entry }),
  z.object({ kind: z.literal('prompt.resend'), id, prompt: entry }),
  z.object({ kind: z.literal('prompt.drop'), id, prompt: entry }),
  z.object({ kind: z.literal('turn.cancel'), id }),
  z.object({
    kind: z.literal('request.answer'),
    id,
    entry,
    shown: z.string().max(100),
    answer: answerSchema,
    by: z.string().max(100).optional(),
  }),
  z.object({
    kind: z.literal('session.configure'),
    id,
    /** `mode`, `model`, or the id of one of the agent's options. */
    option: z.string().min(1).max(100),
    value: z.string().min(1).max(200),
    /** The confirmation that a dangerous mode needs. */
    confirmed: z.boolean().optional(),
  }),
  /** Any other control that the agent offers. Its answer is the `command` entry with this command's id. */
  z.object({
    kind: z.literal('agent.control'),
    id,
    what: z.string().min(1).max(100),
    input: z.record(z.string().max(100), z.unknown()).optional(),
    hidden: z.boolean().optional(),
  }),
  /** Restores files, conversation or both to before this message. `plan`: the hash of the plan that was shown. */
  z.object({
    kind: z.literal('restore.to'),
    id,
    entry,
    parts: restorePartsSchema,
    plan: z.string().max(100).optional(),
    /** With `parts.branch`: the commit of the branch that was shown. */
    tip: z.string().max(100).optional(),
    /** For files that would stay: the checkpoint's version, or conflict markers. */
    choices: z.record(z.string().max(4096), z.enum(['mine', 'checkpoint', 'markers'])).optional(),
  }),
  z.object({ kind: z.literal('restore.undo'), id, restore: entry, plan: z.string().max(100).optional() }),
  /** Finishes a restore that was cut off, or leaves it as it is. */
  z.object({ kind: z.literal('restore.finish'), id, restore: entry }),
  z.object({ kind: z.literal('restore.leave'), id, restore: entry }),
  z.object({ kind: z.literal('agent.restart'), id }),
  z.object({ kind: z.literal('agent.stop'), id }),
]);

export type Answer = z.infer<typeof answerSchema>;
export type Command = z.infer<typeof commandSchema>;
export type CommandKind = Command['kind'];
export type CommandOf<K extends CommandKind> = Extract<Command, { kind: K }>;
