/**
 * Messages between page and server about the deck itself (feed 0x50, channel 0): projects, session rows, and which
 * channel shows which session. Conversations use other feeds.
 */
import { z } from 'zod';
import { attemptsRowSchema } from '../attempts/attempts.ts';
import { firstPromptSchema } from '../conversation/commands.ts';
import { summarySchema } from '../conversation/summarize.ts';
import { workspaceRowSchema, workspaceSpecSchema } from '../workspaces/workspace.ts';
import { errorCodeSchema } from './error-codes.ts';
import { feedAboutSchema, feedNameSchema } from './feeds.ts';
import { keyChoicesSchema } from './key-choices.ts';

const id = z.string().min(1).max(100);
const channel = z.number().int().min(1).max(0xffff_ffff);

const layoutText = z.string().max(256 * 1024);
const choiceName = z.string().regex(/^[a-z-]{1,40}$/);
const choiceText = z.string().max(16 * 1024);

export const keysStateSchema = z.object({
  keys: keyChoicesSchema,
  /** Why the file could not be read; the previous keys stay in effect. */
  fault: z.string().optional(),
});
export const projectSchema = z.object({
  id,
  /** The machine it is on. Earlier servers leave it out. */
  machine: id.optional(),
  path: z.string(),
  name: z.string(),
  addedAt: z.number(),
  /** The checked-out branch, if it is a repository. */
  branch: z.string().max(300).optional(),
  /**
   * The user's decision for its repository; undefined if not asked yet. A yes only covers the configuration it was
   * given for (X6).
   */
  trust: z.enum(['yes', 'no']).optional(),
});
export const sessionRowSchema = z.object({
  id,
  /** The machine of its project. Earlier servers leave it out. */
  machine: id.optional(),
  project: id,
  /** The workspace it works in; absent in the project's own directory (B1). */
  workspace: id.optional(),
  agent: z.string(),
  title: z.string(),
  createdAt: z.number(),
  /** Time of the last message (S5). */
  activeAt: z.number(),
  archived: z.boolean(),
  /** In the trash since then; kept for a while and restorable (S5). */
  trashedAt: z.number().optional(),
  /** Number of entries that the user has seen, on any page (D7). */
  seen: z.number().int().nonnegative().optional(),
  /** Undefined until its state is known. */
  summary: summarySchema.optional(),
  /** Whether a session host runs for it. */
  live: z.boolean(),
  /** Its first message waits for its workspace (B3). */
  pending: z.boolean().optional(),
  /** An external session: created by the agent itself and not adopted yet (A40). */
  origin: z.literal('foreign').optional(),
  /** Another program is using it. */
  elsewhere: z.boolean().optional(),
  /** The session it was forked from (A6). */
  parent: id.optional(),
});
export const agentChoiceSchema = z.object({
  name: z.string(),
  label: z.string(),
  /** Icon for lists: strokes in a 16 by 16 square. */
  mark: z.string().max(500).optional(),
  installed: z.boolean(),
  /** Its path, or how to install it. */
  detail: z.string(),
  /** Example prompts for an empty conversation, if the usual ones make no sense. */
  examples: z.array(z.object({ title: z.string(), prompt: z.string() })).optional(),
  note: z.string().optional(),
  /** `false`: it reads no project configuration, so nothing needs trust (X6). */
  readsProject: z.literal(false).optional(),
  /** It has a terminal interface (A41). */
  ownTerminal: z.boolean().optional(),
});
/** With `create`, the workspace is created first, under an id that the page chose. */
const sessionWorkspaceSchema = z.object({ id: z.uuid(), create: workspaceSpecSchema.optional() });

