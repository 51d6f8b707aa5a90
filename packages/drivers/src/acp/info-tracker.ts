/**
 * Tracks session information besides the conversation: modes, models, options, commands, title, account. Modes and
 * models come in three forms (modes, config options, the older `models`), which are unified here together with the
 * calls that change them.
 */

import { findByHandshakeName } from '@tugdeck/agents/catalog';
import {
  type AgentOption,
  type Choice,
  MAX_AGENT_TITLE,
  type SessionInfo,
} from '@tugdeck/protocol/conversation/session-info';
import { type Fields, listOf, recordOf, textAt } from '../kit/fields.ts';
import type { Scope } from '../kit/scope.ts';
import { untrustedText } from '../kit/untrusted-text.ts';
import { offeredControls } from './session-list.ts';
import { forksBeforeMessages } from './session-params.ts';
import { type ConfigOption, configOptionsSchema, type UpdateOf } from './wire.ts';

type Main = 'mode' | 'model';

/** A call that sets an option, without the session's id. */
export interface Setter {
  readonly method: string;
  readonly params: Fields;
}

export class InfoTracker {
  readonly #scope: Scope;
  readonly #isDangerous: (mode: string) => boolean;
  readonly #current: { mode?: string; model?: string } = {};
  readonly #choices: { mode?: Choice[]; model?: Choice[] } = {};
  readonly #config: { mode?: string; model?: string } = {};
  #modes = false;
  #models = false;
  #options: readonly AgentOption[] = [];
  quiet = false;

  constructor(scope: Scope, isDangerous: (mode: string) => boolean = () => false) {
    this.#scope = scope;
    this.#isDangerous = isDangerous;
  }

  current(option: Main): string | undefined {
    return this.#current[option];
  }

  offers(option: Main, value: string): boolean {
    return this.#choices[option]?.some(({ id }) => id === value) ?? false;
  }

  /** The result of new, load, resume or fork. */
  sessionOpened(session: string, result: unknown): void {
    this.#describe({ agentSession: session });
    const { modes, models } = recordOf(result);
    if (modes) {
      this.#modes = true;
      this.#offer('mode', listOf(recordOf(modes).availableModes).flatMap(choice('id')));
      this.#set('mode', textAt(modes, 'currentModeId'), false);
    }
    if (models) {
      this.#models = true;
      this.#offer('model', listOf(recordOf(models).availableModels).flatMap(choice('modelId')));
      this.#set('model', textAt(models, 'currentModelId'), false);
    }
    this.config(result, false);
  }

