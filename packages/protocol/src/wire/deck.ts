/**
 * Messages between page and server about the deck itself (feed 0x50, channel 0): projects, session rows,
 * which channel shows which session. Conversation content never passes here.
 */
import { z } from 'zod';
import { summarySchema } from '../conversation/summarize.ts';
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
  /** Why the file could not be read; the keys are then those before. */
  fault: z.string().optional(),
});
export const projectSchema = z.object({
  id,
  path: z.string(),
  name: z.string(),
  addedAt: z.number(),
  /** The user's answer for its repository; absent while nobody was asked. A yes holds only for what it was given to (X6). */
  trust: z.enum(['yes', 'no']).optional(),
});
export const sessionRowSchema = z.object({
  id,
  project: id,
  agent: z.string(),
  title: z.string(),
  createdAt: z.number(),
  /** Last message sent or received (S5). */
  activeAt: z.number(),
  archived: z.boolean(),
  /** In the trash since then: kept for a while, and brought back by one request (S5). */
  trashedAt: z.number().optional(),
  /** How many of its entries the user has seen, on whichever page (D7). */
  seen: z.number().int().nonnegative().optional(),
  /** Present once anything is known of its state. */
  summary: summarySchema.optional(),
  /** Whether a session host runs for it. */
  live: z.boolean(),
  /** Made with the agent itself and never opened by us: only its own file has it (A40). */
  origin: z.literal('foreign').optional(),
  /** Another program works in it right now. */
  elsewhere: z.boolean().optional(),
  /** The session it was forked from (A6). */
  parent: id.optional(),
});
export const agentChoiceSchema = z.object({
  name: z.string(),
  label: z.string(),
  /** A small drawing to know it by in lists: strokes in a square of 16. */
  mark: z.string().max(500).optional(),
  installed: z.boolean(),
  /** Where it was found, or how to install it. */
  detail: z.string(),
  /** What an empty conversation with it offers, where the usual prompts make no sense. */
  examples: z.array(z.object({ title: z.string(), prompt: z.string() })).optional(),
  note: z.string().optional(),
  /** `false`: it takes no configuration from a project, so that there is nothing to trust (X6). */
  readsProject: z.literal(false).optional(),
  /** It has an interface of its own that a terminal can show (A41). */
  ownTerminal: z.boolean().optional(),
});
/** A session of the agent's own to begin with: go on with it, or with the newest of the directory, or in a copy. */
export const sessionBeginSchema = z.object({
  kind: z.enum(['resume', 'continue', 'fork']),
  id: z.string().max(200).optional(),
  /** Only up to this entry. */
  at: z.string().min(1).max(200).optional(),
});
const deckHeadSchema = z.object({
  projects: z.array(projectSchema),
  agents: z.array(agentChoiceSchema),
  defaultAgent: z.string(),
});
export const deckSchema = deckHeadSchema.extend({
  sessions: z.array(sessionRowSchema),
  /** These are the newest; `rows` with the others follow. */
  more: z.boolean().optional(),
});

