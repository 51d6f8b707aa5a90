import { setImmediate } from 'node:timers';
import { runInSlices } from '@tugdeck/local/cooperative';
import { expect, test } from 'vitest';
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
  expect(await runInSlices(tail(directory), { sliceMs: 0 })).toEqual(readTail(directory));
  expect(turns).toBeGreaterThan(1);
  const { nextSeq, v } = host.state;
  expect(await runInSlices(page(directory, nextSeq, 200), { sliceMs: 0 })).toEqual(
    readPage(directory, nextSeq, 200),
  );
  expect(await runInSlices(changesAfter(directory, v - 3), { sliceMs: 0 })).toEqual(
    changesSince(directory, v - 3),
  );
  isReading = false;
});
