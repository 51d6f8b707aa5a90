import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from '@tugdeck/journal/writer';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openLog } from '@tugdeck/local/log';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { foldAll } from '@tugdeck/protocol/conversation/fold';
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { expect, onTestFinished, test } from 'vitest';
import { openIndex } from '../src/index-database.ts';
import { Library } from '../src/library.ts';

function place() {
  const root = mkdtempSync(join(tmpdir(), 'tdo-'));
  const data = dataDirectory(root);
  const database = openIndex(join(root, 'search.db'));
  onTestFinished(() => {
    database.close();
    rmSync(root, { recursive: true, force: true });
  });
  const { writer } = openJournal(data.session('s'), { now: () => 1 });
  let state = EMPTY;
  return {
    say(id: string) {
      const changes: Change[] = [
        { kind: 'prompt.accepted', prompt: { id, text: id }, v: state.v + 1, at: 1 },
        { kind: 'prompt.progressed', prompt: id, delivery: 'delivered', v: state.v + 2, at: 1 },
      ];
      state = foldAll(state, changes);
      writer.append(changes, state);
    },
    /** One reader after the other, as the server starts them. */
    reader() {
      const library = new Library({
        data,
        environment: {},
        sources: [],
        database,
        log: openLog({ file: join(root, 'log'), name: 'reader' }),
        tell: () => undefined,
        changed: () => undefined,
      });
      library.own([{ id: 's', agent: 'demo', directory: '/p', title: '', activeAt: 1, agentSessions: [] }]);
      return library;
    },
    found: () =>
      database
        .prepare('SELECT entry FROM entries ORDER BY place')
        .all()
        .map((row) => (row as { entry: string }).entry),
  };
}

async function read(library: Library): Promise<number> {
  library.start();
  await expect.poll(() => library.state().unread).toBe(0);
  await library.stop();
  return library.state().read;
}

test('S5 S6 what a reader had seen and not read when it was killed is read by the next one', async () => {
  const { say, reader, found } = place();
  say('first');
  await read(reader());
  say('second');
  // Told of it, and killed before it was in the index.
  reader();
  expect(found()).toEqual(['first']);
  await read(reader());
  expect(found()).toEqual(['first', 'second']);
});

test('S6 what is in the index is not read again', async () => {
  const { say, reader, found } = place();
  say('first');
  expect(await read(reader())).toBe(1);
  expect(await read(reader())).toBe(0);
  expect(found()).toEqual(['first']);
});