/** From the page. Each carries an id; the reply names it. */
export const deckRequestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), id, version: z.number().int(), build: z.string().max(100) }),
  /** Is anybody there? */
  z.object({ type: z.literal('ping'), id }),
  z.object({ type: z.literal('project.add'), id, path: z.string().max(4096) }),
  z.object({ type: z.literal('project.remove'), id, project: id }),
  z.object({ type: z.literal('project.rename'), id, project: id, name: z.string().min(1).max(200) }),
  /** Before another one; without it, last (S4). */
  z.object({ type: z.literal('project.move'), id, project: id, before: id.optional() }),
  /** `seen` is the hash of what the user was shown. Pages before it was added leave it out. */
  z.object({
    type: z.literal('project.trust'),
    id,
    project: id,
    trust: z.enum(['yes', 'no']),
    seen: z.string().max(100).optional(),
  }),
  /** What new sessions with this agent begin with in this project; null: nothing of its own (A14). */
  z.object({
    type: z.literal('agent.prefer'),
    id,
    project: id,
    agent: z.string().min(1).max(50),
    option: z.enum(['mode', 'model']),
    value: z.string().min(1).max(200).nullable(),
    /** The second word that a dangerous mode needs. */
    confirmed: z.boolean().optional(),
  }),
  /** `session` is chosen by the page, so that asking twice makes one. */
  z.object({
    type: z.literal('session.create'),
    id,
    session: z.uuid(),
    project: id,
    agent: z.string().max(50),
    from: sessionBeginSchema.optional(),
  }),
  /** A copy of a session of ours, whole or up to before a message of the user; the parent stays as it is (A6). */
  z.object({
    type: z.literal('session.fork'),
    id,
    session: z.uuid(),
    of: id,
    at: z.string().min(1).max(200).optional(),
  }),
  z.object({ type: z.literal('session.rename'), id, session: id, title: z.string().min(1).max(200) }),
  z.object({ type: z.literal('session.archive'), id, session: id, archived: z.boolean() }),
  /** To the trash, and back. */
  z.object({ type: z.literal('session.delete'), id, session: id }),
  z.object({ type: z.literal('session.restore'), id, session: id }),
  z.object({ type: z.literal('session.seen'), id, session: id, entries: z.number().int().nonnegative() }),
  z.object({ type: z.literal('channel.open'), id, channel, session: id }),
  z.object({ type: z.literal('feed.open'), id, channel, feed: feedNameSchema, about: feedAboutSchema }),
  /** Of a session's channel or of a feed's. */
  z.object({ type: z.literal('channel.close'), id, channel }),
  /** How a deck looks, as the page wrote it; only pages read it. */
  z.object({ type: z.literal('layout.save'), id, version: z.number().int().min(1), layout: layoutText }),
  /** All of them: what is not named has its usual key. */
  z.object({ type: z.literal('keys.save'), id, keys: keyChoicesSchema }),
  /** A small choice of the page's, such as its theme, as JSON: for the next browser, and for this one at another port. */
  z.object({ type: z.literal('choice.save'), id, name: choiceName, value: choiceText }),
  z.object({ type: z.literal('draft.save'), id, session: id, text: z.string().max(256 * 1024) }),
]);

/** From the server. */
export const deckMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('welcome'),
    version: z.number().int(),
    build: z.string(),
    deck: deckSchema,
    drafts: z.record(z.string(), z.string()),
    /** For a browser that has none of its own. */
    layout: layoutText.optional(),
    choices: z.record(choiceName, choiceText).optional(),
    keys: keysStateSchema.optional(),
    timings: z.object({ reconnectMs: z.array(z.number()), pulseMs: z.number().positive().optional() }),
  }),
  /** The deck after a change of its parts; its rows stay, less those of projects that are gone. */
  z.object({ type: z.literal('deck'), deck: deckHeadSchema }),
  /**
   * Some rows, and some that are no more. With `more` they are part of a whole list, false with its last: what it
   * did not name is no more.
   */
  z.object({
    type: z.literal('rows'),
    rows: z.array(sessionRowSchema),
    gone: z.array(id).optional(),
    more: z.boolean().optional(),
  }),
  z.object({ type: z.literal('session'), row: sessionRowSchema }),
  /** `now`: the server's time, in answer to a ping. Servers before it was added leave it out. */
  z.object({ type: z.literal('done'), re: id, now: z.number().optional() }),
  /** The keys were changed, by a page or in their file. */
  keysStateSchema.extend({ type: z.literal('keys') }),
  /** Show this project: another `tugdeck DIR` was called. */
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
export type SessionBegin = z.infer<typeof sessionBeginSchema>;
export type AgentChoice = z.infer<typeof agentChoiceSchema>;
export type Deck = z.infer<typeof deckSchema>;
export type DeckHead = z.infer<typeof deckHeadSchema>;
export type DeckRequest = z.infer<typeof deckRequestSchema>;
export type DeckMessage = z.infer<typeof deckMessageSchema>;
