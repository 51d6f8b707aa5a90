import { expect, test } from 'vitest';
import { KNOWN_AGENTS } from '../src/catalog.ts';

test('D2 each known agent has its own icon', () => {
  const marks = KNOWN_AGENTS.map(({ mark }) => mark);
  expect(marks).not.toContain(undefined);
  expect(new Set(marks).size).toBe(KNOWN_AGENTS.length);
  for (const mark of marks) expect(mark).toMatch(/^[MmLlHhVvAaCcZz\d\s.,-]+$/);
});
