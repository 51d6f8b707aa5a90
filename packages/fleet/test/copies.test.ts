// Copies of journals in a real nats-server: complete, in order, encrypted, and filled again.
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { storeText } from '@tugdeck/journal/blobs';
import { readTail } from '@tugdeck/journal/reader';
import { openJournal } from '@tugdeck/journal/writer';
import { makePrivate } from '@tugdeck/local/data-directory';
import type { BlobRef } from '@tugdeck/protocol/conversation/long-text';
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { quietLog } from '@tugdeck/testkit/fake-machine';
import { whyNoNatsServer } from '@tugdeck/testkit/nats-server';
import { waitFor } from '@tugdeck/testkit/process-facts';
import {
  equalsJournal,
  readBack,
  storedBytes,
  TestFleet,
  type TestMachine,
} from '@tugdeck/testkit/test-fleet';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { notice, write, writeRandom } from '../../journal/test/journal-fixture.ts';
import { openCopyChannel } from '../src/copy/copy-channel.ts';
import { type CopySource, readCopiedBlob } from '../src/copy/copy-reader.ts';
import { lastMessage, nextMessage } from '../src/copy/stream.ts';
import type { FleetMachine } from '../src/fleet-machine.ts';
import { SUBJECTS } from '../src/subjects.ts';

const why = whyNoNatsServer();
const SEGMENT = 20_000;
/** A line that names a blob. */
const noticeWith = (ref: BlobRef) => Object.assign(notice('n1'), { blob: ref });

