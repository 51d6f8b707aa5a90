/**
 * `--check`: a run against the figures that are stored in docs/benchmarks/. Ratios alone carry over from machine to
 * machine, so they alone are compared. Reads nothing and writes nothing.
 */
import type { BenchResult, Judgement } from './result.ts';

/** More than this over the stored ratio is a regression. */
const ALLOWED = 1.2;

/** In words, one line each; nothing where the machine was too busy in either run. */
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

/** What is far within its goal may swing: half of it is room enough for the noise of one run. */
function isWorse(now: Judgement, before: Judgement): boolean {
  return now.ratio > before.ratio * ALLOWED && now.ratio > now.goal / 2;
}
