/**
 * Mode and model that the user chose for new sessions of an agent in a project (A14). Stored in the database, because
 * they are set from the page. A dangerous mode needs confirmation, and sessions created by programs never start in
 * one.
 */
import { findAgent } from '@tugdeck/agents/catalog';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { SettingTable } from '@tugdeck/store/setting-table';
import { z } from 'zod';

const preferenceSchema = z.object({ mode: z.string().optional(), model: z.string().optional() });
export type Preference = z.infer<typeof preferenceSchema>;

export interface PreferenceChange {
  readonly project: string;
  readonly agent: string;
  readonly option: 'mode' | 'model';
  readonly value: string | null;
  readonly confirmed?: boolean | undefined;
}

export class Preferences {
  readonly #settings: SettingTable;

  constructor(settings: SettingTable) {
    this.#settings = settings;
  }

  get(project: string, agent: string): Preference {
    const text = this.#settings.get(keyOf(project, agent));
    return text === undefined ? {} : preferenceSchema.parse(JSON.parse(text));
  }

  set({ project, agent, option, value, confirmed }: PreferenceChange): void {
    const isDangerous = option === 'mode' && value !== null && isDangerousMode(agent, value);
    if (isDangerous && !confirmed) {
      throw new CodedError(
        'CONFIRMATION_NEEDED',
        'New sessions would run everything without asking. Confirm to continue.',
      );
    }
    const { [option]: _before, ...rest } = this.get(project, agent);
    const next = value === null ? rest : { ...rest, [option]: value };
    this.#settings.set(keyOf(project, agent), JSON.stringify(next));
  }
}

export function isDangerousMode(agent: string, mode: string): boolean {
  const known = findAgent(agent);
  const named = known?.modes.find(({ id }) => id === mode);
  return named?.dangerous === true || known?.dangerousModes?.includes(mode) === true;
}

/** The mode for a session that no user started interactively. */
export function unattendedMode(agent: string, mode: string | undefined): string | undefined {
  return mode !== undefined && isDangerousMode(agent, mode) ? findAgent(agent)?.defaultMode : mode;
}

function keyOf(project: string, agent: string): string {
  return `begin:${agent}:${project}`;
}
