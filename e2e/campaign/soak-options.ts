/** Options of `npm run faults -- --hours N` and their defaults. Pure. */
import type { SoakOptions } from './soak.ts';

export type SoakCall = Omit<SoakOptions, 'log'>;

const SESSIONS = 100;
/** Seconds between two prompts of a session, at least; at most three times as long. */
const PAUSE_S = 20;

/** Half of the sessions, rounded up, use the real agent, unless `--real` sets the number. */
export function soakCall(
  number: (name: string, fallback: number) => number,
  { seed, hours }: { readonly seed: number; readonly hours: number },
): SoakCall {
  const sessions = number('sessions', SESSIONS);
  const real = Math.min(sessions, number('real', Math.ceil(sessions / 2)));
  const least = number('pause', PAUSE_S) * 1000;
  return { seed, hours, sessions, real, pauseMs: [least, 3 * least] };
}
