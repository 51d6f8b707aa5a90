/**
 * Tracks session information besides the entries, from `initialize`, each turn's `init`, status lines and confirmed
 * settings. Emits only changes.
 */
import { findAgent } from '@tugdeck/agents/catalog';
import {
  MAX_AGENT_TITLE,
  type McpServer,
  type SessionInfo,
} from '@tugdeck/protocol/conversation/session-info';
import { stableText } from '@tugdeck/protocol/ids';
import type { Emitter } from '../kit/emitter.ts';
import { listOf, recordOf, textAt } from '../kit/fields.ts';
import { CONTROL_NAMES } from './control-requests.ts';
import { categoryOf, modelLimits, offeredCommands, offeredPlugins, offeredServers } from './offered.ts';
import { Options } from './options.ts';
import { type OfferedCommand, withSurfaces } from './surfaces.ts';
import type { ResultLine, SystemLine } from './wire.ts';

const MODES = findAgent('claude')?.modes ?? [];
const MAX_MODELS = 20;

export function modeLabel(id: string): string {
  return MODES.find((mode) => mode.id === id)?.label ?? id;
}

export class InfoTracker {
  readonly #out: Emitter;
  #info: SessionInfo = {};
  /** Resolved name of each offered model. */
  readonly #resolved = new Map<string, string>();
  #isModelChangeAnnounced = false;
  readonly #options = new Options();

  constructor(out: Emitter) {
    this.#out = out;
  }

