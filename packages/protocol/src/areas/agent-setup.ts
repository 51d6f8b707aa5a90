/** The agent setup area (A61): servers, rules, hooks and so on, read from and written to the agents' own files. */
import { z } from 'zod';
import { defineArea, nothing } from './area.ts';

/** In the order in which they are shown. */
export const SETUP_KINDS = [
  'server',
  'rule',
  'memory',
  'hook',
  'skill',
  'subagent',
  'command',
  'plugin',
  'style',
] as const;

/** `local`: the user's own settings for one project. `machine`: an administrator's. */
export const SETUP_SCOPES = ['user', 'local', 'project', 'machine'] as const;

const name = z.string().min(1).max(200);
const line = z.string().max(16_384);

/** A value that a page does not see; sent back, it means the value in the file. */
export const HIDDEN_VALUE = '••••••';

export const setupServerSchema = z.object({
  type: z.literal('server'),
  /** A program with its arguments, or a URL. */
  command: z.string().min(1).max(4_096).optional(),
  args: z.array(line).max(200).default([]),
  url: z.string().min(1).max(4_096).optional(),
  transport: z.enum(['http', 'sse']).optional(),
  /** Of the program, or headers of the URL. */
  variables: z.record(z.string().min(1).max(200), line).default({}),
});

export const SETUP_DECISIONS = ['allow', 'ask', 'deny'] as const;
/** `text` is in the agent's own notation. */
export const setupRuleSchema = z.object({
  type: z.literal('rule'),
  decision: z.enum(SETUP_DECISIONS),
  text: z.string().min(1).max(4_096),
});

export const setupHookSchema = z.object({
  type: z.literal('hook'),
  event: z.string().min(1).max(100),
  matcher: z.string().max(1_000),
  command: z.string().min(1).max(16_384),
});

/** A whole file. */
export const setupTextSchema = z.object({ type: z.literal('text'), text: z.string().max(512 * 1024) });
/** An entry with a name only, such as a package. */
export const setupNameSchema = z.object({ type: z.literal('name') });

export const setupContentSchema = z.discriminatedUnion('type', [
  setupServerSchema,
  setupRuleSchema,
  setupHookSchema,
  setupTextSchema,
  setupNameSchema,
]);

const place = z.object({
  id: z.string(),
  scope: z.enum(SETUP_SCOPES),
  /** Path as shown to the user. */
  file: z.string(),
  /** The content of an item here. */
  type: z.enum(['server', 'rule', 'hook', 'text', 'name']),
  /** New items can be added; a file that exists once cannot. */
  canAdd: z.boolean(),
});

const item = z.object({
  /** Identifies it within its place. */
  key: z.string(),
  place: z.string(),
  scope: z.enum(SETUP_SCOPES),
  file: z.string(),
  name: z.string(),
  /** One line. */
  summary: z.string(),
  /** The command that the agent runs because of it. */
  runs: z.string().optional(),
  /** Undefined if it can't be switched. */
  on: z.boolean().optional(),
  /** Without the text of files, which is loaded on demand; hidden values are replaced. */
  content: setupContentSchema.optional(),
  canEdit: z.boolean(),
  /** As reported by a running session. */
  status: z.string().optional(),
});

const kind = z.object({
  kind: z.enum(SETUP_KINDS),
  items: z.array(item),
  /** Where items can be added. */
  places: z.array(place),
  /** Hook events of the agent. */
  events: z.array(z.string()).optional(),
  /** A limit of the agent. */
  note: z.string().optional(),
});

const setup = z.object({
  /** Whether the project's configuration is trusted; undefined without a project. */
  trust: z.string().optional(),
  agents: z.array(
    z.object({
      agent: z.string(),
      label: z.string(),
      kinds: z.array(kind),
      /** Files that exist but could not be parsed, with the reason. */
      unread: z.array(z.object({ file: z.string(), why: z.string() })),
    }),
  ),
});

const itemRef = { agent: name, place: z.string().min(1).max(100), key: z.string().max(4_096) };

/** `key` undefined: a new item. `content` null: remove. */
export const setupChangeSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('set'),
    ...itemRef,
    key: itemRef.key.optional(),
    name: name.optional(),
    content: setupContentSchema.nullable(),
  }),
  z.object({ type: z.literal('switch'), ...itemRef, on: z.boolean() }),
]);

const preview = z.object({
  file: z.string(),
  isNew: z.boolean(),
  isRemoved: z.boolean(),
  /** Lines of the difference with some context; gaps are marked. */
  lines: z.array(z.object({ mark: z.enum([' ', '+', '-', '…']), text: z.string() })),
  /** Commands that the agent will run because of it. */
  runs: z.array(z.string()),
  /** Identifies the file's content and the change; applying needs it. */
  hash: z.string(),
});

export const agentSetup = defineArea('agent-setup', {
  about: z.object({ project: z.string().min(1).max(100).optional() }),
  state: setup,
  calls: {
    text: { input: z.object(itemRef), output: z.object({ text: z.string() }) },
    preview: { input: z.object({ change: setupChangeSchema }), output: preview },
    /** Refused with CONFIGURATION_CHANGED if the file or the result is not the one of the preview. */
    apply: { input: z.object({ change: setupChangeSchema, hash: z.string().max(200) }), output: setup },
    /** Starts a server once and lists its tools. `runs` is the command that the user saw. */
    tools: {
      input: z.object({ ...itemRef, runs: z.string().max(100_000) }),
      output: z.object({
        tools: z.array(
          z.object({ name: z.string(), description: z.string().optional(), inputSchema: z.unknown() }),
        ),
      }),
    },
    /** Applies the rules of the agent to a shell command. */
    test: {
      input: z.object({ agent: name, command: z.string().min(1).max(16_384) }),
      output: z.object({
        decision: z.enum([...SETUP_DECISIONS, 'none']),
        /** The rule that decides, and its file. */
        rule: z.string().optional(),
        file: z.string().optional(),
      }),
    },
    read: { input: nothing, output: setup },
  },
});

export type SetupKind = (typeof SETUP_KINDS)[number];
export type SetupScope = (typeof SETUP_SCOPES)[number];
export type SetupServer = z.infer<typeof setupServerSchema>;
export type SetupRule = z.infer<typeof setupRuleSchema>;
export type SetupHook = z.infer<typeof setupHookSchema>;
export type SetupContent = z.infer<typeof setupContentSchema>;
export type SetupChange = z.infer<typeof setupChangeSchema>;
export type SetupPreview = z.infer<typeof preview>;
export type SetupItem = z.infer<typeof item>;
export type SetupPlace = z.infer<typeof place>;
export type SetupKindState = z.infer<typeof kind>;
export type AgentSetupState = z.infer<typeof setup>;
export type SetupVerdict = 'allow' | 'ask' | 'deny' | 'none';
