import { setImmediate } from 'node:timers';
import { expect, test } from 'vitest';
import { runInSlices } from '../src/cooperative.ts';
import { changesSince, readPage, readTail } from '../src/reader.ts';
import { changesAfter, page, tail } from '../src/reading.ts';
import { openJournal } from '../src/writer.ts';
import { now, temporarySession, writeRandom } from './journal-fixture.ts';

test('H1 reading in slices gives the same result and lets other work run in between', async () => {
  const directory = temporarySession();
  const { writer } = openJournal(directory, { now, segmentBytes: 4_000 });
  const { host } = writeRandom(writer, 7, 400);
  writer.close();
  let turns = 0;
  let isReading = true;
  setImmediate(function count() {
    turns += 1;
    if (isReading) setImmediate(count);
  });
  expect(await runInSlices(tail(directory), 0)).toEqual(readTail(directory));
  expect(turns).toBeGreaterThan(1);
  const { nextSeq, v } = host.state;
  expect(await runInSlices(page(directory, nextSeq, 200), 0)).toEqual(readPage(directory, nextSeq, 200));
  expect(await runInSlices(changesAfter(directory, v - 3), 0)).toEqual(changesSince(directory, v - 3));
  isReading = false;
});
