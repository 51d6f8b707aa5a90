import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLog } from '@tugdeck/local/log';
import { expect, onTestFinished, test } from 'vitest';
import { openIndex } from '../src/index-database.ts';
import { IndexNotWritten, IndexWriter } from '../src/index-writer.ts';
import { Indexer } from '../src/indexer.ts';
import { SessionFiles } from '../src/session-files.ts';

const FACTS = { agent: 'demo', own: true, inode: 1, size: 1, mtime: 1, facts: {} };

function place() {
  const root = mkdtempSync(join(tmpdir(), 'tdi-'));
  const database = openIndex(join(root, 'search.db'));
  onTestFinished(() => {
    database.close();
    rmSync(root, { recursive: true, force: true });
  });
  const files = new SessionFiles(database);
  const writer = new IndexWriter(database, files);
  const log = openLog({ file: join(root, 'log'), name: 'reader' });
  const insert = (row: string) => files.insert({ ...FACTS, path: `/${row}`, row, session: row });
  const base = { files, writer, log, sourceOf: () => undefined, changed: () => undefined };
  return { database, files, writer, insert, base };
}

test('S5 an index that cannot be written ends the reader, which restarts from saved progress', async () => {
  const { database, writer, insert, base } = place();
  const file = insert('own');
  const more = [true, false];
  const indexer = new Indexer({
    ...base,
    readOwn(read) {
      // A full batch, so that it is written while reading.
      for (let count = 0; count < 400; count++) {
        writer.add(read, count, 0, { entry: `e${count}`, kind: 'prompt', at: count, text: 'words' });
      }
      writer.setProgress(read, { done: 400, facts: {}, memory: undefined });
      return more.shift() ?? false;
    },
  });
  database.exec('DROP TABLE messages');
  indexer.add(file);
  indexer.start();
  await expect(indexer.stop()).rejects.toThrow(IndexNotWritten);
  expect(new SessionFiles(database).all().next().value?.done ?? 0).toBe(0);
});

test('S5 indexes a file that changed while the last batch was being written', async () => {
  const { writer, insert, base } = place();
  const [first, second] = [insert('first'), insert('second')];
  const read: string[] = [];
  const indexer = new Indexer({
    ...base,
    readOwn: ({ row }) => {
      read.push(row);
      return false;
    },
  });
  const flush = writer.flush.bind(writer);
  writer.flush = async (slices) => {
    expect(indexer.unread).toBe(1);
    await flush(slices);
    if (!read.includes('second')) indexer.add(second);
  };
  indexer.add(first);
  indexer.start();
  await expect.poll(() => read).toEqual(['first', 'second']);
  await expect.poll(() => indexer.unread).toBe(0);
  await indexer.stop();
});

test('S5 reads a file again that was replaced while it was being read', async () => {
  const { insert, base } = place();
  const file = insert('own');
  const read: number[] = [];
  const indexer = new Indexer({
    ...base,
    readOwn(file) {
      read.push(file.done);
      base.writer.setProgress(file, { done: 7, facts: {}, memory: undefined });
      if (read.length === 1) queueMicrotask(() => indexer.add(file, { isRewritten: true }));
      return read.length === 1;
    },
  });
  indexer.add(file);
  indexer.start();
  await expect.poll(() => read).toEqual([0, 7, 0]);
  await indexer.stop();
});
