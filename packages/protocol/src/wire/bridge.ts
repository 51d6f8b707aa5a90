/**
 * The bridge outward (H2, H3): what a session host says → what `tugdeck talk` says. A pure projection: it folds
 * with the one fold and compares, and keeps beside the conversation only how much of each open text was told. No
 * clock, no ids, no files: long texts are fetched through `long`. Asks for what it misses, as any client of a host.
 */
import { APPEND_FIELDS, type Append, type Change } from '../conversation/changes.ts';
import type { Entry, LongText } from '../conversation/entries.ts';
import { entriesFrom } from '../conversation/entry-store.ts';
import { fieldText, fold, foldAppend, standing } from '../conversation/fold.ts';
import type { Facts, Turn, Usage } from '../conversation/session-facts.ts';
import {
  type Conversation,
  EMPTY,
  entryById,
  openEntries,
  pendingRequests,
  promptUnderway,
  turnState,
} from '../conversation/state.ts';
import { fromSnapshot, type Page, type Snapshot, trim, withPage } from '../conversation/window.ts';
import { stableText } from '../ids.ts';
import { tellEntry, wholeText } from './bridge-entries.ts';
import { type BridgeWord, bridgeError } from './bridge-messages.ts';
import type { HostMessage, HostRequestInput } from './host-link.ts';

/** Closed entries beyond this many are forgotten; a late change to one of them is not told. */
const KEPT = 1024;
/** The wire's limit on `have`. */
const MAX_HAVE = 1000;

export interface BridgeOptions {
  readonly session: string;
  readonly texts: 'appends' | 'whole';
  readonly long: (text: LongText) => string;
}

export interface Bridge extends BridgeOptions {
  readonly conversation: Conversation;
  /** False until the first word of the host: what is closed by then is history and not told. */
  readonly begun: boolean;
  readonly told: ReadonlyMap<string, string>;
  /** A snapshot skipped entries of [from, to): they come as pages, compared with what was known `before`. */
  readonly missing?:
    | { readonly from: number; readonly to: number; readonly before: Conversation }
    | undefined;
}

export interface Heard {
  readonly bridge: Bridge;
  readonly words: readonly BridgeWord[];
  readonly asks: readonly HostRequestInput[];
}

/** A bridge to a session that is new is told everything from its beginning; another only what is open. */
export function openBridge(options: BridgeOptions, isNew: boolean): Bridge {
  return { ...options, conversation: EMPTY, begun: isNew, told: new Map() };
}

export function followRequest({ conversation, begun }: Bridge): HostRequestInput {
  if (!begun) return { type: 'follow' };
  return { type: 'follow', v: conversation.v, have: have(conversation) };
}

/** Nothing runs, nothing waits to be sent. */
export function isAtRest({ conversation: state, begun }: Bridge): boolean {
  return begun && state.turn === null && state.queue.length === 0 && promptUnderway(state) === undefined;
}

export function hear(bridge: Bridge, message: HostMessage): Heard {
  const hearing = new Hearing(bridge);
  switch (message.type) {
    case 'changes':
      hearing.changes(message.changes);
      break;
    case 'live':
      hearing.live(message.appends);
      break;
    case 'snapshot':
      hearing.snapshot(message.snapshot);
      break;
    case 'entries':
      hearing.page(message.page);
      break;
    case 'behind':
      hearing.followAgain();
      break;
    case 'receipt':
      if (message.refusal) {
        hearing.say(bridgeError(message.refusal, { message: message.message, re: message.command }));
      }
      break;
    case 'error':
      hearing.say(bridgeError(message.code, { message: message.message, re: message.command }));
      break;
    case 'protocol_ack':
    case 'summary':
      break;
  }
  return hearing.heard();
}

