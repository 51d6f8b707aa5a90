/** W2 with 50,000 files: only in the full tier, because creating them takes longest. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProjectFiles } from '../../src/files/project-files.ts';

const nothing = () => undefined;
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };

describe.skipIf(process.env.TUGDECK_TEST_FULL !== '1')('50,000 files', () => {
  let root: string;
  let files: ProjectFiles;
  beforeAll(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'tugdeck-large-')));
    for (let folder = 0; folder < 1_000; folder++) {
      const place = join(root, 'src', `area-${folder % 25}`, `part-${folder}`);
      mkdirSync(place, { recursive: true });
      for (let file = 0; file < 50; file++) writeFileSync(join(place, `name-${file}.ts`), '');
    }
    execFileSync('git', ['init', '-q'], { cwd: root });
    files = new ProjectFiles({ root, log: silent, marks: () => () => undefined });
    await files.start();
  }, 300_000);
  afterAll(async () => {
    await files?.close();
    rmSync(root, { recursive: true, force: true });
  });

  test('W25 finds each of 50,000 files, and a new one', async () => {
    expect(await files.index.files()).toHaveLength(50_000);
    const find = async (query: string) => (await files.index.find(query, 50)).map(({ path }) => path);
    expect((await find('part-987/name-42'))[0]).toBe('src/area-12/part-987/name-42.ts');
    const changedFolders = new Promise<string[]>((resolve) => {
      files.subscribe({
        changed: (folders) => resolve([...folders]),
        everything: () => resolve(['everything']),
        watching: () => undefined,
      });
    });
    writeFileSync(join(root, 'src/area-3/part-3/came-later.ts'), '');
    expect(await changedFolders).toEqual(['src/area-3/part-3']);
    await expect.poll(() => find('camelater')).toEqual(['src/area-3/part-3/came-later.ts']);
  });

  test('W2 a folder of 6,000 files lists the first 5,000 and how many are left', async () => {
    mkdirSync(join(root, 'wide'));
    for (let file = 0; file < 6_000; file++) writeFileSync(join(root, 'wide', `f${file}`), '');
    const { entries, left } = await files.list('wide');
    expect([entries.length, left, entries[1]?.name]).toEqual([5_000, 1_000, 'f1']);
  });
});
