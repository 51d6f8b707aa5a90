/**
 * Tracks information of a thread besides the conversation: settings as mode, model and options, title, models, MCP
 * servers, account and limits.
 */
import {
  type AgentOption,
  type Choice,
  type Limit,
  MAX_AGENT_TITLE,
  type McpServer,
  type SessionInfo,
} from '@tugdeck/protocol/conversation/session-info';
import type { Emitter } from '../kit/emitter.ts';
import { type Fields, listOf, numberAt, recordOf, textAt } from '../kit/fields.ts';
import type { Scope } from '../kit/scope.ts';
import type { McpServerList } from './controls.ts';
import { modeChoices, modeOf } from './modes.ts';

interface Model extends Choice {
  readonly efforts: Choice[];
  readonly effort: string | undefined;
}

/** Information of the connection, independent of threads. */
export class AccountInfoTracker {
  readonly #out: Emitter;
  readonly #limits = new Map<string, Limit>();
  models: readonly Model[] = [];

  constructor(out: Emitter) {
    this.#out = out;
  }

  initialized(result: unknown): void {
    const version = /\/(\d[^\s]*)/.exec(textAt(result, 'userAgent') ?? '')?.[1];
    if (version !== undefined) this.#describe({ agentVersion: version });
  }

  /** Hidden models are not offered. */
  modelList(result: unknown): void {
    const models = listOf(recordOf(result).data).flatMap((model): Model[] => {
      const id = textAt(model, 'model') ?? textAt(model, 'id');
      if (id === undefined || recordOf(model).hidden === true) return [];
      const description = textAt(model, 'description');
      const efforts = listOf(recordOf(model).supportedReasoningEfforts).flatMap((effort): Choice[] => {
        const name = textAt(effort, 'reasoningEffort');
        const about = textAt(effort, 'description');
        return name === undefined
          ? []
          : [{ id: name, label: name, ...(about ? { description: about } : {}) }];
      });
      return [
        {
          id,
          label: textAt(model, 'displayName') ?? id,
          ...(description ? { description } : {}),
          efforts,
          effort: textAt(model, 'defaultReasoningEffort'),
        },
      ];
    });
    if (models.length > 0) this.models = models;
  }

  account(result: unknown): void {
    const account = recordOf(result).account;
    if (account === null || account === undefined) return;
    const type = textAt(account, 'type');
    const plan = textAt(account, 'planType');
    const name = textAt(account, 'email') ?? (type === 'apiKey' ? 'API key' : type);
    if (name !== undefined) this.#describe({ account: plan === undefined ? name : `${name} (${plan})` });
  }

  updated(params: unknown): void {
    const how = textAt(params, 'authMode');
    const plan = textAt(params, 'planType');
    const label = how === undefined ? 'signed out' : how === 'apikey' ? 'API key' : how;
    this.#describe({ account: plan === undefined ? label : `${label} (${plan})` });
  }

  /** Sent after every model call; empty if the provider reports nothing, then the known limits stay. */
  limits(value: unknown): void {
    const snapshot = recordOf(value);
    const name = textAt(snapshot, 'limitName');
    const reached = typeof snapshot.rateLimitReachedType === 'string';
    let changed = false;
    for (const which of ['primary', 'secondary'] as const) {
      const window = recordOf(snapshot[which]);
      const percent = numberAt(window, 'usedPercent');
      if (percent === undefined) continue;
      const id = `${textAt(snapshot, 'limitId') ?? 'limit'}-${which}`;
      const resetsAt = numberAt(window, 'resetsAt');
      const isFull = percent >= 100 || (reached && which === 'primary');
      const limit: Limit = {
        id,
        label: [name, windowLabel(numberAt(window, 'windowDurationMins'))].filter(Boolean).join(', '),
        state: isFull ? 'reached' : percent >= 80 ? 'warning' : 'open',
        used: percent / 100,
        ...(resetsAt === undefined ? {} : { resetsAt: resetsAt * 1000 }),
      };
      changed ||= JSON.stringify(this.#limits.get(id)) !== JSON.stringify(limit);
      this.#limits.set(id, limit);
    }
    if (changed) this.#describe({ limits: [...this.#limits.values()] });
  }

  #describe(facts: SessionInfo): void {
    this.#out.put({ kind: 'session.described', facts });
  }
}

const SERVER_STATES: Readonly<Record<string, string>> = {
  ready: 'connected',
  starting: 'pending',
  cancelled: 'disabled',
};

function windowLabel(minutes: number | undefined): string {
  if (minutes === undefined) return 'Limit';
  if (minutes % 1440 === 0) return minutes === 10_080 ? 'Weekly limit' : `${minutes / 1440}-day limit`;
  return minutes % 60 === 0 ? `${minutes / 60}-hour limit` : `${minutes}-minute limit`;
}

