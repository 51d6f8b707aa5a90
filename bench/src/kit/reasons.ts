/**
 * What is known of a goal that is not reached, for the table of docs/benchmarks/: shown where it was missed, and only
 * there. A guess is called one.
 */
const START =
  'by a profile a quarter is compiling a bundle of 2.4 MB, which every start does anew, and the rest is spread: modules of Node, schemas, Fastify, the database, the reader’s process; in milliseconds it is within what X7 asks for';

const REASONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  start: {
    'first start against bare Node': START,
    'second start against bare Node': START,
  },
  card: {
    'cached reload to the first entry, median in ms':
      'a third until our code runs, a third until the store has answered, a third to draw: all of it the page’s main thread',
  },
  open: {
    'journal: 100,000 in 10,000 turns against 200 entries':
      'the tail begins at the last whole state in the journal, which lies 141 to 607 KB before the end as it happens: the time follows those bytes, not the length; host and browser, which include it, meet the goal',
  },
  files: {
    'longest hold of the loop in units of 20 ms':
      'the start of git, by a profile: to fork copies the page tables of the whole process, here the benchmark’s own (13 to 22 ms)',
  },
};

export function reasonFor(benchmark: string, judgement: string): string | undefined {
  return REASONS[benchmark]?.[judgement];
}
