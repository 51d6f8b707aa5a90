import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SessionDirectory } from '@tugdeck/local/data-directory';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { stableText } from '@tugdeck/protocol/ids';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { describe, expect, it } from 'vitest';
import { differences, sharedText } from '../../protocol/test/random-conversation.ts';
import { segmentName, segmentNumbers } from '../src/format.ts';
import { changesSince, findEntry, readPage, readTail } from '../src/reader.ts';
import { openJournal } from '../src/writer.ts';
import { notice, now, temporarySession, write, writeRandom } from './journal-fixture.ts';

function lastFile(session: SessionDirectory): string {
  return join(session.journal, segmentName(segmentNumbers(readdirSync(session.journal)).at(-1) ?? 0));
}

/** The offset after each complete line of a file. */
function lineEnds(bytes: Buffer): number[] {
  return [...bytes.keys()].filter((at) => bytes[at] === 0x0a).map((at) => at + 1);
}

function badLines(session: SessionDirectory): { segment: number; offset: number; text: string }[] {
  const text = readFileSync(join(session.journal, 'bad.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Writes ten notices, one per line. */
function tenLines(session: SessionDirectory): Conversation {
  const { writer } = openJournal(session, { now });
  let state = EMPTY;
  for (let index = 0; index < 10; index++) state = write(writer, state, [notice(`n${index}`)]);
  writer.close();
  return state;
}

describe('a truncated journal', () => {
  it('H5 opens to exactly the last complete line, wherever it was cut', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now, segmentBytes: 3_000 });
    const { states } = writeRandom(writer, 8, 46);
    writer.close();
    const numbers = segmentNumbers(readdirSync(session.journal));
    expect(numbers.length).toBeGreaterThan(1);
    const file = lastFile(session);
    const bytes = readFileSync(file);
    const ends = lineEnds(bytes);
    expect(ends.length).toBeGreaterThan(5);
    expect(bytes.length).toBeLessThan(4_000);
    const written = states.slice(-(ends.length - 1));
    const atHead = states.at(-ends.length);
    // Cuts at every byte around line ends; within lines at every fourth byte, or at every byte in the full tier.
    const isFull = process.env.TUGDECK_TEST_FULL === '1';
    for (let cut = bytes.length; cut >= 0; cut--) {
      if (!isFull && cut % 4 > 0 && ends.every((end) => Math.abs(end - cut) > 2)) continue;
      truncateSync(file, cut);
      const whole = ends.filter((end) => end <= cut).length;
      const right = whole <= 1 ? atHead : written[whole - 2];
      const tail = readTail(session);
      if (!tail || !right) throw new Error('no state');
      // Compares the full state at line ends; in between, only that it is the same.
      expect(tail.v).toBe(right.v);
      if (cut % 50 === 0 || ends.includes(cut)) {
        expect(sharedText(tail)).toBe(sharedText(right));
        expect(differences(tail, right)).toEqual([]);
      }
    }
  });

  it('H5 can be continued after a cut at any byte without joining lines', () => {
    const session = temporarySession();
    const before = tenLines(session);
    const file = lastFile(session);
    const bytes = readFileSync(file);
    const ends = lineEnds(bytes);
    for (let cut = 0; cut <= bytes.length; cut += 7) {
      const copy = temporarySession();
      mkdirSync(copy.journal, { recursive: true });
      copyFileSync(file, join(copy.journal, segmentName(1)));
      truncateSync(join(copy.journal, segmentName(1)), cut);
      const { state, writer } = openJournal(copy, { now });
      const lines = Math.max(0, ends.filter((end) => end <= cut).length - 1);
      expect(state.nextSeq).toBe(lines);
      const after = write(writer, state, [notice('next')]);
      writer.close();
      const again = readTail(copy);
      expect(again && sharedText(again)).toBe(sharedText(after));
      expect(readPage(copy, 100, 100).entries).toHaveLength(lines + 1);
      if (!ends.includes(cut) && cut > 0) {
        const torn = badLines(copy);
        expect(torn.map(({ text }) => text).join('')).toBe(
          bytes.toString('utf8', ends.findLast((end) => end < cut) ?? 0, cut),
        );
      }
    }
    expect(before.nextSeq).toBe(10);
  });
});

