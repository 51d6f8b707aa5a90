/** Formats a result for a terminal. */
import type { BenchResult, Series } from './result.ts';

export function resultLines({
  name,
  about,
  series,
  judgements,
  unjudged,
  load,
  rounds,
}: BenchResult): string[] {
  const width = Math.max(...Object.keys(series).map((key) => key.length));
  const rows = Object.entries(series).map(([key, one]) => `  ${key.padEnd(width)}  ${seriesText(one)}`);
  const verdicts = judgements.map((one) => {
    const verdict = unjudged ? 'seen  ' : one.met ? 'met   ' : 'MISSED';
    return `  ${verdict} ${one.name}: ${one.ratio} (goal ≤ ${one.goal})`;
  });
  return [
    `${name}: ${about}`,
    ...rows,
    ...verdicts,
    ...(unjudged ? [`  not judged: ${unjudged}`] : []),
    `  ${rounds} interleaved rounds, load average ${load.join(' ')}`,
  ];
}

function seriesText({ unit, median, p95, min, max, count }: Series): string {
  const range = min === max ? '' : ` (${min}–${max}, p95 ${p95})`;
  return `${median} ${unit}${range}, n=${count}`;
}
