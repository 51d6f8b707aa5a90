import { setImmediate } from 'node:timers';
import { expect, test } from 'vitest';
import { changesSince, readPage, readTail } from '../src/reader.ts';
import { changesAfter, page, tail } from '../src/reading.ts';
import { inSlices } from '../src/steps.ts';
import { openJournal } from '../src/writer.ts';
import { now, temporarySession, writeRandom } from './journal-fixture.ts';

test('H1 a journal read in slices gives what it gives at once, and others have their turn in between', async () => {
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
  expect(await inSlices(tail(directory), 0)).toEqual(readTail(directory));
  expect(turns).toBeGreaterThan(1);
  const { nextSeq, v } = host.state;
  expect(await inSlices(page(directory, nextSeq, 200), 0)).toEqual(readPage(directory, nextSeq, 200));
  expect(await inSlices(changesAfter(directory, v - 3), 0)).toEqual(changesSince(directory, v - 3));
  isReading = false;
});
