import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDERS = ['packages/drivers/test', 'packages/host/test', 'e2e/agents'];

function sourceOf(name: string): string {
  for (const folder of FOLDERS) {
    const file = readdirSync(join(root, folder)).find(
      (one) => one === `${name}.test.ts` || one === `${name}.ts`,
    );
    if (file !== undefined) return readFileSync(join(root, folder, file), 'utf8');
  }
  throw new Error(`no test file ${name}`);
}

const rows = readFileSync(join(root, 'docs/traps.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, trap, name, title] = /^\| (.+?) \| `([\w-]+)` (.+) \|$/.exec(line) ?? [];
    return trap && name && title ? [{ trap, name, title }] : [];
  });

test('A23 every listed deviation is covered by an existing test', () => {
  expect(rows.length).toBeGreaterThan(30);
  for (const { trap, name, title } of rows) {
    // In a table of cases, the rule is in a separate field.
    const words = title.replaceAll("'", "\\'");
    expect({ trap, found: sourceOf(name).includes(words) }).toEqual({ trap, found: true });
  }
});
