import { mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { expect, it } from 'vitest';
import { segmentName, segmentNumbers } from '../src/format.ts';
import { changesSince, readTail } from '../src/reader.ts';
import { openJournal } from '../src/writer.ts';
import { notice, now, temporarySession, write } from './journal-fixture.ts';

it('H5 a failure to start a segment does not fail the write, and is retried', () => {
  const session = temporarySession();
  const { writer } = openJournal(session, { now, segmentBytes: 2_000 });
  // The path of the next segment's draft.
  const obstacle = join(session.journal, `${segmentName(2)}.new`);
  mkdirSync(obstacle);
  let state = EMPTY;
  for (let index = 0; index < 60; index++) state = write(writer, state, [notice(`n${index}`)]);
  const segments = () => segmentNumbers(readdirSync(session.journal));
  expect(segments()).toEqual([1]);
  expect(changesSince(session, 0)?.map(({ v }) => v)).toEqual([...Array(60).keys()].map((v) => v + 1));
  rmdirSync(obstacle);
  for (let index = 60; index < 70; index++) state = write(writer, state, [notice(`n${index}`)]);
  expect(segments().length).toBeGreaterThan(1);
  writer.close();
  expect(readTail(session)?.v).toBe(70);
  const again = openJournal(session, { now });
  again.writer.close();
  expect(again.state.v).toBe(70);
  expect(again.state.nextSeq).toBe(70);
});
