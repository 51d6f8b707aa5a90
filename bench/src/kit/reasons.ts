/**
 * What is known of a goal that is not reached, for the table of docs/benchmarks/: shown where it was missed, and only
 * there. A guess is called one.
 */
const REASONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fold: {
    'delta at 100,000 entries in many turns against 100': 'not looked into: about 2 µs more',
    'delta at 100,000 entries in one turn against 100': 'not looked into: about 2 µs more',
  },
  start: {
    'first start against bare Node': 'not profiled; in milliseconds it is within what X7 asks for',
    'second start against bare Node': 'not profiled; in milliseconds it is within what X7 asks for',
  },
  card: {
    'cached reload to the first entry, median in ms':
      'not profiled; reading the store earlier brought no gain',
  },
  sidebar: {
    'switch among 1,000 sessions, ms': 'not profiled',
  },
  terminal: {
    'Ctrl+C during yes, ms (p95)': 'not profiled; a smaller window of undrawn bytes makes it shorter',
  },
};

export function reasonFor(benchmark: string, judgement: string): string | undefined {
  return REASONS[benchmark]?.[judgement];
}
