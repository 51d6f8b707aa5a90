import { existsSync, readdirSync, readFileSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { expect, it } from 'vitest';
import { readTail } from '../src/reader.ts';
import { openJournal } from '../src/writer.ts';
import { notice, now, openText, temporarySession, write } from './journal-fixture.ts';

const locked = expect.objectContaining({ code: 'SESSION_LOCKED' });

it('H1 a second writer is refused, also in the same process, until the first lets go', () => {
  const session = temporarySession();
  const { writer } = openJournal(session, { now });
  expect(() => openJournal(session, { now })).toThrow(locked);
  expect(statSync(session.lock).mode & 0o777).toBe(0o600);
  writer.close();
  expect(existsSync(session.lock)).toBe(false);
  openJournal(session, { now }).writer.close();
});

it('N2 a writer whose lock was taken writes nothing more, and says so once', () => {
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
  // Closing it took nothing away from the other.
  write(next, after, [notice('d')]);
  next.close();
  expect(readTail(session)?.v).toBe(after.v + 1);
});

it('N2 a lock that is renamed and put back is still held: taking over looks at it that way', () => {
  const session = temporarySession();
  const { writer } = openJournal(session, { now });
  renameSync(session.lock, `${session.lock}.away`);
  const state = write(writer, EMPTY, [notice('a')]);
  renameSync(`${session.lock}.away`, session.lock);
  write(writer, state, [notice('b')]);
  writer.close();
  expect(existsSync(session.lock)).toBe(false);
});
