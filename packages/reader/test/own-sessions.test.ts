import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from '@tugdeck/journal/writer';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openLog } from '@tugdeck/local/log';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { fold, foldAll } from '@tugdeck/protocol/conversation/fold';
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { expect, onTestFinished, test } from 'vitest';
import { openIndex } from '../src/index-database.ts';
import { Library } from '../src/library.ts';
import { LiveTurns, READ_MS } from '../src/live-turns.ts';
import { Searcher } from '../src/search.ts';

const OURS = { id: 's', agent: 'demo', directory: '/p', title: '', activeAt: 1, agentSessions: [] };

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
    data,
    addPrompt(id: string) {
      const changes: Change[] = [
        { kind: 'prompt.accepted', prompt: { id, text: id }, v: state.v + 1, at: 1 },
        { kind: 'prompt.progressed', prompt: id, delivery: 'delivered', v: state.v + 2, at: 1 },
      ];
      state = foldAll(state, changes);
      writer.append(changes, state);
    },
    /** Text of a running turn, as the host writes it every 250 ms. */
    stream(id: string, text: string) {
      const entry = { id, kind: 'text', status: 'partial', text: '' } as const;
      const change: Change = { kind: 'entry.opened', entry, v: state.v + 1, at: 1 };
      const before = state.v;
      state = fold(state, change);
      if (state.v > before) writer.append([change], state);
      writer.checkpoint([{ entry: id, field: 'text', at: 0, text }]);
    },
    /** One reader after the other, as the server starts them. */
    reader() {
      const library = new Library({
        data,
        environment: {},
        sources: [],
        database,
        log: openLog({ file: join(root, 'log'), name: 'reader' }),
        send: () => undefined,
        changed: () => undefined,
      });
      library.updateOwn([OURS]);
      return library;
    },
    searcher: (library: Library) =>
      new Searcher({
        ...{ database, data, files: library.files, live: library.live },
        sourceOf: () => undefined,
        isShown: () => true,
        unread: () => 0,
        now: () => 1,
      }),
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

test('S5 S6 the next reader indexes what a killed one had not read', async () => {
  const { addPrompt, reader, found } = place();
  addPrompt('first');
  await read(reader());
  addPrompt('second');
  // Notified, then killed before it was indexed.
  reader();
  expect(found()).toEqual(['first']);
  await read(reader());
  expect(found()).toEqual(['first', 'second']);
});

test('S6 does not read indexed files again', async () => {
  const { addPrompt, reader, found } = place();
  addPrompt('first');
  expect(await read(reader())).toBe(1);
  expect(await read(reader())).toBe(0);
  expect(found()).toEqual(['first']);
});

test('S5 finds the text of a running turn', async () => {
  const { addPrompt, stream, reader, searcher } = place();
  addPrompt('first');
  const library = reader();
  await read(library);
  const one = searcher(library);
  const search = (query: string) => one.search({ query, limit: 20 }).hits;
  stream('answer', 'All about the marmalade');
  expect(search('marmalade')).toEqual([]);
  library.updateOwn([{ ...OURS, running: true }]);
  await expect
    .poll(() => search('marmal'), { timeout: 20_000 })
    .toMatchObject([{ session: 's', entry: 'answer', kind: 'answer' }]);
  expect(search('marmalades')).toEqual([]);
  library.updateOwn([{ ...OURS, running: false }]);
  expect(search('marmalade')).toEqual([]);
});

test("S5 reads part of a running turn's long journal and continues next time", () => {
  const { addPrompt, stream, reader, data } = place();
  for (let count = 0; count < 100; count += 1) addPrompt(`prompt ${count}`);
  stream('answer', 'All about the marmalade');
  const library = reader();
  const file = library.files.ofRow('s');
  let now = 0;
  const live = new LiveTurns(data, () => now++);
  onTestFinished(() => {
    live.stop();
    return library.stop();
  });
  if (file) live.set(file, true);
  const hasRead = () => [...live.texts()].some(({ indexed }) => indexed.text.includes('marmalade'));
  let looks = 0;
  for (; !hasRead() && looks < 1_000; looks += 1) {
    const since = now;
    live.read();
    // It checks the clock once per journal line.
    expect(now - since).toBeLessThanOrEqual(READ_MS + 2);
  }
  expect(looks).toBeGreaterThan(100 / READ_MS - 1);
  expect(looks).toBeLessThan(100);
});
