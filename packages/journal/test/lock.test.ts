import { existsSync, readdirSync, readFileSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { expect, it } from 'vitest';
import { readTail } from '../src/reader.ts';
import { openJournal } from '../src/writer.ts';
import { notice, now, openText, temporarySession, write } from './journal-fixture.ts';

const locked = expect.objectContaining({ code: 'SESSION_LOCKED' });

it('H1 refuses a second writer, even in the same process, until the first closes', () => {
  const session = temporarySession();
  const { writer } = openJournal(session, { now });
  expect(() => openJournal(session, { now })).toThrow(locked);
  expect(statSync(session.lock).mode & 0o777).toBe(0o600);
  writer.close();
  expect(existsSync(session.lock)).toBe(false);
  openJournal(session, { now }).writer.close();
});

it('N2 a writer that lost its lock writes nothing more and reports it once', () => {
  const session = temporarySession();
  let lost = 0;
  const { writer } = openJournal(session, { now, lock: { lost: () => lost++ } });
  const state = write(writer, EMPTY, [notice('a'), openText('t')]);
  unlinkSync(session.lock);
  const { state: theirs, writer: next } = openJournal(session, { now });
  const after = write(next, theirs, [notice('b')]);
  const onDisk = () => readdirSync(session.journal).map((name) => readFileSync(join(session.journal, name)));
  const before = onDisk();
  expect(() => write(writer, state, [notice('c')])).toThrow(locked);
  expect(() => writer.checkpoint([{ entry: 't', field: 'text', at: 0, text: 'x' }])).toThrow(locked);
  expect(lost).toBe(1);
  expect(onDisk()).toEqual(before);
  expect(readTail(session)?.v).toBe(after.v);
  writer.close();
  // Closing the first writer took nothing away from the second.
  write(next, after, [notice('d')]);
  next.close();
  expect(readTail(session)?.v).toBe(after.v + 1);
});

it('N2 still holds a lock that was renamed and restored, as a takeover attempt does', () => {
  const session = temporarySession();
  const { writer } = openJournal(session, { now });
  renameSync(session.lock, `${session.lock}.away`);
  const state = write(writer, EMPTY, [notice('a')]);
  renameSync(`${session.lock}.away`, session.lock);
  write(writer, state, [notice('b')]);
  writer.close();
  expect(existsSync(session.lock)).toBe(false);
});
