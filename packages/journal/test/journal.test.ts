import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom, entryAt } from '@tugdeck/protocol/conversation/entry-store';
import { EMPTY, entryById, openEntries } from '@tugdeck/protocol/conversation/state';
import { stableText } from '@tugdeck/protocol/ids';
import { describe, expect, it } from 'vitest';
import { differences, sharedText } from '../../protocol/test/random-conversation.ts';
import { createSegmentCache } from '../src/cache.ts';
import { diskFiles } from '../src/files.ts';
import { segmentName, segmentNumbers } from '../src/format.ts';
import {
  changesSince,
  findEntry,
  readClosedEntry,
  readPage,
  readTail,
  readTodosBefore,
} from '../src/reader.ts';
import { recentReads } from '../src/recent-reads.ts';
import { readSegment } from '../src/segment.ts';
import { openJournal } from '../src/writer.ts';
import {
  countingFiles,
  notice,
  now,
  openText,
  temporarySession,
  write,
  writeRandom,
} from './journal-fixture.ts';

describe('writing and opening', () => {
  it('H5 reopens with exactly the state that was written', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const session = temporarySession();
      const first = openJournal(session, { now, segmentBytes: 8_000 });
      expect(first.state).toEqual(EMPTY);
      const { host } = writeRandom(first.writer, seed, 300);
      first.writer.close();
      const second = openJournal(session, { now });
      second.writer.close();
      expect(sharedText(second.state)).toBe(sharedText(host.state));
      expect(second.state.receipts).toEqual(host.state.receipts);
      expect(differences(second.state, host.state)).toEqual([]);
      expect(segmentNumbers(readdirSync(session.journal)).length).toBeGreaterThan(2);
      expect(existsSync(join(session.journal, 'bad.jsonl'))).toBe(false);
    }
  });

  it('H5 other processes can read a batch before append returns', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now });
    let state = EMPTY;
    for (let index = 0; index < 5; index++) {
      state = write(writer, state, [notice(`n${index}`)]);
      expect(readTail(session)).toEqual({ ...state, staleBefore: 0 });
    }
    writer.sync();
    writer.close();
  });

  it('X1 files are 0600 and directories 0700', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now });
    appendFileSync(join(session.journal, segmentName(1)), 'torn');
    writer.close();
    openJournal(session, { now }).writer.close();
    const mode = (path: string) => statSync(path).mode & 0o777;
    expect(mode(session.root)).toBe(0o700);
    expect(mode(session.journal)).toBe(0o700);
    for (const name of readdirSync(session.journal)) expect(mode(join(session.journal, name))).toBe(0o600);
    expect(readdirSync(session.journal)).toContain('bad.jsonl');
  });

  it('M3 opening reads the last one or two segments and no others', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now, segmentBytes: 16_000 });
    writeRandom(writer, 3, 2_000);
    writer.close();
    const numbers = segmentNumbers(readdirSync(session.journal));
    expect(numbers.length).toBeGreaterThan(10);
    const files = countingFiles();
    readTail(session, { files });
    openJournal(session, { now, files }).writer.close();
    const lastTwo = numbers.slice(-2).map((number) => join(session.journal, segmentName(number)));
    for (const file of files.seen) expect(lastTwo).toContain(file);
    expect(files.seen.size).toBeGreaterThan(0);
  });

  it('M3 keeps segments within their size limit', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now, segmentBytes: 256 * 1024 });
    let state = EMPTY;
    for (let index = 0; index < 3_000; index++)
      state = write(writer, state, [notice(`n${index}`, 'x'.repeat(300))]);
    writer.close();
    const sizes = segmentNumbers(readdirSync(session.journal)).map(
      (number) => statSync(join(session.journal, segmentName(number))).size,
    );
    expect(sizes.length).toBeGreaterThan(3);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024);
  });

  it('M3 folds each segment by itself to the state at its end', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now, segmentBytes: 8_000 });
    const { host, states } = writeRandom(writer, 11, 800);
    writer.close();
    for (const number of segmentNumbers(readdirSync(session.journal))) {
      const segment = readSegment(diskFiles, session.journal, number);
      const truth = states.find(({ v }) => v === segment.state.v);
      expect(segment.isHeadBroken || segment.hasGap).toBe(false);
      for (const entry of openEntries(segment.state)) {
        expect(entryAt(host.state.entries, entry.seq)?.id).toBe(entry.id);
      }
      expect(segment.state.nextSeq).toBe(truth?.nextSeq);
      expect(stableText(segment.state.turns)).toBe(stableText(truth?.turns));
    }
  });

  it('H5 merges consecutive text in a checkpoint, without a version', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now });
    const state = write(writer, EMPTY, [openText('a'), openText('b')]);
    writer.checkpoint([
      { entry: 'a', field: 'text', at: 0, text: 'one ' },
      { entry: 'b', field: 'text', at: 0, text: 'x' },
      { entry: 'a', field: 'text', at: 4, text: 'two' },
    ]);
    writer.checkpoint([]);
    writer.close();
    const lines = readFileSync(join(session.journal, segmentName(1)), 'utf8')
      .trim()
      .split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
      l: [
        { entry: 'a', field: 'text', at: 0, text: 'one two' },
        { entry: 'b', field: 'text', at: 0, text: 'x' },
      ],
    });
    const opened = readTail(session);
    expect(opened?.v).toBe(state.v);
    expect(opened && entryById(opened, 'a')).toMatchObject({ text: 'one two', rev: 0 });
  });

  it('H5 does not repeat a head as large as a segment for every line', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now, segmentBytes: 4_000 });
    let state = write(writer, EMPTY, [openText('a')]);
    writer.checkpoint([{ entry: 'a', field: 'text', at: 0, text: 'x'.repeat(20_000) }]);
    for (let index = 0; index < 50; index++) state = write(writer, state, [notice(`n${index}`)]);
    writer.close();
    expect(segmentNumbers(readdirSync(session.journal)).length).toBeLessThan(5);
  });
});