/** The agent's own session to start from: resume it, continue the newest of the directory, or fork it. */
export const sessionBeginSchema = z.object({
  kind: z.enum(['resume', 'continue', 'fork']),
  id: z.string().max(200).optional(),
  /** Only up to this entry. */
  at: z.string().min(1).max(200).optional(),
});
const slotLimits = z.object({ turns: z.number().int(), agents: z.number().int() });
/** Another machine whose projects the deck shows (N7). Rows name it by its id. */
export const machineRowSchema = z.object({
  /** Its name in local configuration; a machine cannot choose it (N21). */
  id,
  state: z.enum(['connecting', 'online', 'offline']),
  /** When it was last reached (N13). */
  seenAt: z.number().optional(),
  /** Why it cannot be reached, in the words of the program that tried. */
  fault: z.string().max(10_000).optional(),
  agents: z.array(agentChoiceSchema),
  defaultAgent: z.string(),
  limits: slotLimits.optional(),
});
const deckHeadSchema = z.object({
  projects: z.array(projectSchema),
  agents: z.array(agentChoiceSchema),
  defaultAgent: z.string(),
  /** How many turns and agents may run at once (D40, D41). Earlier servers leave it out. */
  limits: slotLimits.optional(),
  /** Other machines; absent without any. */
  machines: z.array(machineRowSchema).optional(),
  /** Earlier servers leave it out. */
  workspaces: z.array(workspaceRowSchema).optional(),
  /** Groups of attempts, the newest last. Earlier servers leave it out. */
  attempts: z.array(attemptsRowSchema).optional(),
});
export const deckSchema = deckHeadSchema.extend({
  sessions: z.array(sessionRowSchema),
  /** Only the newest sessions; the others follow in `rows`. */
  more: z.boolean().optional(),
});

/** From the page. Each has an id that the reply names. */
export const deckRequestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), id, version: z.number().int(), build: z.string().max(100) }),
  /** Connection check. */
  z.object({ type: z.literal('ping'), id }),
  /** `machine`: on another machine. */
  z.object({
    type: z.literal('project.add'),
    id,
    path: z.string().max(4096),
    machine: id.optional(),
  }),
  z.object({ type: z.literal('project.remove'), id, project: id }),
  z.object({ type: z.literal('project.rename'), id, project: id, name: z.string().min(1).max(200) }),
  /** Moves it before another project, or to the end (S4). */
  z.object({ type: z.literal('project.move'), id, project: id, before: id.optional() }),
  /** `seen` is the hash of what the user was shown. Earlier pages leave it out. */
  z.object({
    type: z.literal('project.trust'),
    id,
    project: id,
    trust: z.enum(['yes', 'no']),
    seen: z.string().max(100).optional(),
  }),
  /** Default setting for new sessions with this agent in this project; null removes it (A14). */
  z.object({
    type: z.literal('agent.prefer'),
    id,
    project: id,
    agent: z.string().min(1).max(50),
    option: z.enum(['mode', 'model']),
    value: z.string().min(1).max(200).nullable(),
    /** The confirmation that a dangerous mode needs. */
    confirmed: z.boolean().optional(),
  }),
  /** The page chooses the id, so that a repeated request creates one session. */
  z.object({
    type: z.literal('session.create'),
    id,
    session: z.uuid(),
    project: id,
    agent: z.string().max(50),
    from: sessionBeginSchema.optional(),
    /** Works in this workspace. */
    workspace: sessionWorkspaceSchema.optional(),
    /** The agent starts when the user begins to write, not now (D43). Earlier servers start it at once. */
    later: z.boolean().optional(),
  }),
  /**
   * Where a session without a message works (B1): in a workspace, which is created first with `create`, or without
   * one in the project's own directory.
   */
  z.object({
    type: z.literal('session.place'),
    id,
    session: id,
    workspace: z.object({ id: z.uuid(), create: workspaceSpecSchema.optional() }).optional(),
    /** Sent once the workspace is ready, also if the page is closed by then. The page may send the same command. */
    prompt: firstPromptSchema.optional(),
  }),
  /** Forks a session, completely or up to before a user message; the parent is unchanged (A6). */
  z.object({
    type: z.literal('session.fork'),
    id,
    session: z.uuid(),
    of: id,
    at: z.string().min(1).max(200).optional(),
    /** The fork works in this workspace (T36); otherwise where the parent does. */
    workspace: sessionWorkspaceSchema.optional(),
  }),
  z.object({ type: z.literal('session.rename'), id, session: id, title: z.string().min(1).max(200) }),
  z.object({ type: z.literal('session.archive'), id, session: id, archived: z.boolean() }),
  /** Moves it to the trash, or restores it. */
  z.object({ type: z.literal('session.delete'), id, session: id }),
  z.object({ type: z.literal('session.restore'), id, session: id }),
  z.object({ type: z.literal('session.seen'), id, session: id, entries: z.number().int().nonnegative() }),
  z.object({ type: z.literal('channel.open'), id, channel, session: id }),
  z.object({ type: z.literal('feed.open'), id, channel, feed: feedNameSchema, about: feedAboutSchema }),
  /** Closes the channel of a session or a feed. */
  z.object({ type: z.literal('channel.close'), id, channel }),
  /** The serialized layout; only pages read it. */
  z.object({ type: z.literal('layout.save'), id, version: z.number().int().min(1), layout: layoutText }),
  /** All keys; actions not named have their default key. */
  z.object({ type: z.literal('keys.save'), id, keys: keyChoicesSchema }),
  /** A small preference of the page, such as its theme, as JSON: shared with other browsers and ports. */
  z.object({ type: z.literal('choice.save'), id, name: choiceName, value: choiceText }),
  z.object({ type: z.literal('draft.save'), id, session: id, text: z.string().max(256 * 1024) }),
  /** The sessions that this page shows in front, so that no device is called about them (N52). `all`: Home. */
  z.object({ type: z.literal('page.sight'), id, sessions: z.array(id).max(64), all: z.boolean().optional() }),
]);

