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

test('X8 every departure says what was asked, what is done, by which rule, and why', () => {
  const rows = read('decisions/0201-departures-from-the-source-documents.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| they said'))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  expect(rows.length).toBeGreaterThanOrEqual(14);
  const rules = new Set([...read('spec.md').matchAll(/\*\*([A-Z]\d+)\*\*/g)].map(([, id]) => id));
  for (const [, asked, done, rule, why] of rows) {
    expect(
      [asked, done, why].every((cell) => cell !== undefined && cell.length > 0),
      asked,
    ).toBe(true);
    expect(rules, asked).toContain(rule);
  }
});