describe('pages', () => {
  it('M3 pages contain every entry at its newest rev, including late changes and moved entries', () => {
    for (let seed = 30; seed < 36; seed++) {
      const session = temporarySession();
      const { writer } = openJournal(session, { now, segmentBytes: 8_000 });
      const { host } = writeRandom(writer, seed, 900);
      writer.close();
      const truth = [...entriesFrom(host.state.entries)];
      for (const load of [undefined, createSegmentCache(diskFiles)]) {
        const read: Entry[] = [];
        for (let before = Number.MAX_SAFE_INTEGER; before > 0; ) {
          const page = readPage(session, before, 37, load ? { load } : {});
          expect(page.v).toBe(host.state.v);
          expect(page.entries.map(({ seq }) => seq)).toEqual(
            Array.from({ length: page.to - page.from }, (_, index) => page.from + index),
          );
          read.unshift(...page.entries);
          before = page.from;
        }
        expect(read.map(stableText)).toEqual(truth.map(stableText));
      }
    }
  });

  it('M3 a batch includes the entries of older segments that it changes', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now, segmentBytes: 8_000 });
    let state = write(writer, EMPTY, [notice('old')]);
    for (let index = 0; index < 200; index++) state = write(writer, state, [notice(`n${index}`)]);
    state = write(writer, state, [{ kind: 'entry.patched', entry: 'old', patch: { text: 'late' } }]);
    for (let index = 200; index < 400; index++) state = write(writer, state, [notice(`n${index}`)]);
    writer.close();
    expect(findEntry(session, 'old')).toMatchObject({ text: 'late', rev: 1, seq: 0 });
    expect(readPage(session, 10, 10).entries[0]).toMatchObject({ id: 'old', text: 'late', rev: 1 });
  });

  it('M3 finds a restated entry in the segment that restated it', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now, segmentBytes: 8_000 });
    let state = write(writer, EMPTY, [notice('old')]);
    for (let index = 0; index < 200; index++) state = write(writer, state, [notice(`n${index}`)]);
    writer.close();
    // The next host has only the tail in memory.
    const next = openJournal(session, { now, segmentBytes: 8_000 });
    state = next.state;
    expect(entryById(state, 'old')).toBeUndefined();
    const entry = findEntry(session, 'old');
    if (!entry) throw new Error('not found');
    state = write(next.writer, state, [
      { kind: 'entry.restated', entry },
      { kind: 'entry.patched', entry: 'old', patch: { text: 'late' } },
    ]);
    for (let index = 200; index < 400; index++) state = write(next.writer, state, [notice(`n${index}`)]);
    next.writer.close();
    expect(readPage(session, 1, 100).entries).toMatchObject([{ id: 'old', text: 'late', rev: 1 }]);
    expect(findEntry(session, 'old')).toMatchObject({ text: 'late' });
    expect(findEntry(session, 'nobody')).toBeUndefined();
  });

  it('M3 a page reads only the segments it covers and the last one', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now, segmentBytes: 16_000 });
    let state = EMPTY;
    for (let index = 0; index < 3_000; index++) state = write(writer, state, [notice(`n${index}`)]);
    writer.close();
    expect(segmentNumbers(readdirSync(session.journal)).length).toBeGreaterThan(20);
    const files = countingFiles();
    expect(readPage(session, 1_500, 50, { files }).entries).toHaveLength(50);
    expect(files.seen.size).toBeLessThanOrEqual(3);
    expect(files.bytes).toBeLessThan(4 * 16_000);
  });

  it('M3 an empty or missing journal gives an empty page and no state', () => {
    const session = temporarySession();
    expect(readTail(session)).toBeUndefined();
    expect(readPage(session, 10, 10)).toEqual({ v: 0, from: 0, to: 0, entries: [] });
    expect(changesSince(session, 0)).toEqual([]);
    expect(findEntry(session, 'x')).toBeUndefined();
    openJournal(session, { now }).writer.close();
    expect(readTail(session)).toEqual(EMPTY);
    expect(readPage(session, 10, 10)).toEqual({ v: 0, from: 0, to: 0, entries: [] });
  });

  it('M3 a cached last segment grows with its file', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now });
    const load = createSegmentCache(diskFiles);
    let state = EMPTY;
    for (let index = 0; index < 20; index++) {
      state = write(writer, state, [notice(`n${index}`)]);
      expect(readPage(session, 1_000, 5, { load }).entries.at(-1)?.id).toBe(`n${index}`);
    }
    writer.close();
  });
});

