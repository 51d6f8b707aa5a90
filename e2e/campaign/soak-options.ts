/** What `npm run faults -- --hours N` is told, and what it does when it is not. Pure. */
import type { SoakOptions } from './soak.ts';

export type SoakCall = Omit<SoakOptions, 'pauseMs' | 'tell'>;

const SESSIONS = 100;

/** Half of the sessions, rounded up, are the real agent, unless `--real` says how many. */
export function soakCall(
  number: (name: string, usual: number) => number,
  { seed, hours }: { readonly seed: number; readonly hours: number },
): SoakCall {
  const sessions = number('sessions', SESSIONS);
  const real = Math.min(sessions, number('real', Math.ceil(sessions / 2)));
  return { seed, hours, sessions, real };
}