/** One message being heard; lives no longer than that, so the projection stays a function. */
class Hearing {
  readonly #words: BridgeWord[] = [];
  readonly #asks: HostRequestInput[] = [];
  readonly #told: Map<string, string>;
  #bridge: Bridge;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
    this.#told = new Map(bridge.told);
  }

  heard(): Heard {
    const conversation = trim(this.#bridge.conversation, KEPT);
    return {
      bridge: { ...this.#bridge, conversation, told: this.#told },
      words: this.#words,
      asks: this.#asks,
    };
  }

  say(...words: readonly BridgeWord[]): void {
    this.#words.push(...words);
  }

  changes(changes: readonly Change[]): void {
    for (const change of changes) {
      const before = this.#bridge.conversation;
      const place = standing(before, change);
      if (place === 'gap') {
        this.followAgain();
        return;
      }
      if (place === 'next') this.#change(before, change);
    }
    this.#begin();
  }

  live(appends: readonly Append[]): void {
    for (const append of appends) {
      const before = this.#bridge.conversation;
      const after = foldAppend(before, append);
      if (after === before) continue;
      this.#move(after);
      this.#entry(entryById(before, append.entry), append.entry);
    }
    for (const { entry, field } of this.#bridge.conversation.holes) {
      const known = entryById(this.#bridge.conversation, entry);
      if (known) this.#asks.push({ type: 'text', entry, field, from: fieldText(known, field).length });
    }
  }

  snapshot(snapshot: Snapshot): void {
    const { conversation: before, begun } = this.#bridge;
    const after = fromSnapshot(snapshot);
    this.#move(after);
    for (const entry of snapshot.entries) {
      const isNews = begun || Object.hasOwn(after.open, entry.id);
      if (isNews) this.#entry(entryById(before, entry.id), entry.id);
    }
    if (begun) {
      this.#missing(before, after);
      for (const turn of after.turns) {
        const known = before.turns.find(({ id }) => id === turn.id);
        if (turn.endedBy !== undefined && known?.endedBy === undefined) this.#turnEnded(turn);
      }
    }
    this.#session(before, after);
    this.#begin();
  }

  page(page: Page): void {
    const { missing, conversation } = this.#bridge;
    if (!missing || page.to < missing.to) return;
    this.#move(withPage(conversation, page));
    for (const entry of page.entries) {
      if (entry.seq < missing.from || entry.seq >= missing.to) continue;
      this.#tell(entryById(missing.before, entry.id), entry);
    }
    this.#bridge = { ...this.#bridge, missing: undefined };
    if (page.from > missing.from && page.entries.length > 0) this.#fetch({ ...missing, to: page.from });
  }

  followAgain(): void {
    this.#asks.push(followRequest({ ...this.#bridge, begun: true }));
  }

  #change(before: Conversation, change: Change): void {
    const after = fold(before, change);
    this.#move(after);
    switch (change.kind) {
      case 'entry.opened':
      case 'entry.restated':
        this.#entry(entryById(before, change.entry.id), change.entry.id);
        break;
      case 'entry.patched':
      case 'entry.closed':
      case 'request.settled':
        this.#entry(entryById(before, change.entry), change.entry);
        break;
      case 'prompt.progressed':
        this.#entry(entryById(before, change.prompt), change.prompt);
        break;
      case 'turn.ended': {
        const turn = after.turns.find(({ id }) => id === change.turn);
        if (turn) this.#turnEnded(turn);
        break;
      }
      case 'config.refused':
        this.say(bridgeError('OPTION_UNKNOWN', { message: change.why }));
        break;
      default:
        // The rest is of the session as a whole, which is compared below.
        break;
    }
    this.#session(before, after);
  }

  #entry(before: Entry | undefined, id: string): void {
    const entry = entryById(this.#bridge.conversation, id);
    if (entry) this.#tell(before, entry);
  }

  #tell(before: Entry | undefined, entry: Entry): void {
    const { texts, long } = this.#bridge;
    const { words, text } = tellEntry(before, entry, { texts, long, told: this.#told });
    this.say(...words);
    if (text === undefined) this.#told.delete(entry.id);
    else this.#told.set(entry.id, text);
  }

  /** What belongs to the session as a whole, where it differs. */
  #session(before: Conversation, after: Conversation): void {
    const { session } = this.#bridge;
    const { agentSession } = after.facts;
    if (agentSession !== undefined && agentSession !== before.facts.agentSession) {
      this.say({ type: 'session_init', session_id: session, agent_session_id: agentSession });
    }
    if (before.facts !== after.facts) {
      const was = metadata(session, before);
      const is = metadata(session, after);
      if (stableText(was) !== stableText(is)) this.say(is);
    }
    if (before.usage !== after.usage) this.say(cost(after));
    const status = statusOf(after);
    if (!this.#bridge.begun || stableText(statusOf(before)) !== stableText(status)) this.say(status);
  }

  #turnEnded(turn: Turn): void {
    const { conversation, long } = this.#bridge;
    let last: Entry | undefined;
    let text = '';
    for (const entry of entriesFrom(conversation.entries, turn.firstSeq)) {
      if (entry.turn !== turn.id) continue;
      last = entry;
      if (entry.kind === 'text' && entry.parent === undefined) text = wholeText(entry, { long });
    }
    const ended = { turn_id: turn.id, msg_id: last?.id ?? turn.id, seq: last?.seq ?? turn.firstSeq };
    const denied = turn.denied?.map(({ entry, title }) => ({ tool_use_id: entry, title }));
    const denials = denied === undefined ? {} : { permission_denials: denied };
    if (turn.endedBy === 'cancelled') {
      this.say({ type: 'turn_cancelled', ...ended, partial_result: text, ...denials });
      return;
    }
    const result = turn.endedBy === 'completed' ? 'success' : (turn.endedBy ?? 'error');
    this.say({
      type: 'turn_complete',
      ...ended,
      result,
      ...(turn.why === undefined ? {} : { message: turn.why }),
      ...denials,
    });
  }

  /** A snapshot holds a tail; what came or closed below it is fetched. */
  #missing(before: Conversation, after: Conversation): void {
    const closed = openEntries(before).filter(({ id }) => entryById(after, id) === undefined);
    const from = Math.min(before.nextSeq, ...closed.map(({ seq }) => seq));
    if (from < after.from) this.#fetch({ from, to: after.from, before });
  }

  #fetch(missing: NonNullable<Bridge['missing']>): void {
    this.#bridge = { ...this.#bridge, missing };
    this.#asks.push({ type: 'entries', before: missing.to });
  }

  #move(conversation: Conversation): void {
    this.#bridge = { ...this.#bridge, conversation };
  }

  #begin(): void {
    if (!this.#bridge.begun) this.#bridge = { ...this.#bridge, begun: true };
  }
}

