import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLog } from '@tugdeck/local/log';
import { expect, onTestFinished, test } from 'vitest';
import { openIndex } from '../src/index-database.ts';
import { IndexNotWritten, IndexWriter } from '../src/index-writer.ts';
import { Indexer } from '../src/indexer.ts';
import { SessionFiles } from '../src/session-files.ts';

test('S5 an index that cannot be written ends the reader, which begins again from what is written', async () => {
  const root = mkdtempSync(join(tmpdir(), 'tdi-'));
  const database = openIndex(join(root, 'search.db'));
  onTestFinished(() => {
    database.close();
    rmSync(root, { recursive: true, force: true });
  });
  const files = new SessionFiles(database);
  const writer = new IndexWriter(database, files);
  const file = files.insert({
    path: '/own',
    row: 'own',
    agent: 'demo',
    session: 'own',
    own: true,
    inode: 1,
    size: 1,
    mtime: 1,
    facts: {},
  });
  const more = [true, false];
  const indexer = new Indexer({
    files,
    writer,
    sourceOf: () => undefined,
    readOwn(read) {
      // As much as is written at once, so that it is written in the midst of reading.
      for (let count = 0; count < 400; count++) {
        writer.add(read, count, 0, { entry: `e${count}`, kind: 'prompt', at: count, text: 'words' });
      }
      writer.reached(read, { done: 400, facts: {}, memory: undefined });
      return more.shift() ?? false;
    },
    log: openLog({ file: join(root, 'log'), name: 'reader' }),
    changed: () => undefined,
  });
  database.exec('DROP TABLE said');
  indexer.add(file);
  indexer.start();
  await expect(indexer.stop()).rejects.toThrow(IndexNotWritten);
  expect(new SessionFiles(database).all().next().value?.done ?? 0).toBe(0);
});
