/**
 * Projects a session onto the stdio protocol (H2, H3): messages of a session host → messages of `tugdeck talk`. Pure:
 * folds, compares, and keeps only how much of each open text was sent. Long texts are loaded through `resolve`.
 * Requests missing parts like any other client.
 */
import type { Append, Change } from '../conversation/changes.ts';
import type { Entry } from '../conversation/entries.ts';
import { entriesFrom } from '../conversation/entry-store.ts';
import { classifyChange, fold, foldAppend } from '../conversation/fold.ts';
import type { LongText } from '../conversation/long-text.ts';
import type { SessionInfo, Turn, Usage } from '../conversation/session-info.ts';
import {
  type Conversation,
  EMPTY,
  entryById,
  openEntries,
  pendingRequests,
  promptUnderway,
  turnState,
} from '../conversation/state.ts';
import { touches } from '../conversation/touches.ts';
import { fromSnapshot, type Page, type Snapshot, trim, withPage } from '../conversation/window.ts';
import { stableText } from '../ids.ts';
import { followRequest, holeRequests } from '../wire/follow.ts';
import type { HostMessage, HostRequestInput } from '../wire/host-link.ts';
import { entryMessages, wholeText } from './entry-messages.ts';
import { type OutboundMessage, stdioError } from './messages.ts';

/** Older closed entries are dropped; late changes to them are not reported. */
const KEPT = 1024;

export interface ProjectionOptions {
  readonly session: string;
  readonly texts: 'appends' | 'whole';
  readonly resolve: (text: LongText) => string;
}

export interface Projection extends ProjectionOptions {
  readonly conversation: Conversation;
  /** False until the first message of the host: entries closed by then are history and not reported. */
  readonly hasStarted: boolean;
  readonly sent: ReadonlyMap<string, string>;
  readonly requestedHoles: ReadonlySet<string>;
  /** Entries in [from, to) that a snapshot skipped. They are loaded as pages and compared with the state `before`. */
  readonly missing?:
    | { readonly from: number; readonly to: number; readonly before: Conversation }
    | undefined;
}

export interface Projected {
  readonly projection: Projection;
  readonly messages: readonly OutboundMessage[];
  readonly requests: readonly HostRequestInput[];
}

/** For a new session everything is reported; otherwise only open entries. */
export function createProjection(options: ProjectionOptions, isNew: boolean): Projection {
  return { ...options, conversation: EMPTY, hasStarted: isNew, sent: new Map(), requestedHoles: new Set() };
}

export function firstRequest({ conversation, hasStarted }: Projection): HostRequestInput {
  return hasStarted ? followRequest(conversation) : { type: 'follow' };
}

/** No turn is running and no prompt is pending. */
export function isIdle({ conversation: state, hasStarted }: Projection): boolean {
  return hasStarted && state.turn === null && state.queue.length === 0 && promptUnderway(state) === undefined;
}

export function project(projection: Projection, message: HostMessage): Projected {
  const projector = new Projector(projection);
  switch (message.type) {
    case 'changes':
      projector.changes(message.changes);
      break;
    case 'live':
      projector.live(message.appends);
      break;
    case 'snapshot':
      projector.snapshot(message.snapshot);
      break;
    case 'entries':
      projector.page(message.page);
      break;
    case 'behind':
      projector.followAgain();
      break;
    case 'receipt':
      if (message.refusal) {
        projector.send(stdioError(message.refusal, { message: message.message, re: message.command }));
      }
      break;
    case 'error':
      projector.send(stdioError(message.code, { message: message.message, re: message.command }));
      break;
    case 'protocol_ack':
    case 'summary':
      break;
  }
  return projector.result();
}

/** Handles one message; a new instance per message keeps the projection a pure function. */
class Projector {
  readonly #messages: OutboundMessage[] = [];
  readonly #requests: HostRequestInput[] = [];
  readonly #sent: Map<string, string>;
  #projection: Projection;

  constructor(projection: Projection) {
    this.#projection = projection;
    this.#sent = new Map(projection.sent);
  }

