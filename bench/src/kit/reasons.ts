/** Why a goal is not reached, for the table of docs/benchmarks/: looked up where it was missed, and only there. */
const REASONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fold: {
    'delta at 100,000 entries in many turns against 100':
      'the deeper tree of entries no longer fits the processor’s cache; 2 µs more',
    'delta at 100,000 entries in one turn against 100': 'the same',
  },
  start: {
    'first start against bare Node':
      'bare Node is 40 ms: reading 2 MB of program, SQLite and the lock are the rest',
    'second start against bare Node': 'the same',
  },
  card: {
    'cached reload to the first entry, median in ms':
      'the page’s own code is read and run first: about 190 KB gzipped, on two cores beside the browser’s other processes',
  },
  sidebar: {
    'switch among 1,000 sessions, ms':
      'a conversation that is not open yet is drawn; one that is takes the time of `card`',
  },
};

export function reasonFor(benchmark: string, judgement: string): string | undefined {
  return REASONS[benchmark]?.[judgement];
}
