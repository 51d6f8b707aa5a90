/**
 * What the agent says of its session beside the conversation: modes, models, commands, title, account. Modes
 * and models come in three forms (modes, config options, the older `models`); here they are one, together with
 * the call that changes them.
 */
import type { Choice, Facts } from '@tugdeck/protocol/conversation/session-facts';
import type { Scope } from './scope.ts';
import {
  type ConfigOption,
  configOptionsSchema,
  type Fields,
  listOf,
  recordOf,
  textAt,
  type UpdateOf,
} from './wire.ts';

export type Option = 'mode' | 'model';

/** A call that sets an option, without the session's id. */
export interface Setter {
  readonly method: string;
  readonly params: Fields;
}

export class SessionFacts {
  readonly #scope: Scope;
  readonly #current: { mode?: string; model?: string } = {};
  readonly #choices: { mode?: Choice[]; model?: Choice[] } = {};
  readonly #config: { mode?: string; model?: string } = {};
  #modes = false;
  #models = false;
  quiet = false;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  current(option: Option): string | undefined {
    return this.#current[option];
  }

  offers(option: Option, value: string): boolean {
    return this.#choices[option]?.some(({ id }) => id === value) ?? false;
  }

  /** The answer to new, load, resume or fork. */
  began(session: string, result: unknown): void {
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

  /** Anything that carries `configOptions`. */
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
  }

  /** Said by the agent, or granted to us. */
  changed(option: Option, value: string): void {
    this.#set(option, value, true);
  }

  setter(option: Option, value: string): Setter | undefined {
    const configId = this.#config[option];
    if (option === 'mode' && this.#modes) return { method: 'session/set_mode', params: { modeId: value } };
    if (configId !== undefined) return { method: 'session/set_config_option', params: { configId, value } };
    if (option === 'model' && this.#models)
      return { method: 'session/set_model', params: { modelId: value } };
    return undefined;
  }

  /** Which option a call of ours changes, and to what. */
  requested(method: string, params: unknown): { option: Option; value: string } | undefined {
    const { modeId, modelId, configId, value } = recordOf(params);
    if (method === 'session/set_mode' && typeof modeId === 'string') return { option: 'mode', value: modeId };
    if (method === 'session/set_model' && typeof modelId === 'string')
      return { option: 'model', value: modelId };
    if (method !== 'session/set_config_option' || typeof value !== 'string') return undefined;
    const option = (['mode', 'model'] as const).find((name) => this.#config[name] === configId);
    return option === undefined ? undefined : { option, value };
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
    // Null clears it; where it is not stated, nothing is said about it.
    if (title !== undefined) this.#describe({ agentTitle: title ?? '' });
  }

  initialized(result: unknown): void {
    const version = textAt(recordOf(result).agentInfo, 'version');
    if (version !== undefined) this.#describe({ agentVersion: version });
  }

  account(params: unknown): void {
    const { authStatus, accounts } = recordOf(params);
    const active = listOf(accounts).find((account) => recordOf(account).active !== false);
    const label = textAt(authStatus, 'label') ?? textAt(active, 'label');
    if (label !== undefined) this.#describe({ account: label });
  }

  #offer(option: Option, choices: Choice[]): void {
    if (choices.length === 0) return;
    this.#choices[option] = choices;
    this.#describe(option === 'mode' ? { modes: choices } : { models: choices });
  }

  #set(option: Option, value: string | undefined, announce: boolean): void {
    if (value === undefined || value === this.#current[option]) return;
    const before = this.#current[option];
    this.#current[option] = value;
    this.#describe(option === 'mode' ? { mode: value } : { model: value });
    if (!announce || this.quiet || before === undefined) return;
    const label = this.#choices[option]?.find(({ id }) => id === value)?.label ?? value;
    this.#scope.notice(option, 'info', `${option === 'mode' ? 'Mode' : 'Model'}: ${label}`);
  }

  #describe(facts: Facts): void {
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

/** Options may lie in groups. */
function optionsOf({ options }: ConfigOption): Choice[] {
  return listOf(options).flatMap((option) =>
    'options' in recordOf(option)
      ? listOf(recordOf(option).options).flatMap(choice('value'))
      : choice('value')(option),
  );
}