describe('one closed entry', () => {
  // Its turn is in lines that do not mention it.
  const contentOf = ({ rev: _rev, turn: _turn, ...entry }: Entry) => stableText(entry);

  it('S5 is the same as in a page, wherever it was opened, changed and closed', () => {
    let moves = 0;
    for (let seed = 1; seed <= 3; seed++) {
      const session = temporarySession();
      const { writer } = openJournal(session, { now, segmentBytes: 6_000 });
      const { host, states } = writeRandom(writer, seed, 250);
      writer.close();
      const newest = segmentNumbers(readdirSync(session.journal)).at(-1) ?? 0;
      moves += readSegment(diskFiles, session.journal, newest).moved.size;
      const { entries } = readPage(session, host.state.nextSeq, host.state.nextSeq);
      expect(entries.length).toBe(host.state.nextSeq);
      for (const { id, seq } of entries.filter((entry) => !(entry.id in host.state.open))) {
        const found = readClosedEntry(session, seq, id);
        const content = found && contentOf(found);
        // It may have changed again in a later segment.
        const isAsClosed = states.some((state) => {
          const entry = id in state.open ? undefined : entryAt(state.entries, seq);
          return entry !== undefined && contentOf(entry) === content;
        });
        expect({ seed, id, isAsClosed }).toEqual({ seed, id, isAsClosed: true });
      }
    }
    expect(moves).toBeGreaterThan(10);
  });

  it('S5 is undefined if the entry is not there', () => {
    const session = temporarySession();
    expect(readClosedEntry(session, 0, 'n0')).toBeUndefined();
    const { writer } = openJournal(session, { now });
    write(writer, EMPTY, [notice('n0'), notice('n1')]);
    writer.close();
    expect(readClosedEntry(session, 1, 'n1')?.id).toBe('n1');
    expect(readClosedEntry(session, 0, 'n1')).toBeUndefined();
    expect(readClosedEntry(session, 7, 'n7')).toBeUndefined();
  });

  it('S5 entries of one segment are read from the disk once, unless that exceeds the memory given', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now });
    write(writer, EMPTY, [notice('n0'), notice('n1'), notice('n2')]);
    writer.close();
    const bytesFor = (budget: number) => {
      const counting = countingFiles();
      const files = recentReads(counting, budget);
      return [0, 1, 2].map((seq) => {
        expect(readClosedEntry(session, seq, `n${seq}`, { files })?.id).toBe(`n${seq}`);
        return counting.bytes;
      });
    };
    const [first = 0] = bytesFor(0);
    expect(bytesFor(first)).toEqual([first, first, first]);
    expect(bytesFor(0)).toEqual([first, 2 * first, 3 * first]);
  });
});

