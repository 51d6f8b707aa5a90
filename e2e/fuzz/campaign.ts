/**
 * Runs a target over mutated seeds until it has taken a number of lines. A finding has the seed that repeats it, the error
 * and the input. Times are limits against hanging, not measurements.
 */
import { mutate } from './mutate.ts';
import { below, pick, seeded } from './random.ts';
import type { Target } from './targets.ts';

export interface Finding {
  readonly target: string;
  readonly seed: number;
  readonly what: string;
  readonly lines: readonly string[];
}

export interface Result {
  readonly target: string;
  readonly inputs: number;
  readonly findings: readonly Finding[];
  readonly slowestMs: number;
}

/** Lines given to a target together. */
const MAX_LINES = 60;
const HANG_MS = 5_000;
const MAX_FINDINGS = 5;

export function fuzz(
  target: Target,
  {
    inputs,
    seed,
    known = [],
  }: {
    readonly inputs: number;
    readonly seed: number;
    /** Earlier findings run first, and are mutated like valid input. */
    readonly known?: readonly (readonly string[])[];
  },
): Result {
  const seeds = [...target.seeds(), ...known];
  if (seeds.length === 0 || seeds.every((lines) => lines.length === 0))
    throw new Error(`${target.name}: no seeds`);
  const findings: Finding[] = [];
  let taken = 0;
  let slowestMs = 0;
  for (const lines of known) {
    const what = attempt(target, lines);
    if (what !== undefined) findings.push({ target: target.name, seed: -1, what, lines });
  }
  for (let round = seed; taken < inputs && findings.length < MAX_FINDINGS; round++) {
    const random = seeded(round);
    const file = pick(random, seeds) ?? [];
    const from = random() < 0.5 ? 0 : below(random, file.length);
    const lines = file
      .slice(from, from + MAX_LINES)
      .map((line) => (random() < 0.4 ? mutate(random, line) : line));
    taken += Math.max(1, lines.length);
    const began = performance.now();
    const what = attempt(target, lines);
    const took = performance.now() - began;
    slowestMs = Math.max(slowestMs, took);
    const why = what ?? (took > HANG_MS ? `took ${Math.round(took)} ms` : undefined);
    if (why !== undefined) findings.push({ target: target.name, seed: round, what: why, lines });
  }
  return { target: target.name, inputs: taken, findings, slowestMs };
}

function attempt(target: Target, lines: readonly string[]): string | undefined {
  try {
    target.run(lines);
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const leaked = Object.keys(Object.prototype);
  for (const key of leaked) Reflect.deleteProperty(Object.prototype, key);
  return leaked.length > 0 ? `Object.prototype got ${leaked.join(', ')}` : undefined;
}
