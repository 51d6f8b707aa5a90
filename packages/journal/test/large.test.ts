import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { type Conversation, EMPTY, TURNS } from '@tugdeck/protocol/conversation/state';
import { trim } from '@tugdeck/protocol/conversation/window';
import { expect, it } from 'vitest';
import { readPage, readTail } from '../src/reader.ts';
import { openJournal } from '../src/writer.ts';
import { countingFiles, notice, now, temporarySession, write } from './journal-fixture.ts';

const FULL = process.env.TUGDECK_TEST_FULL === '1';
const SEGMENT = 512 * 1024;

/** Writes like a host, which keeps only the last entries in memory. */
function writeLong(batches: Iterable<ChangeBody[]>) {
  const session = temporarySession();
  const { writer } = openJournal(session, { now, segmentBytes: SEGMENT });
  let state: Conversation = EMPTY;
  let most = 0;
  for (const batch of batches) {
    state = trim(write(writer, state, batch), 256);
    most = Math.max(most, state.nextSeq - state.from);
  }
  writer.close();
  const sizes = readdirSync(session.journal).map((name) => statSync(join(session.journal, name)).size);
  return { session, state, most, sizes };
}

it('M3 memory, opening and pages do not grow with the entries of one turn', () => {
  const count = FULL ? 100_000 : 20_000;
  function* batches(): Generator<ChangeBody[]> {
    yield [{ kind: 'turn.started', turn: 't', origin: 'agent', prompts: [] }];
    for (let done = 0; done < count; done += 10) {
      yield Array.from({ length: 10 }, (_, index) => notice(`n${done + index}`));
    }
  }
  const { session, most, sizes } = writeLong(batches());
  expect(sizes.length).toBeGreaterThan(FULL ? 25 : 5);
  expect(most).toBeLessThan(512);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(SEGMENT);
  const files = countingFiles();
  const tail = readTail(session, { files });
  expect(tail).toMatchObject({ nextSeq: count, turn: { id: 't' } });
  expect(files.bytes).toBeLessThanOrEqual(2 * SEGMENT);
  expect([...entriesFrom(tail?.entries ?? [])].length).toBeLessThan(10_000);
  for (const before of [count, count / 2, 100]) {
    files.bytes = 0;
    const { entries } = readPage(session, before, 100, { files });
    expect(entries.map(({ id }) => id)).toEqual(
      Array.from({ length: 100 }, (_, index) => `n${before - 100 + index}`),
    );
    expect(files.bytes).toBeLessThanOrEqual(3 * SEGMENT + 5_000);
  }
});

it('M3 heads stay small with very many turns, and the first turn stays readable', () => {
  const turns = FULL ? 10_000 : 3_000;
  function* batches(): Generator<ChangeBody[]> {
    for (let turn = 0; turn < turns; turn++) {
      yield [
        { kind: 'prompt.accepted', prompt: { id: `p${turn}`, text: `ask ${turn}` } },
        { kind: 'prompt.progressed', prompt: `p${turn}`, delivery: 'delivered' },
        { kind: 'turn.started', turn: `t${turn}`, origin: 'user', prompts: [`p${turn}`] },
        notice(`n${turn}`),
        { kind: 'turn.ended', turn: `t${turn}`, endedBy: 'completed' },
      ];
    }
  }
  const { session, state, sizes } = writeLong(batches());
  expect(state.turns).toHaveLength(TURNS);
  expect(sizes.length).toBeLessThan(FULL ? 40 : 12);
  expect(readTail(session)?.nextSeq).toBe(turns * 2);
  expect(readPage(session, 2, 2).entries).toMatchObject([{ id: 'p0', turn: 't0' }, { id: 'n0' }]);
});