  /** The response to `initialize`. */
  initialized(response: unknown): void {
    const answer = recordOf(response);
    for (const model of listOf(answer.models)) {
      const [value, resolved] = [textAt(model, 'value'), textAt(model, 'resolvedModel')];
      if (value !== undefined && resolved !== undefined) this.#resolved.set(value, resolved);
    }
    const account = recordOf(answer.account);
    const who = textAt(account, 'email') ?? textAt(account, 'apiKeySource') ?? textAt(account, 'tokenSource');
    const version = textAt(answer, 'claude_code_version');
    const mode = textAt(answer, 'current_permission_mode');
    this.#describe({
      modes: MODES.map(({ id, label, description, dangerous }) => ({
        id,
        label,
        description,
        ...(dangerous ? { dangerous } : {}),
      })),
      canSteer: true,
      canFork: 'anywhere',
      controls: [...CONTROL_NAMES],
      models: listOf(answer.models).flatMap((model) => {
        const id = textAt(model, 'value');
        if (id === undefined) return [];
        const description = textAt(model, 'description');
        const label = textAt(model, 'displayName') ?? id;
        return [{ id, label, ...(description === undefined ? {} : { description }) }];
      }),
      commands: withSurfaces(offeredCommands(answer.commands)).map((one) => this.#categorized(one)),
      subagents: listOf(answer.agents).flatMap((agent) => textAt(agent, 'name') ?? []),
      ...(version === undefined ? {} : { agentVersion: version }),
      ...(who === undefined || who === 'none' ? {} : { account: who }),
      ...(mode === undefined ? {} : { mode }),
    });
    this.#options.initialized(answer);
    this.#describe({ options: this.#options.list() });
  }

  /** The response to `get_settings`. */
  settings(response: unknown): void {
    this.#options.settings(response);
    this.#describe({ options: this.#options.list() });
  }

  /** This version does not support the control. */
  withoutControl(what: string): void {
    this.#describe({ controls: (this.#info.controls ?? []).filter((control) => control !== what) });
  }

  /** The response to `mcp_status`. */
  servers(response: unknown): void {
    this.#describe({ mcpServers: offeredServers(recordOf(response).mcpServers) });
  }

  /** `system/init`, at the start of every turn. */
  turnStarted(line: SystemLine): void {
    const [model, mode] = [textAt(line, 'model'), textAt(line, 'permissionMode')];
    const [version, directory] = [textAt(line, 'claude_code_version'), textAt(line, 'cwd')];
    const names = (key: string): string[] => texts(line[key]);
    if (model !== undefined) this.#model(model);
    if (mode !== undefined) this.mode(mode);
    this.#describe({
      ...(line.session_id === undefined ? {} : { agentSession: line.session_id }),
      ...(version === undefined ? {} : { agentVersion: version }),
      ...(directory === undefined ? {} : { directory }),
      tools: names('tools'),
      skills: names('skills'),
      subagents: names('agents'),
      mcpServers: this.#serversOf(line.mcp_servers),
      plugins: offeredPlugins(line.plugins),
      // `initialize` has more detail; otherwise the names are used.
      ...(this.#info.commands
        ? {}
        : { commands: withSurfaces(names('slash_commands').map((name) => ({ name }))) }),
    });
    // Skills and plugins are known only now.
    this.#describe({ commands: this.#info.commands?.map((one) => this.#categorized(one)) });
    this.#options.turnStarted(line);
    const options = this.#options.list();
    if (options.length > 0) this.#describe({ options });
  }

  /** The complete list, after a change during the session. */
  commands(list: unknown): void {
    const commands = withSurfaces(offeredCommands(list));
    this.#describe({ commands: commands.map((one) => this.#categorized(one)) });
  }

  #categorized(one: OfferedCommand): OfferedCommand {
    return { ...one, category: categoryOf(one, this.#info) };
  }

  /** A turn's list has no tools: known tools of a connected server are kept. */
  #serversOf(list: unknown): McpServer[] {
    return offeredServers(list).map((reported) => {
      const known = this.#info.mcpServers?.find(({ name }) => name === reported.name);
      return known?.status === reported.status ? { ...known, ...reported } : reported;
    });
  }

  modelLimits(models: ResultLine['modelUsage']): void {
    const reported = modelLimits(models);
    if (reported.length === 0) return;
    const known = Object.entries(this.#info.modelLimits ?? {});
    this.#describe({ modelLimits: Object.fromEntries([...known, ...reported].slice(-MAX_MODELS)) });
  }

  suggestion(suggestion: string): void {
    if (suggestion !== (this.#info.suggestion ?? '')) this.#describe({ suggestion });
  }

  limits(limits: NonNullable<SessionInfo['limits']>): void {
    this.#describe({ limits });
  }

  session(id: string): void {
    this.#describe({ agentSession: id });
  }

  title(title: string): void {
    this.#describe({ agentTitle: title.slice(0, MAX_AGENT_TITLE) });
  }

  /** Adds a notice if the mode changed. */
  mode(mode: string): void {
    const known = this.#info.mode;
    this.#describe({ mode });
    if (known !== undefined && known !== mode) {
      this.#out.notice('mode', 'info', `Mode: ${modeLabel(mode)}`);
    }
  }

  /** The agent announced the model change itself. */
  modelChangeAnnounced(): void {
    this.#isModelChangeAnnounced = true;
  }

  #model(reported: string): void {
    const known = this.#info.model;
    const model = this.#choice(reported);
    this.#describe({ model });
    if (!this.#isModelChangeAnnounced && known !== undefined && known !== model) {
      this.#out.notice('model', 'info', `Model: ${this.#label(model)}`);
    }
    this.#isModelChangeAnnounced = false;
  }

  /** A setting was confirmed. Emitted even if unchanged, because the request is shown as pending until then. */
  configured(option: string, value: string): void {
    if (option === 'mode' || option === 'model') {
      if (option === 'mode') this.mode(value);
      else this.#changeModel(value);
      this.#out.put({ kind: 'session.described', facts: { [option]: this.#info[option] ?? value } });
      return;
    }
    this.#options.set(option, value);
    this.#info = { ...this.#info, options: this.#options.list() };
    this.#out.put({ kind: 'session.described', facts: { options: this.#options.list() } });
  }

  /** Another model may offer other options. */
  #changeModel(value: string): void {
    this.#describe({ model: this.#choice(value) });
    this.#options.model(value);
    const options = this.#options.list();
    if (this.#info.options && options.length > 0) this.#describe({ options });
  }

  /** The offered choice for a model name; prefers the current one. */
  #choice(reported: string): string {
    const known = this.#info.model;
    if (known !== undefined && this.#resolved.get(known) === reported) return known;
    if (this.#resolved.has(reported)) return reported;
    for (const [value, resolved] of this.#resolved) {
      if (resolved === reported) return value;
    }
    return reported;
  }

  #label(model: string): string {
    return this.#info.models?.find(({ id }) => id === model)?.label ?? model;
  }

  #describe(facts: SessionInfo): void {
    const changed = Object.fromEntries(
      Object.entries(facts).filter(
        ([key, value]) => stableText(value) !== stableText(this.#info[key as keyof SessionInfo]),
      ),
    ) as SessionInfo;
    if (Object.keys(changed).length === 0) return;
    this.#info = { ...this.#info, ...changed };
    this.#out.put({ kind: 'session.described', facts: changed });
  }
}

function texts(value: unknown): string[] {
  return listOf(value).filter((item): item is string => typeof item === 'string');
}
