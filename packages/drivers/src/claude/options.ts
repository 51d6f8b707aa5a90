/**
 * Agent settings besides mode and model: effort, fast mode, output style. Choices depend on the model; values come
 * from `initialize`, `init`, settings and confirmations.
 */
import type { AgentOption, Choice } from '@tugdeck/protocol/conversation/session-info';
import { listOf, recordOf, textAt } from '../kit/fields.ts';
import type { SystemLine } from './wire.ts';

const EFFORT_LABELS: Readonly<Record<string, string>> = {
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  xhigh: 'Very high',
  max: 'Most',
};

interface Abilities {
  readonly effort: readonly string[];
  readonly fast: boolean;
}

const NONE: Abilities = { effort: [], fast: false };

/** The agent's settings for an option; effective from its next request. */
export function settingsFor(option: string, value: string): Readonly<Record<string, unknown>> | undefined {
  switch (option) {
    case 'effort':
      return { effortLevel: value };
    case 'fast':
      return { fastMode: value === 'true' };
    case 'style':
      return { outputStyle: value };
    default:
      return undefined;
  }
}

/** The option and value in such settings. */
export function optionIn(settings: unknown): { option: string; value: string } | undefined {
  const { effortLevel, fastMode, outputStyle } = recordOf(settings);
  if (typeof effortLevel === 'string') return { option: 'effort', value: effortLevel };
  if (typeof fastMode === 'boolean') return { option: 'fast', value: String(fastMode) };
  if (typeof outputStyle === 'string') return { option: 'style', value: outputStyle };
  return undefined;
}

export class Options {
  readonly #abilities = new Map<string, Abilities>();
  #model: string | undefined;
  #styles: readonly string[] = [];
  readonly #values = new Map<string, string>();

  /** The response to `initialize`. */
  initialized(answer: Readonly<Record<string, unknown>>): void {
    for (const model of listOf(answer.models)) {
      const { supportedEffortLevels, supportsFastMode } = recordOf(model);
      const abilities = {
        effort: listOf(supportedEffortLevels).map(String),
        fast: supportsFastMode === true,
      };
      for (const key of ['resolvedModel', 'value']) {
        const id = textAt(model, key);
        if (id !== undefined) this.#abilities.set(id, abilities);
      }
    }
    this.#styles = listOf(answer.available_output_styles).map(String);
    this.turnStarted(answer);
  }

  /** `init` reports current values. */
  turnStarted(line: SystemLine | Readonly<Record<string, unknown>>): void {
    const [style, fast] = [textAt(line, 'output_style'), textAt(line, 'fast_mode_state')];
    if (style !== undefined) this.#values.set('style', style);
    if (fast !== undefined) this.#values.set('fast', String(fast === 'on'));
    this.#model = textAt(line, 'model') ?? this.#model;
  }

  model(model: string): void {
    this.#model = model;
  }

  /** The response to `get_settings`. */
  settings(response: unknown): void {
    const effort = textAt(recordOf(response).applied, 'effort');
    if (effort !== undefined) this.#values.set('effort', effort);
  }

  set(option: string, value: string): void {
    this.#values.set(option, value);
  }

  list(): AgentOption[] {
    const abilities = this.#abilities.get(this.#model ?? 'default') ?? NONE;
    const options: AgentOption[] = [];
    if (abilities.effort.length > 0) {
      options.push(this.#select('effort', 'Effort', abilities.effort, (id) => EFFORT_LABELS[id] ?? id));
    }
    if (abilities.fast) {
      options.push({
        id: 'fast',
        label: 'Fast mode',
        kind: 'boolean',
        value: this.#values.get('fast') ?? 'false',
      });
    }
    if (this.#styles.length > 0)
      options.push(this.#select('style', 'Output style', this.#styles, (id) => id));
    return options;
  }

  #select(id: string, label: string, ids: readonly string[], labelOf: (id: string) => string): AgentOption {
    const choices: Choice[] = ids.map((choice) => ({ id: choice, label: labelOf(choice) }));
    const value = this.#values.get(id);
    return { id, label, kind: 'select', choices, ...(value === undefined ? {} : { value }) };
  }
}
