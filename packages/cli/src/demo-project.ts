/** A small project to try things on, for users who start Tugdeck inside its own clone (L1). Created once. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDataDirectory, makePrivate } from '@tugdeck/local/data-directory';

const FILES: Readonly<Record<string, string>> = {
  'README.md': `# Demo project

A few files to try an agent on. Ask it, for example:

- What does this project do?
- \`average([])\` gives NaN. Make it 0 and add a test.
- Write a table of all exported functions into this file.
`,
  'package.json': `{
  "name": "demo-project",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  'src/average.js': `export function average(numbers) {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum / numbers.length;
}
`,
  'test/average.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { average } from '../src/average.js';

test('the average of some numbers', () => {
  assert.equal(average([1, 2, 3]), 2);
});
`,
};

export function makeDemoProject(dataRoot: string): string {
  const root = join(dataRoot, 'demo-project');
  if (existsSync(root)) return root;
  // This may be the first write below the data directory: make both private.
  makeDataDirectory(dataRoot);
  makePrivate(root);
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}