describe('changes since', () => {
  it('M2 returns exactly the changes after v, or nothing if they are too old', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now, segmentBytes: 16_000 });
    const { host } = writeRandom(writer, 5, 1_200);
    writer.close();
    const [previous] = segmentNumbers(readdirSync(session.journal)).slice(-2);
    const oldest = readSegment(diskFiles, session.journal, previous ?? 0).startV;
    for (let v = 0; v <= host.state.v; v += 1 + Math.floor(v / 50)) {
      const since = changesSince(session, v);
      if (v < oldest) expect(since).toBeUndefined();
      else expect(since?.map(stableText)).toEqual(host.changes.slice(v).map(stableText));
    }
    expect(changesSince(session, host.state.v)).toEqual([]);
    expect(changesSince(session, host.state.v + 1)).toBeUndefined();
  });

  it('M2 does not silently skip changes lost in a damaged line', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now });
    let state = EMPTY;
    for (let index = 0; index < 10; index++) state = write(writer, state, [notice(`n${index}`)]);
    writer.close();
    const file = join(session.journal, segmentName(1));
    const lines = readFileSync(file, 'utf8').split('\n');
    lines[5] = '{"c":[garbage';
    writeFileSync(file, lines.join('\n'));
    expect(changesSince(session, 2)).toBeUndefined();
    expect(changesSince(session, 7)).toHaveLength(3);
  });
});

describe('to-dos', () => {
  it('T28 finds the to-dos before a message in any segment', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now, segmentBytes: 2_000 });
    let state = EMPTY;
    const add = (...bodies: Parameters<typeof write>[2]) => {
      state = write(writer, state, bodies);
    };
    for (let number = 0; number < 40; number++) {
      add({ kind: 'prompt.accepted', prompt: { id: `p${number}`, text: 'x'.repeat(200) } });
      if (number % 7 !== 3) continue;
      add({ kind: 'todos.replaced', todos: [{ id: '1', text: `after p${number}`, state: 'pending' }] });
    }
    writer.close();
    expect(segmentNumbers(readdirSync(session.journal)).length).toBeGreaterThan(3);
    for (let number = 0; number < 40; number++) {
      const isEnd = (change: Change) =>
        change.kind === 'prompt.accepted' && change.prompt.id === `p${number}`;
      const last = Math.floor((number - 4) / 7) * 7 + 3;
      const expected = last < 3 ? [] : [{ id: '1', text: `after p${last}`, state: 'pending' }];
      expect(readTodosBefore(session, { seq: number, isEnd }), `p${number}`).toEqual(expected);
    }
    expect(readTodosBefore(session, { seq: 0, isEnd: () => false })).toBeUndefined();
  });
});
