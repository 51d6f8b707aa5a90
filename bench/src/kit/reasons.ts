/**
 * Known reasons for missed goals, for the table in docs/benchmarks/. Shown only where a goal was missed. A guess is
 * labeled as one.
 */
const START =
  'according to a profile, a quarter is compiling a bundle of 2.4 MB at every start; the rest is spread over Node modules, schemas, Fastify, the database and the reader process. In milliseconds it is within the limit of X7';

const REASONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  start: {
    'first start against bare Node': START,
    'second start against bare Node': START,
  },
  card: {
    'cached reload to the first entry, median in ms':
      'a third until our code runs, a third until IndexedDB has answered, a third to render, all on the page’s main thread',
  },
  open: {
    'journal: 100,000 in 10,000 turns against 200 entries':
      'the tail begins at the last complete state in the journal, which is 141 to 607 KB before the end by chance. The time depends on those bytes, not on the length; host and browser, which include it, meet the goal',
  },
  checkpoints: {
    'restore against read-tree':
      'each file is read and compared with the version in the plan, written beside it, and renamed over it, so that it is never incomplete; git compares times only and removes the old file first. According to a profile, renaming and creating take 60 % of the time',
  },
  files: {
    'longest block of the event loop in units of 20 ms':
      'starting git, according to a profile: fork copies the page tables of the whole process, here the benchmark itself (13 to 22 ms)',
  },
};

export function reasonFor(benchmark: string, judgement: string): string | undefined {
  return REASONS[benchmark]?.[judgement];
}
