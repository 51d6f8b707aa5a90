/**
 * The model and mode that this user made the default of new sessions (A14), as far as the page knows: the server stores
 * them, but doesn't publish them.
 */
import { persisted } from '../../../kit/persisted.ts';

type Defaults = Readonly<Record<string, string>>;

const MAX_REMEMBERED = 100;

/** By project, agent and option. */
const defaults = persisted<Defaults>('new-session-defaults', readDefaults, { isShared: true });

function readDefaults(raw: unknown): Defaults {
  if (typeof raw !== 'object' || raw === null) return {};
  return Object.fromEntries(Object.entries(raw).filter(([, value]) => typeof value === 'string'));
}

export const newSessionDefaults = { get: defaults.get, subscribe: defaults.subscribe };

export function rememberDefault(key: string, value: string): void {
  const others = Object.entries(defaults.get()).filter(([known]) => known !== key);
  defaults.set(Object.fromEntries([...others.slice(1 - MAX_REMEMBERED), [key, value]]));
}
