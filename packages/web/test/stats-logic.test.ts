import type { ProcessSample, UsageRow } from '@tugdeck/protocol/stats/stats-messages';
import { expect, test } from 'vitest';
import { processTree, seriesOf } from '../src/cards/stats/series.ts';
import { daysUpTo, sumBy, usageCsv } from '../src/cards/stats/usage-groups.ts';

const process = (pid: number, more: Partial<ProcessSample>): ProcessSample => ({
  pid,
  purpose: 'other',
  name: 'x',
  cpu: 0.1,
  rss: 10,
  ...more,
});
const row = (more: Partial<UsageRow>): UsageRow => ({
  day: '2026-11-15',
  session: 's',
  project: 'p',
  title: 'Title',
  agent: 'demo',
  model: 'm',
  inputTokens: 1,
  outputTokens: 2,
  cacheReadTokens: 3,
  cacheWriteTokens: 4,
  costUsd: 0.5,
  ...more,
});

test('W5 counts child processes of an agent as the agent’s, and keeps the order of lines', () => {
  const sample = {
    at: 1,
    loopMs: 1,
    processes: [
      process(1, { purpose: 'server' }),
      process(2, { purpose: 'agent' }),
      process(3, { parent: 2, rss: 5 }),
      process(4, { parent: 3, rss: 7 }),
    ],
  };
  expect(seriesOf([sample], ({ rss }) => rss)).toEqual([
    { name: 'Server', values: [10] },
    { name: 'Agents', values: [22] },
  ]);
  expect(processTree(sample).map(({ process: { pid }, depth }) => [pid, depth])).toEqual([
    [1, 0],
    [2, 0],
    [3, 1],
    [4, 2],
  ]);
});

test('W5 a cycle of parents does not hang the page', () => {
  const processes = [process(1, { parent: 2 }), process(2, { parent: 1 })];
  expect(seriesOf([{ at: 1, loopMs: 0, processes }], ({ rss }) => rss)).toEqual([
    { name: 'Other', values: [20] },
  ]);
  expect(processTree({ at: 1, loopMs: 0, processes })).toEqual([]);
});

test('W5 adds usage by name', () => {
  const sums = sumBy([row({}), row({ model: 'n', costUsd: 1 }), row({})], ({ model }) => model);
  expect(sums).toEqual([
    { name: 'm', tokens: 20, inputTokens: 2, outputTokens: 4, cachedTokens: 14, costUsd: 1 },
    { name: 'n', tokens: 10, inputTokens: 1, outputTokens: 2, cachedTokens: 7, costUsd: 1 },
  ]);
});

test('W5 includes days without usage, across months', () => {
  expect(daysUpTo('2026-03-01', 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
});

test('W5 the CSV quotes values and escapes spreadsheet formulas', () => {
  const csv = usageCsv([row({ title: '=HYPERLINK("http://evil","x")' })]);
  const [head, line] = csv.split('\r\n');
  expect(head).toMatch(/^day,project,session,title,/);
  expect(line).toBe(`2026-11-15,p,s,"'=HYPERLINK(""http://evil"",""x"")",demo,m,1,2,3,4,0.5`);
});