  result(): Projected {
    const conversation = trim(this.#projection.conversation, KEPT);
    return {
      projection: { ...this.#projection, conversation, sent: this.#sent },
      messages: this.#messages,
      requests: this.#requests,
    };
  }

  send(...messages: readonly OutboundMessage[]): void {
    this.#messages.push(...messages);
  }

  changes(changes: readonly Change[]): void {
    for (const change of changes) {
      const before = this.#projection.conversation;
      const place = classifyChange(before, change);
      if (place === 'gap') {
        this.followAgain();
        return;
      }
      if (place === 'next') this.#change(before, change);
    }
    this.#markStarted();
  }

  live(appends: readonly Append[]): void {
    for (const append of appends) {
      const before = this.#projection.conversation;
      const after = foldAppend(before, append);
      if (after === before) continue;
      this.#setConversation(after);
      this.#entry(entryById(before, append.entry), append.entry);
    }
    const { conversation, requestedHoles } = this.#projection;
    const { requests, requested } = holeRequests(conversation, requestedHoles);
    this.#requests.push(...requests);
    this.#projection = { ...this.#projection, requestedHoles: requested };
  }

  snapshot(snapshot: Snapshot): void {
    const { conversation: before, hasStarted } = this.#projection;
    const after = fromSnapshot(snapshot);
    this.#setConversation(after);
    for (const entry of snapshot.entries) {
      const isNews = hasStarted || Object.hasOwn(after.open, entry.id);
      if (isNews) this.#entry(entryById(before, entry.id), entry.id);
    }
    if (hasStarted) {
      this.#fetchMissing(before, after);
      for (const turn of after.turns) {
        const known = before.turns.find(({ id }) => id === turn.id);
        if (turn.endedBy !== undefined && known?.endedBy === undefined) this.#turnEnded(turn);
      }
    }
    this.#session(before, after);
    this.#markStarted();
  }

  page(page: Page): void {
    const { missing, conversation } = this.#projection;
    if (!missing || page.to < missing.to) return;
    this.#setConversation(withPage(conversation, page));
    for (const entry of page.entries) {
      if (entry.seq < missing.from || entry.seq >= missing.to) continue;
      this.#sendEntry(entryById(missing.before, entry.id), entry);
    }
    this.#projection = { ...this.#projection, missing: undefined };
    if (page.from > missing.from && page.entries.length > 0) this.#fetch({ ...missing, to: page.from });
  }

  followAgain(): void {
    this.#requests.push(followRequest(this.#projection.conversation));
  }

  #change(before: Conversation, change: Change): void {
    const after = fold(before, change);
    this.#setConversation(after);
    const { stated, modified } = touches(change);
    for (const id of [...stated, ...modified]) this.#entry(entryById(before, id), id);
    if (change.kind === 'turn.ended') {
      const turn = after.turns.find(({ id }) => id === change.turn);
      if (turn) this.#turnEnded(turn);
    }
    if (change.kind === 'config.refused') this.send(stdioError('OPTION_UNKNOWN', { message: change.why }));
    this.#session(before, after);
  }

  #entry(before: Entry | undefined, id: string): void {
    const entry = entryById(this.#projection.conversation, id);
    if (entry) this.#sendEntry(before, entry);
  }

  #sendEntry(before: Entry | undefined, entry: Entry): void {
    const { texts, resolve } = this.#projection;
    const { messages, text } = entryMessages(before, entry, { texts, resolve, sent: this.#sent });
    this.send(...messages);
    if (text === undefined) this.#sent.delete(entry.id);
    else this.#sent.set(entry.id, text);
  }

  /** Reports changes of the session as a whole. */
  #session(before: Conversation, after: Conversation): void {
    const { session } = this.#projection;
    const { agentSession } = after.facts;
    if (agentSession !== undefined && agentSession !== before.facts.agentSession) {
      this.send({ type: 'session_init', session_id: session, agent_session_id: agentSession });
    }
    if (before.facts !== after.facts) {
      const was = metadata(session, before);
      const is = metadata(session, after);
      if (stableText(was) !== stableText(is)) this.send(is);
    }
    if (before.usage !== after.usage) this.send(cost(after));
    const status = statusOf(after);
    if (!this.#projection.hasStarted || stableText(statusOf(before)) !== stableText(status))
      this.send(status);
  }

  #turnEnded(turn: Turn): void {
    const { conversation, resolve } = this.#projection;
    let last: Entry | undefined;
    let text = '';
    for (const entry of entriesFrom(conversation.entries, turn.firstSeq)) {
      if (entry.turn !== turn.id) continue;
      last = entry;
      if (entry.kind === 'text' && entry.parent === undefined) text = wholeText(entry, { resolve });
    }
    const ended = { turn_id: turn.id, msg_id: last?.id ?? turn.id, seq: last?.seq ?? turn.firstSeq };
    const denied = turn.denied?.map(({ entry, title }) => ({ tool_use_id: entry, title }));
    const denials = denied === undefined ? {} : { permission_denials: denied };
    if (turn.endedBy === 'cancelled') {
      this.send({ type: 'turn_cancelled', ...ended, partial_result: text, ...denials });
      return;
    }
    const result = turn.endedBy === 'completed' ? 'success' : (turn.endedBy ?? 'error');
    this.send({
      type: 'turn_complete',
      ...ended,
      result,
      ...(turn.why === undefined ? {} : { message: turn.why }),
      ...denials,
    });
  }

  /** A snapshot has only the last entries; older ones that were added or closed are loaded. */
  #fetchMissing(before: Conversation, after: Conversation): void {
    const closed = openEntries(before).filter(({ id }) => entryById(after, id) === undefined);
    const from = Math.min(before.nextSeq, ...closed.map(({ seq }) => seq));
    if (from < after.from) this.#fetch({ from, to: after.from, before });
  }

  #fetch(missing: NonNullable<Projection['missing']>): void {
    this.#projection = { ...this.#projection, missing };
    this.#requests.push({ type: 'entries', before: missing.to });
  }

  #setConversation(conversation: Conversation): void {
    this.#projection = { ...this.#projection, conversation };
  }

  #markStarted(): void {
    if (!this.#projection.hasStarted) this.#projection = { ...this.#projection, hasStarted: true };
  }
}

function statusOf(state: Conversation): OutboundMessage {
  return {
    type: 'session_status',
    status: turnState(state),
    agent: state.agent.state,
    ...(state.agent.reason === undefined ? {} : { reason: state.agent.reason }),
    queued: state.queue.length,
    waiting: pendingRequests(state).length,
  };
}

function metadata(session: string, { facts }: Conversation): OutboundMessage {
  const fields = {
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
  const stated = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { type: 'system_metadata', session_id: session, ...Object.fromEntries(stated) };
}

function cost({ usage, turns, facts }: Conversation): OutboundMessage {
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

type ModelUsage = NonNullable<Extract<OutboundMessage, { type: 'cost_update' }>['modelUsage']>;

function modelUsage(
  byModel: NonNullable<Usage['byModel']>,
  limits: NonNullable<SessionInfo['modelLimits']>,
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