describe('damaged lines', () => {
  it.each([
    ['no JSON', 'garbage'],
    ['another shape', '{"c":[{"kind":"entry.opened","v":6,"at":1}],"s":6}'],
    ['no object', '[1,2]'],
    ['zeros', '\0\0\0\0'],
    ['broken appends', '{"l":[{"entry":1}]}'],
  ])('H5 quarantines a line with %s; later lines keep their seq', (_, bad) => {
    const session = temporarySession();
    const before = tenLines(session);
    const file = lastFile(session);
    const lines = readFileSync(file, 'utf8').split('\n');
    lines[6] = bad; // Contained n5, version 6.
    writeFileSync(file, lines.join('\n'));
    const tail = readTail(session);
    expect(tail).toMatchObject({ v: 10, nextSeq: 10 });

    const { state, writer } = openJournal(session, { now });
    expect(state).toMatchObject({ v: 10, nextSeq: 10 });
    expect(differences({ ...state, from: 6 }, before)).toEqual([]);
    expect(badLines(session)).toMatchObject([{ segment: 1, text: bad }]);
    const after = write(writer, state, [notice('next')]);
    writer.close();
    expect(after.nextSeq).toBe(11);
    expect(readPage(session, 100, 100).entries.map(({ id }) => id)).toEqual([
      'n0',
      'n1',
      'n2',
      'n3',
      'n4',
      'n6',
      'n7',
      'n8',
      'n9',
      'next',
    ]);
    // A fresh segment follows the damaged one, so the damage is quarantined once, not at every start.
    openJournal(session, { now }).writer.close();
    expect(badLines(session)).toHaveLength(1);
  });

  it('H5 replaces a damaged head by the end of the previous segment and keeps the lines', () => {
    const session = temporarySession();
    const { writer } = openJournal(session, { now, segmentBytes: 8_000 });
    const { host } = writeRandom(writer, 21, 400);
    writer.close();
    const file = lastFile(session);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, `{"format":1,"broken${text.slice(text.indexOf('\n'))}`);
    const tail = readTail(session);
    expect(tail && sharedText(tail)).toBe(sharedText(host.state));
    expect(changesSince(session, host.state.v - 1)).toHaveLength(1);
    const { state, writer: next } = openJournal(session, { now });
    next.close();
    expect(sharedText(state)).toBe(sharedText(host.state));
    expect(differences(state, host.state)).toEqual([]);
    const page = readPage(session, 1_000, 1_000);
    expect(page.entries.map(stableText)).toEqual([...entriesFrom(host.state.entries)].map(stableText));
  });

  it('H5 opens even if any one file of the journal is garbage', () => {
    const session = temporarySession();
    tenLines(session);
    writeFileSync(lastFile(session), Buffer.from([0xff, 0x00, 0x0a, 0xc3, 0x28, 0x0a, 0x7b]));
    expect(readTail(session)).toMatchObject({ v: 0 });
    expect(findEntry(session, 'n1')).toBeUndefined();
    const { state, writer } = openJournal(session, { now });
    write(writer, state, [notice('again')]);
    writer.close();
    expect(readTail(session)).toMatchObject({ v: 1, nextSeq: 1 });
  });

  it('H5 ignores leftovers of a crash during the creation of a segment', () => {
    const session = temporarySession();
    const before = tenLines(session);
    writeFileSync(join(session.journal, `${segmentName(2)}.new`), '{"format":1,');
    const tail = readTail(session);
    expect(tail && sharedText(tail)).toBe(sharedText(before));
  });
});

describe('a newer format', () => {
  it('H10 is refused with DATA_NEWER and left untouched', () => {
    for (const rest of [',"segment":1,"nextSeq":0,"other":{}}\n{"c":[]', ',"seg']) {
      const session = temporarySession();
      tenLines(session);
      rmSync(lastFile(session));
      const file = join(session.journal, segmentName(1));
      const text = `{"format":2${rest}`;
      writeFileSync(file, text);
      const newer = expect.objectContaining({ code: 'DATA_NEWER' });
      expect(() => readTail(session)).toThrow(newer);
      expect(() => readPage(session, 1, 1)).toThrow(CodedError);
      expect(() => openJournal(session, { now })).toThrow(newer);
      // Refusing released the lock.
      expect(() => openJournal(session, { now })).toThrow(newer);
      expect(readFileSync(file, 'utf8')).toBe(text);
      expect(readdirSync(session.journal)).toEqual([segmentName(1)]);
    }
  });
});
