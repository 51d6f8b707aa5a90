/**
 * Lenient schemas of the Agent Client Protocol, version 1. Unknown kinds and fields are kept, because agents are
 * ahead of any schema. Shapes only.
 */
import { z } from 'zod';
import { textAt } from '../kit/fields.ts';

export const PROTOCOL_VERSION = 1;

const text = z.string().nullish().catch(undefined);
const count = z.number().nullish().catch(undefined);

export const contentBlockSchema = z.looseObject({
  type: z.string(),
  text: text,
  data: text,
  mimeType: text,
  uri: text,
  name: text,
  title: text,
  resource: z.unknown().optional(),
});
export type ContentBlock = z.infer<typeof contentBlockSchema>;

export const toolContentSchema = z.looseObject({
  type: z.string(),
  content: z.unknown().optional(),
  path: text,
  oldText: text,
  newText: text,
  terminalId: text,
});
export type ToolContent = z.infer<typeof toolContentSchema>;

const locationSchema = z.looseObject({ path: z.string(), line: count });
export type Location = z.infer<typeof locationSchema>;

/** `content` and `locations` replace the whole collection if present. */
export const toolPatchSchema = z.looseObject({
  toolCallId: z.string(),
  title: text,
  name: text,
  kind: text,
  status: text,
  content: z.array(toolContentSchema).nullish().catch(undefined),
  locations: z.array(locationSchema).nullish().catch(undefined),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  _meta: z.unknown().optional(),
});
export type ToolPatch = z.infer<typeof toolPatchSchema>;

const planEntrySchema = z.looseObject({ content: z.string(), status: text, priority: text });
export type PlanItem = z.infer<typeof planEntrySchema>;

const configOptionSchema = z.looseObject({
  id: z.string(),
  name: text,
  category: text,
  type: text,
  currentValue: z.unknown().optional(),
  options: z.unknown().optional(),
});
export type ConfigOption = z.infer<typeof configOptionSchema>;
export const configOptionsSchema = z.array(configOptionSchema);

const chunk = { content: contentBlockSchema, messageId: text };
const KINDS = {
  user_message_chunk: z.looseObject(chunk),
  agent_message_chunk: z.looseObject(chunk),
  agent_thought_chunk: z.looseObject(chunk),
  tool_call: toolPatchSchema,
  tool_call_update: toolPatchSchema,
  plan: z.looseObject({ entries: z.array(planEntrySchema) }),
  plan_update: z.looseObject({
    plan: z.looseObject({
      type: z.string(),
      planId: text,
      entries: z.array(planEntrySchema).nullish(),
      content: text,
      uri: text,
    }),
  }),
  plan_removed: z.looseObject({ planId: text }),
  available_commands_update: z.looseObject({
    availableCommands: z.array(
      z.looseObject({ name: z.string(), description: text, input: z.unknown().optional() }),
    ),
  }),
  current_mode_update: z.looseObject({ currentModeId: z.string() }),
  config_option_update: z.looseObject({ configOptions: configOptionsSchema }),
  session_info_update: z.looseObject({ title: text }),
  usage_update: z.looseObject({
    used: count,
    size: count,
    cost: z.looseObject({ amount: count, currency: text }).nullish().catch(undefined),
  }),
  notice: z.looseObject({ severity: text, title: z.string(), description: text }),
  compaction_update: z.looseObject({
    compactionId: z.string(),
    status: z.string(),
    summary: z.array(contentBlockSchema).nullish().catch(undefined),
    error: text,
  }),
  compaction_summary_chunk: z.looseObject({ compactionId: z.string(), content: contentBlockSchema }),
  subagent_update: z.looseObject({
    sessionId: z.string(),
    title: text,
    description: text,
    state: z.looseObject({ state: z.string(), stopReason: text }).nullish().catch(undefined),
  }),
  session_message: z.looseObject({
    messageId: text,
    senderSessionId: text,
    recipientSessionId: text,
    content: z.array(contentBlockSchema).nullish().catch(undefined),
  }),
  session_message_chunk: z.looseObject(chunk),
} as const;

type Kinds = typeof KINDS;
export type UpdateKind = keyof Kinds;
export type Update = {
  [K in UpdateKind]: z.infer<Kinds[K]> & { readonly sessionUpdate: K };
}[UpdateKind];
export type UpdateOf<K extends UpdateKind> = Extract<Update, { sessionUpdate: K }>;

/** A known update, or the name under which an unknown or invalid one is counted. */
export function readUpdate(value: unknown): Update | string {
  const kind = textAt(value, 'sessionUpdate');
  if (kind === undefined) return 'session/update without a kind';
  if (!Object.hasOwn(KINDS, kind)) return `session/update ${kind}`;
  const parsed = KINDS[kind as UpdateKind].safeParse(value);
  return parsed.success ? (parsed.data as Update) : `session/update ${kind} (broken)`;
}

const permissionSchema = z.looseObject({
  sessionId: z.string(),
  toolCall: toolPatchSchema,
  options: z.array(z.looseObject({ optionId: z.string(), name: z.string(), kind: z.string() })),
});
export type PermissionParams = z.infer<typeof permissionSchema>;

export function readPermission(params: unknown): PermissionParams | undefined {
  const parsed = permissionSchema.safeParse(params);
  return parsed.success ? parsed.data : undefined;
}