/** Information of a thread that the user opened. */
export class ThreadInfoTracker {
  readonly #scope: Scope;
  readonly #account: AccountInfoTracker;
  readonly #servers = new Map<string, McpServer>();
  #settings: Fields = {};
  #mode: string | undefined;
  #model: string | undefined;
  #effort: string | undefined;
  #title: string | undefined;
  /** During setup, setting changes are not announced. */
  quiet = true;

  constructor(scope: Scope, account: AccountInfoTracker) {
    this.#scope = scope;
    this.#account = account;
  }

  get mode(): string | undefined {
    return this.#mode;
  }

  get model(): string | undefined {
    return this.#model;
  }

  get effort(): string | undefined {
    return this.#effort;
  }

  /** The result of start, resume or fork. */
  threadOpened(result: Fields): void {
    const thread = recordOf(result.thread);
    this.#describe({ agentSession: textAt(thread, 'id') ?? '', canSteer: true, canFork: 'anywhere' });
    this.title(thread.name);
    this.settings({ ...result, effort: result.reasoningEffort });
  }

  settings(settings: Fields): void {
    this.#settings = { ...this.#settings, ...settings };
    const model = textAt(settings, 'model');
    const mode = modeOf(this.#settings);
    if ('effort' in settings) this.#effort = textAt(settings, 'effort');
    this.#describe({
      mode,
      modes: modeChoices(mode, this.#settings),
      ...(model === undefined ? {} : { model, models: this.#models(model) }),
      options: this.#options(model ?? this.#model),
    });
    this.#announceChange('Mode', this.#mode, mode, modeChoices(mode, this.#settings));
    this.#announceChange('Model', this.#model, model, this.#account.models);
    this.#mode = mode;
    this.#model = model ?? this.#model;
  }

  /** The list of models arrived or changed. */
  offer(): void {
    if (this.#model === undefined) return;
    this.#describe({ models: this.#models(this.#model), options: this.#options(this.#model) });
  }

  title(name: unknown): void {
    const title = typeof name === 'string' ? name.slice(0, MAX_AGENT_TITLE) : undefined;
    if (title === this.#title || (title === undefined && this.#title === undefined)) return;
    this.#title = title;
    this.#describe({ agentTitle: title ?? '' });
  }

  /** A server's state while it starts. */
  server({ name, status, error, failureReason }: Fields): void {
    if (typeof name !== 'string') return;
    const state = SERVER_STATES[String(status)] ?? String(status ?? 'unknown');
    const known = this.#servers.get(name);
    this.#servers.set(name, {
      name,
      status: failureReason === 'reauthenticationRequired' ? 'needs-auth' : state,
      ...(known?.tools ? { tools: known.tools } : {}),
      ...(typeof error === 'string' ? { error } : {}),
    });
    this.#describe({ mcpServers: [...this.#servers.values()] });
  }

  /** The answer to a query; it has tools, but not whether a server runs. */
  serversListed(servers: McpServerList): SessionInfo {
    for (const { name, needsSignIn, tools } of servers) {
      const known = this.#servers.get(name) ?? { name, status: 'connected' };
      this.#servers.set(name, {
        ...known,
        ...(needsSignIn ? { status: 'needs-auth' } : {}),
        tools: tools.map(({ inputSchema: _, ...tool }) => tool),
      });
    }
    return { mcpServers: [...this.#servers.values()] };
  }

  #models(current: string): Choice[] {
    const known = this.#account.models.map(({ efforts: _, effort: _effort, ...choice }) => choice);
    // The list is the vendor's; the user's own provider may have other models.
    return known.some(({ id }) => id === current) ? known : [{ id: current, label: current }, ...known];
  }

  #options(model: string | undefined): AgentOption[] {
    const known = this.#account.models.find(({ id }) => id === model);
    const value = this.#effort ?? known?.effort;
    if (!known || known.efforts.length === 0) return [];
    return [
      {
        id: 'effort',
        label: 'Effort',
        kind: 'select',
        ...(value === undefined ? {} : { value }),
        choices: known.efforts,
      },
    ];
  }

  #announceChange(
    what: 'Mode' | 'Model',
    before: string | undefined,
    now: string | undefined,
    choices: readonly Choice[],
  ): void {
    if (this.quiet || before === undefined || now === undefined || before === now) return;
    const label = choices.find(({ id }) => id === now)?.label ?? now;
    this.#scope.notice(what === 'Mode' ? 'mode' : 'model', 'info', `${what}: ${label}`);
  }

  #describe(facts: SessionInfo): void {
    this.#scope.out.put({ kind: 'session.described', facts });
  }
}
