import { expect, test } from 'vitest';
import { soakCall } from './soak-options.ts';

const given =
  (values: Readonly<Record<string, number>>) =>
  (name: string, usual: number): number =>
    values[name] ?? usual;
const fixed = { seed: 1, hours: 1 };

test('H6 half of the sessions of a soak use the real agent by default', () => {
  const pauseMs = [20_000, 60_000];
  expect(soakCall(given({}), fixed)).toEqual({ ...fixed, sessions: 100, real: 50, pauseMs });
  expect(soakCall(given({ sessions: 7 }), fixed)).toMatchObject({ sessions: 7, real: 4 });
  expect(soakCall(given({ sessions: 10, real: 40 }), fixed)).toMatchObject({ sessions: 10, real: 10 });
  expect(soakCall(given({ real: 4 }), fixed)).toMatchObject({ sessions: 100, real: 4 });
});

test('H6 the pause between two prompts of a session can be set', () => {
  expect(soakCall(given({ pause: 90 }), fixed).pauseMs).toEqual([90_000, 270_000]);
});
