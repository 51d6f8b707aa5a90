import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const read = (/** @type {string} */ file) => readFileSync(`${docs}${file}`, 'utf8');

test('X8 every decision is in the index', () => {
  const index = read('decisions/README.md');
  const missing = readdirSync(`${docs}decisions`).filter(
    (file) => file !== 'README.md' && !index.includes(`(${file})`),
  );
  expect(missing).toEqual([]);
});

test('X8 every departure has the earlier design, the present one, its rule and a reason', () => {
  const rows = read('decisions/0201-departures-from-earlier-designs.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| earlier design'))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  expect(rows.length).toBeGreaterThanOrEqual(14);
  const rules = new Set([...read('spec.md').matchAll(/\*\*([A-Z]\d+)\*\*/g)].map(([, id]) => id));
  for (const [, earlier, now, rule, why] of rows) {
    expect(
      [earlier, now, why].every((cell) => cell !== undefined && cell.length > 0),
      earlier,
    ).toBe(true);
    expect(rules, earlier).toContain(rule);
  }
});
