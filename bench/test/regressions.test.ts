import { expect, test } from 'vitest';
import { regressions } from '../src/kit/regressions.ts';
import { type BenchResult, judge } from '../src/kit/result.ts';

function ran(ratio: number, goal = 2, unjudged?: string): BenchResult {
  return {
    ...{ name: 'fold', about: '', series: {}, load: [0, 0, 0], rounds: 5 },
    judgements: [judge('one delta', ratio, goal)],
    ...(unjudged === undefined ? {} : { unjudged }),
  };
}

test('X7 a ratio more than 20% over the stored one is a regression, met or missed', () => {
  expect(regressions(ran(1.5), ran(1.2))).toEqual(['fold, one delta: 1.5, was 1.2 (goal ≤ 2)']);
  expect(regressions(ran(3.1), ran(2.5))).toHaveLength(1);
  expect(regressions(ran(1.4), ran(1.2))).toEqual([]);
  expect(regressions(ran(2.4), ran(2.5))).toEqual([]);
});

test('X7 noise far below the goal, new figures and unjudged runs are not regressions', () => {
  expect(regressions(ran(0.3), ran(0.1))).toEqual([]);
  expect(regressions(ran(9), undefined)).toEqual([]);
  expect(regressions(ran(9, 2, 'too busy'), ran(1))).toEqual([]);
  expect(regressions(ran(9), ran(1, 2, 'too busy'))).toEqual([]);
});
