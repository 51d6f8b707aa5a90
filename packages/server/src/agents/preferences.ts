/**
 * What the user chose for new sessions with an agent in a project (A14): mode and model. Kept in the database,
 * because it is set from the page; the configuration file says what holds beside it. Lets no dangerous mode in by
 * the way: it needs a second word, and a session that a program asked for never begins with one.
 */
import { findAgent } from '@tugdeck/agents/catalogue';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';
import type { SettingTable } from '../store/setting-table.ts';

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
    const isDanger = option === 'mode' && value !== null && isDangerousMode(agent, value);
    if (isDanger && !confirmed) {
      throw new CodedError(
        'CONFIRMATION_NEEDED',
        'New sessions would do everything without asking. Confirm it once more.',
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

/** The mode to begin with where nobody is there who chose it. */
export function unattendedMode(agent: string, mode: string | undefined): string | undefined {
  return mode !== undefined && isDangerousMode(agent, mode) ? findAgent(agent)?.defaultMode : mode;
}

function keyOf(project: string, agent: string): string {
  return `begin:${agent}:${project}`;
}
