/**
 * `--check`: compares a run with the figures in docs/benchmarks/. Only ratios carry over between machines, so only
 * they are compared. Reads and writes no files.
 */
import type { BenchResult, Judgement } from './result.ts';

/** A ratio more than this over the stored one is a regression. */
const ALLOWED = 1.2;

/** The regressions as text, one line each; none if the machine was too busy in either run. */
export function regressions(now: BenchResult, stored: BenchResult | undefined): string[] {
  if (now.unjudged || !stored || stored.unjudged) return [];
  const before = new Map(stored.judgements.map((one) => [one.name, one]));
  return now.judgements.flatMap((one) => {
    const known = before.get(one.name);
    return known && isWorse(one, known)
      ? [`${now.name}, ${one.name}: ${one.ratio}, was ${known.ratio} (goal ≤ ${one.goal})`]
      : [];
  });
}

/** A ratio far below its goal may vary: up to half of the goal counts as noise. */
function isWorse(now: Judgement, before: Judgement): boolean {
  return now.ratio > before.ratio * ALLOWED && now.ratio > now.goal / 2;
}
