/** The file index while files change, over more than one block. */

import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FileIndex } from '../../src/files/file-index.ts';

test('W25 quick open knows created and deleted files in every part of a long list', async () => {
  const root = mkdtempSync(join(tmpdir(), 'tugdeck-index-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const names = Array.from({ length: 1_100 }, (_, at) => `part-${at % 11}/name-${at}.ts`);
  for (let part = 0; part < 11; part++) await mkdir(join(root, `part-${part}`));
  await Promise.all(names.map((name) => writeFile(join(root, name), '')));
  const index = new FileIndex(root);
  const found = async (query: string) => (await index.find(query, 50)).map(({ path }) => path);
  const known = async () => new Set(await index.files());

  expect(await known()).toEqual(new Set(names));
  expect(await found('name-1099')).toEqual(['part-10/name-1099.ts']);

  await rm(join(root, 'part-3'), { recursive: true });
  await writeFile(join(root, 'part-4/fresh.ts'), '');
  await index.change({ created: ['part-4/fresh.ts', 'part-4/name-4.ts'], deleted: ['part-3'] });
  const left = names.filter((name) => !name.startsWith('part-3/'));
  expect(await known()).toEqual(new Set([...left, 'part-4/fresh.ts']));
  expect(await index.files()).toHaveLength(left.length + 1);
  expect((await found('fresh'))[0]).toBe('part-4/fresh.ts');
  expect(await found('part-3/')).not.toContain('part-3/');

  const many = Array.from({ length: 600 }, (_, at) => `part-5/more-${at}.ts`);
  await index.change({ created: many, deleted: ['part-4/fresh.ts'] });
  expect(await known()).toEqual(new Set([...left, ...many]));

  // Everything: nothing is left to be found.
  await index.change({ created: [], deleted: Array.from({ length: 11 }, (_, part) => `part-${part}`) });
  expect(await known()).toEqual(new Set());
  expect(await found('name')).toEqual([]);
});