describe.skipIf(why !== undefined)('copies', () => {
  let fleet: TestFleet;
  let worker: TestMachine;
  let open: FleetMachine | undefined;
  beforeAll(async () => {
    fleet = await TestFleet.start();
    worker = await fleet.join('worker');
  });
  afterAll(() => fleet?.close());
  afterEach(async () => {
    await open?.close();
    open = undefined;
  });

  const source = () => fleet.deck.copies('worker') as CopySource;
  const directoryOf = (session: string) => worker.data.session(session);
  function newJournal(session: string = randomUUID()) {
    const directory = directoryOf(session);
    makePrivate(worker.data.root);
    const { writer } = openJournal(directory, { now: () => 1, segmentBytes: SEGMENT });
    return { session, directory, writer };
  }
  /** A session with several segments. */
  function written(seed: number, steps = 400) {
    const journal = newJournal();
    writeRandom(journal.writer, seed, steps);
    return journal;
  }
  async function online() {
    open = worker.open();
    await fleet.online(open.engine);
    return open;
  }

  const back = (session: string) => readBack(fleet, 'worker', session);
  const isEqual = (session: string) => equalsJournal(fleet, worker, session);
  const copied = (session: string) =>
    waitFor(() => isEqual(session), { what: 'the copy to equal the journal' });
  const changed = (session: string) => worker.fake.push({ type: 'session', row: { id: session } as never });

  test('N32 every line is copied in order, N34 and the copy folds to the same conversation', async () => {
    const { session, directory, writer } = written(1);
    await online();
    await copied(session);
    expect(readdirSync(directory.journal).length).toBeGreaterThan(3);
    const state = readTail(directory);
    expect(readTail((await back(session)).directory)).toEqual(state);
    // Lines that are written later.
    write(writer, state ?? EMPTY, [notice(randomUUID())]);
    changed(session);
    await copied(session);
    writer.close();
  });

  test('N32 blobs are copied with the lines that name them', async () => {
    const { session, directory, writer } = newJournal();
    const text = 'long '.repeat(200_000);
    const ref = storeText(directory, text);
    write(writer, EMPTY, [noticeWith(ref)]);
    writer.close();
    await online();
    await copied(session);
    expect((await readCopiedBlob(source(), session, ref.blob))?.toString()).toBe(text);
    expect(await readCopiedBlob(source(), session, 'a'.repeat(64))).toBeUndefined();
  });

  test('N32 two publishers of one machine store every line once', async () => {
    const { session, directory, writer } = newJournal();
    const second = worker.open();
    await online();
    await fleet.online(second.engine);
    let state = EMPTY;
    for (let line = 0; line < 300; line++) {
      state = write(writer, state, [notice(`n${line}`)]);
      if (line % 10 !== 0) continue;
      changed(session);
      await new Promise((resolve) => setImmediate(resolve));
    }
    writer.close();
    changed(session);
    await copied(session);
    const stored = await storedBytes(fleet, 'worker', session);
    const sizes = readdirSync(directory.journal).map((name) => statSync(join(directory.journal, name)).size);
    expect(stored).toBe(sizes.reduce((sum, size) => sum + size, 0));
    await second.close();
  });

  test('N30 a wiped store is filled again from the journals', async () => {
    const { session, writer } = written(3);
    await online();
    await copied(session);
    await fleet.server.kill();
    fleet.server.wipe();
    await fleet.server.start();
    await fleet.deckOnline();
    await fleet.online(open?.engine);
    changed(session);
    await copied(session);
    writer.close();
  });

  test('N31 a frozen server delays no line of the journal and the end of the machine by at most 10 s', async () => {
    await online();
    const { session, writer } = newJournal();
    let state = write(writer, EMPTY, [notice('first')]);
    changed(session);
    await copied(session);
    fleet.server.freeze();
    const times: number[] = [];
    for (let line = 0; line < 200; line++) {
      const since = performance.now();
      state = write(writer, state, [notice(`n${line}`)]);
      times.push(performance.now() - since);
      changed(session);
    }
    fleet.server.thaw();
    expect(times.sort((a, b) => a - b)[100]).toBeLessThan(50);
    await fleet.online(open?.engine);
    changed(session);
    await copied(session);
    writer.close();
  });

  test('N33 the last lines are copied when the machine ends', async () => {
    const { session, writer } = written(4, 100);
    await online();
    await copied(session);
    write(writer, readTail(directoryOf(session)) ?? EMPTY, [notice('the last line')]);
    writer.close();
    await open?.close();
    open = undefined;
    expect(await isEqual(session)).toBe(true);
  });

  test('N37 deleting a session for good deletes its copy and its blobs', async () => {
    const { session, directory, writer } = newJournal();
    const ref = storeText(directory, 'a blob '.repeat(50_000));
    write(writer, EMPTY, [noticeWith(ref)]);
    writer.close();
    await online();
    await copied(session);
    await open?.close();
    rmSync(directory.root, { recursive: true });
    await online();
    const { engine } = source();
    const { id } = worker.member();
    for (const subject of [SUBJECTS.journal(id, session), SUBJECTS.blob(id, session, ref.blob)])
      await waitFor(async () => (await lastMessage(engine, subject)) === undefined, {
        what: `${subject} to be empty`,
      });
    expect((await back(session)).bytes).toBeUndefined();
  });

  test('N24 full rights in NATS read no line of a copy, and forged and repeated ones are ignored and replaced', async () => {
    const { session, directory, writer } = newJournal();
    const text = 'a line nobody may read';
    const state = write(writer, EMPTY, [notice('n1', text)]);
    const other = written(5, 50);
    await online();
    await copied(session);
    await copied(other.session);
    const intruder = await fleet.intruder();
    const { id } = worker.member();
    const subject = SUBJECTS.journal(id, session);
    const stored = await nextMessage(intruder, subject, 1);
    expect(stored?.data.includes(text)).toBe(false);
    expect(stored?.data.includes('"format"')).toBe(false);
    // A message of another session, a repeated one, and rubbish.
    const foreign = (await nextMessage(intruder, SUBJECTS.journal(id, other.session), 1))?.data as Buffer;
    for (const forged of [foreign, stored?.data as Buffer, Buffer.from('rubbish')]) {
      await intruder.request(subject, forged);
      expect(await isEqual(session)).toBe(true);
      write(writer, readTail(directory) ?? state, [notice(randomUUID())]);
      await waitFor(
        () => {
          changed(session);
          return isEqual(session);
        },
        { what: 'the copy to be written again' },
      );
    }
    writer.close();
    other.writer.close();
  });

  test('N34 a page reads a session of a machine that is off, and sends nothing to it', async () => {
    const { session, directory, writer } = written(6, 200);
    writer.close();
    await online();
    await copied(session);
    await open?.close();
    open = undefined;
    const sent: string[] = [];
    let back: () => void = () => undefined;
    const whenBack = new Promise<void>((resolve) => {
      back = resolve;
    });
    const channel = openCopyChannel({
      ...{ source: source(), session, data: fleet.data, whenBack, log: console as never },
      send: (messages) => void sent.push(...messages),
    });
    await channel.opened;
    channel.request({
      type: 'command',
      command: { kind: 'prompt.send', id: randomUUID(), text: 'hi' },
    } as never);
    channel.request({ type: 'follow' });
    const snapshot = await waitFor(
      () => sent.map((text) => JSON.parse(text)).find(({ type }) => type === 'snapshot'),
      {
        what: 'the conversation',
      },
    );
    expect(snapshot.snapshot.v).toBe(readTail(directory)?.v);
    expect(sent.some((text) => JSON.parse(text).type === 'receipt')).toBe(false);
    back();
    await channel.lost;
    channel.close();
    await waitFor(
      () =>
        !readdirSync(join(fleet.data.root, 'cache', 'copies')).some((name) =>
          name.startsWith(`${process.pid}-`),
        ),
      {
        what: 'the read copy to be deleted',
      },
    );
  });

  test('N34 the session opens once the server with its copy is reached', async () => {
    const { session, writer } = written(7, 50);
    writer.close();
    await online();
    await copied(session);
    await open?.close();
    open = undefined;
    await fleet.server.kill();
    await waitFor(() => !source().engine.isConnected, { what: 'the deck to be disconnected' });
    const whenBack = new Promise<void>(() => undefined);
    const channel = openCopyChannel({
      ...{ source: source(), session, data: fleet.data, whenBack, log: quietLog },
      send: () => undefined,
    });
    await fleet.server.start();
    await channel.opened;
    channel.close();
  });

  test.runIf(isFullTier)(
    'N33 10,000 lines are caught up within 10 s, and a line is copied within 1 s',
    async () => {
      const { session, writer } = newJournal();
      let state = EMPTY;
      for (let line = 0; line < 10_000; line++) state = write(writer, state, [notice(`n${line}`)]);
      const since = performance.now();
      await online();
      const end = () => lastMessage(source().engine, SUBJECTS.journal(worker.member().id, session));
      await copied(session);
      const caughtUp = performance.now() - since;
      const lags: number[] = [];
      for (let line = 0; line < 40; line++) {
        const before = (await end())?.sequence;
        state = write(writer, state, [notice(`late${line}`)]);
        const from = performance.now();
        if (line % 2 === 0) changed(session);
        await waitFor(async () => (await end())?.sequence !== before, { what: 'the line' });
        lags.push(performance.now() - from);
      }
      const p95 = lags.sort((a, b) => a - b)[37] ?? 0;
      console.log(
        `10,000 lines in ${Math.round(caughtUp)} ms; one line p50 ${Math.round(lags[20] ?? 0)} ms, p95 ${Math.round(p95)} ms`,
      );
      expect(caughtUp).toBeLessThan(10_000);
      expect(p95).toBeLessThan(1_000);
      writer.close();
    },
  );
});