/** From the server. */
export const deckMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('welcome'),
    version: z.number().int(),
    build: z.string(),
    deck: deckSchema,
    drafts: z.record(z.string(), z.string()),
    /** For a browser without a saved layout. */
    layout: layoutText.optional(),
    choices: z.record(choiceName, choiceText).optional(),
    keys: keysStateSchema.optional(),
    timings: z.object({ reconnectMs: z.array(z.number()), pulseMs: z.number().positive().optional() }),
    /** This device may only read and answer (N55). */
    limited: z.boolean().optional(),
    /** Devices can be called (N52): the page reports its sight. */
    push: z.boolean().optional(),
  }),
  /** The deck after a change; its rows stay, except those of removed projects. */
  z.object({ type: z.literal('deck'), deck: deckHeadSchema }),
  /**
   * Changed and removed rows. With `more`, they are part of the complete list, false for its last part: rows that it
   * did not name are removed.
   */
  z.object({
    type: z.literal('rows'),
    rows: z.array(sessionRowSchema),
    gone: z.array(id).optional(),
    more: z.boolean().optional(),
  }),
  z.object({ type: z.literal('session'), row: sessionRowSchema }),
  /** `now`: the server's time, in answer to a ping. Earlier servers leave it out. */
  z.object({ type: z.literal('done'), re: id, now: z.number().optional() }),
  /** The keys changed, through a page or in their file. */
  keysStateSchema.extend({ type: z.literal('keys') }),
  /** Show this project: `tugdeck DIR` was called again. */
  z.object({ type: z.literal('show'), project: id }),
  z.object({
    type: z.literal('error'),
    re: id.optional(),
    channel: channel.optional(),
    code: errorCodeSchema,
    message: z.string(),
    hint: z.string().optional(),
  }),
]);

export type KeysState = z.infer<typeof keysStateSchema>;
export type Project = z.infer<typeof projectSchema>;
export type SessionRow = z.infer<typeof sessionRowSchema>;
export type MachineRow = z.infer<typeof machineRowSchema>;
export type SessionBegin = z.infer<typeof sessionBeginSchema>;
export type AgentChoice = z.infer<typeof agentChoiceSchema>;
export type Deck = z.infer<typeof deckSchema>;
export type DeckHead = z.infer<typeof deckHeadSchema>;
export type DeckRequest = z.infer<typeof deckRequestSchema>;
export type DeckMessage = z.infer<typeof deckMessageSchema>;