  /** Any message with `configOptions`. */
  config(value: unknown, announce = true): void {
    const parsed = configOptionsSchema.safeParse(recordOf(value).configOptions);
    if (!parsed.success) return;
    for (const option of ['mode', 'model'] as const) {
      const own = parsed.data.find(({ category, id }) => (category ?? id) === option);
      if (!own) continue;
      this.#config[option] = own.id;
      this.#offer(option, optionsOf(own));
      this.#set(option, typeof own.currentValue === 'string' ? own.currentValue : undefined, announce);
    }
    const main = Object.values(this.#config);
    this.#options = parsed.data.filter(({ id }) => !main.includes(id)).map(agentOption);
    // Sent even if empty: some options disappear with the model.
    this.#describe({ options: [...this.#options] });
  }

  /** Reported by the agent, or confirmed after our request. */
  changed(option: string, value: string): void {
    if (option === 'mode' || option === 'model') {
      this.#set(option, value, true);
      return;
    }
    this.#options = this.#options.map((one) => (one.id === option ? { ...one, value } : one));
    this.#describe({ options: [...this.#options] });
  }

  setter(option: string, value: string): Setter | undefined {
    const other = this.#options.find(({ id }) => id === option);
    const method = 'session/set_config_option';
    if (other?.kind === 'boolean')
      return { method, params: { configId: option, type: 'boolean', value: value === 'true' } };
    if (other) return { method, params: { configId: option, value } };
    const configId = option === 'mode' || option === 'model' ? this.#config[option] : undefined;
    if (option === 'mode' && this.#modes) return { method: 'session/set_mode', params: { modeId: value } };
    if (configId !== undefined) return { method, params: { configId, value } };
    if (option === 'model' && this.#models)
      return { method: 'session/set_model', params: { modelId: value } };
    return undefined;
  }

  /** The option and value that one of our calls sets. */
  requested(method: string, params: unknown): { option: string; value: string } | undefined {
    const { modeId, modelId, configId, value } = recordOf(params);
    if (method === 'session/set_mode' && typeof modeId === 'string') return { option: 'mode', value: modeId };
    if (method === 'session/set_model' && typeof modelId === 'string')
      return { option: 'model', value: modelId };
    if (method !== 'session/set_config_option' || typeof configId !== 'string') return undefined;
    const main = (['mode', 'model'] as const).find((name) => this.#config[name] === configId);
    return { option: main ?? configId, value: untrustedText(value) };
  }

  commands({ availableCommands }: UpdateOf<'available_commands_update'>): void {
    this.#describe({
      commands: availableCommands.map(({ name, description, input }) => {
        const hint = textAt(input, 'hint');
        return {
          name,
          ...(description ? { description } : {}),
          ...(hint === undefined ? {} : { argumentHint: hint }),
        };
      }),
    });
  }

  title(title: string | null | undefined): void {
    // Null clears the title; undefined leaves it unchanged.
    if (title !== undefined) this.#describe({ agentTitle: (title ?? '').slice(0, MAX_AGENT_TITLE) });
  }

  initialized(result: unknown): void {
    const { agentInfo, agentCapabilities, _meta } = recordOf(result);
    const version = textAt(agentInfo, 'version');
    const canSteer = recordOf(recordOf(_meta).steering).supported === true;
    const { fork } = recordOf(recordOf(agentCapabilities).sessionCapabilities);
    const isSafe = !findByHandshakeName(textAt(agentInfo, 'name'))?.unsafeCalls?.includes('session/fork');
    this.#describe({
      canSteer,
      controls: offeredControls(result),
      ...(fork && isSafe
        ? { canFork: forksBeforeMessages(result) ? ('anywhere' as const) : ('now' as const) }
        : {}),
      ...(version === undefined ? {} : { agentVersion: version }),
    });
  }

  account(params: unknown): void {
    const { authStatus, accounts } = recordOf(params);
    const active = listOf(accounts).find((account) => recordOf(account).active !== false);
    const label = textAt(authStatus, 'label') ?? textAt(active, 'label');
    if (label !== undefined) this.#describe({ account: label });
  }

  #offer(option: Main, choices: Choice[]): void {
    if (choices.length === 0) return;
    const marked = choices.map((one) =>
      option === 'mode' && this.#isDangerous(one.id) ? { ...one, dangerous: true } : one,
    );
    this.#choices[option] = marked;
    this.#describe(option === 'mode' ? { modes: marked } : { models: marked });
  }

  #set(option: Main, value: string | undefined, announce: boolean): void {
    if (value === undefined || value === this.#current[option]) return;
    const before = this.#current[option];
    this.#current[option] = value;
    this.#describe(option === 'mode' ? { mode: value } : { model: value });
    if (!announce || this.quiet || before === undefined) return;
    const label = this.#choices[option]?.find(({ id }) => id === value)?.label ?? value;
    this.#scope.notice(option, 'info', `${option === 'mode' ? 'Mode' : 'Model'}: ${label}`);
  }

  #describe(facts: SessionInfo): void {
    this.#scope.out.put({ kind: 'session.described', facts });
  }
}

function choice(key: string): (value: unknown) => Choice[] {
  return (value) => {
    const id = textAt(value, key);
    if (id === undefined) return [];
    const description = textAt(value, 'description');
    return [{ id, label: textAt(value, 'name') ?? id, ...(description ? { description } : {}) }];
  };
}

function agentOption(option: ConfigOption): AgentOption {
  const { id, name, type, currentValue } = option;
  const choices = optionsOf(option);
  return {
    id: id.slice(0, 100),
    label: name ?? id,
    kind: type === 'boolean' ? 'boolean' : 'select',
    ...(currentValue === undefined || currentValue === null ? {} : { value: untrustedText(currentValue) }),
    ...(choices.length === 0 ? {} : { choices }),
  };
}

/** Options may be grouped. */
function optionsOf({ options }: ConfigOption): Choice[] {
  return listOf(options).flatMap((option) =>
    'options' in recordOf(option)
      ? listOf(recordOf(option).options).flatMap(choice('value'))
      : choice('value')(option),
  );
}