function have(state: Conversation): { entry: string; field: Append['field']; length: number }[] {
  return openEntries(state)
    .flatMap((entry) =>
      APPEND_FIELDS.map((field) => ({ entry: entry.id, field, length: fieldText(entry, field).length })),
    )
    .filter(({ length }) => length > 0)
    .slice(0, MAX_HAVE);
}

function statusOf(state: Conversation): BridgeWord {
  return {
    type: 'session_status',
    status: turnState(state),
    agent: state.agent.state,
    ...(state.agent.reason === undefined ? {} : { reason: state.agent.reason }),
    queued: state.queue.length,
    waiting: pendingRequests(state).length,
  };
}

function metadata(session: string, { facts }: Conversation): BridgeWord {
  const words = {
    cwd: facts.directory,
    agent: facts.agent,
    version: facts.agentVersion,
    model: facts.model,
    permissionMode: facts.mode,
    models: facts.models,
    permission_modes: facts.modes,
    tools: facts.tools,
    slash_commands: facts.commands,
    agents: facts.subagents,
    skills: facts.skills,
    mcp_servers: facts.mcpServers,
    plugins: facts.plugins,
  };
  const stated = Object.entries(words).filter(([, value]) => value !== undefined);
  return { type: 'system_metadata', session_id: session, ...Object.fromEntries(stated) };
}

function cost({ usage, turns, facts }: Conversation): BridgeWord {
  return {
    type: 'cost_update',
    ...(usage.costUsd === undefined ? {} : { total_cost_usd: usage.costUsd }),
    num_turns: turns.length,
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cache_read_input_tokens: usage.cacheReadTokens,
      cache_creation_input_tokens: usage.cacheWriteTokens,
    },
    ...(usage.contextUsed === undefined ? {} : { context_used: usage.contextUsed }),
    ...(usage.contextWindow === undefined ? {} : { contextWindow: usage.contextWindow }),
    ...(usage.wallMs === undefined ? {} : { duration_ms: usage.wallMs }),
    ...(usage.apiMs === undefined ? {} : { duration_api_ms: usage.apiMs }),
    ...(usage.byModel === undefined
      ? {}
      : { modelUsage: modelUsage(usage.byModel, facts.modelLimits ?? {}) }),
  };
}

type ModelUsage = NonNullable<Extract<BridgeWord, { type: 'cost_update' }>['modelUsage']>;

function modelUsage(
  byModel: NonNullable<Usage['byModel']>,
  limits: NonNullable<Facts['modelLimits']>,
): ModelUsage {
  return Object.fromEntries(
    Object.entries(byModel).map(([model, spent]) => [
      model,
      {
        inputTokens: spent.inputTokens,
        outputTokens: spent.outputTokens,
        cacheReadInputTokens: spent.cacheReadTokens,
        cacheCreationInputTokens: spent.cacheWriteTokens,
        ...(spent.costUsd === undefined ? {} : { costUSD: spent.costUsd }),
        ...(Object.hasOwn(limits, model) ? limits[model] : {}),
      },
    ]),
  );
}
