// Full tier: three servers with a killed leader, a thousand sessions in one stream, and a cut of 35 seconds.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openJournal } from '@tugdeck/journal/writer';
import { makePrivate } from '@tugdeck/local/data-directory';
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { whyNoNatsServer } from '@tugdeck/testkit/nats-server';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { equalsJournal, TestFleet, type TestMachine } from '@tugdeck/testkit/test-fleet';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { afterEach, describe, expect, test } from 'vitest';
import { notice, write } from '../../journal/test/journal-fixture.ts';
import { lastMessage } from '../src/copy/stream.ts';
import { SUBJECTS } from '../src/subjects.ts';

const why = whyNoNatsServer();

describe.skipIf(why !== undefined || !isFullTier)('copies in the full tier', () => {
  let fleet: TestFleet | undefined;
  afterEach(async () => {
    await fleet?.close();
    fleet = undefined;
  });

  function journalOf(worker: TestMachine) {
    const session = randomUUID();
    makePrivate(worker.data.root);
    const { writer } = openJournal(worker.data.session(session), { now: () => 1, segmentBytes: 20_000 });
    let state = EMPTY;
    let line = 0;
    return {
      session,
      writer,
      write(count: number) {
        for (const end = line + count; line < end; line++)
          state = write(writer, state, [notice(`n${line}`, `line ${line} `.repeat(5))]);
        worker.fake.push({ type: 'session', row: { id: session } as never });
      },
    };
  }
  const copied = (worker: TestMachine, session: string) =>
    waitFor(() => equalsJournal(fleet as TestFleet, worker, session), {
      what: 'the copy to equal the journal',
    });
  const info = async () =>
    (await (fleet as TestFleet).deck.engine.call('STREAM.INFO.TUGDECK')) as {
      cluster?: { leader?: string };
      state: { messages: number; consumer_count: number };
    };

  test('N32 with three servers, a killed leader delays copies and loses nothing', async () => {
    fleet = await TestFleet.start({ replicas: 3 });
    const worker = await fleet.join('worker');
    const journal = journalOf(worker);
    journal.write(200);
    await fleet.online(worker.open().engine);
    await copied(worker, journal.session);
    for (let kill = 0; kill < 3; kill++) {
      const { cluster } = await waitFor(() => info().catch(() => undefined), { what: 'the leader' });
      const at = Number(cluster?.leader?.at(-1)) - 1;
      const since = performance.now();
      await fleet.servers[at]?.kill();
      journal.write(100);
      await copied(worker, journal.session);
      console.log(`leader ${at + 1} killed: equal again after ${Math.round(performance.now() - since)} ms`);
      await fleet.servers[at]?.start();
      journal.write(50);
      await copied(worker, journal.session);
    }
    journal.writer.close();
  }, 300_000);

  test('N35 a thousand sessions are in one stream without consumers', async () => {
    fleet = await TestFleet.start();
    const worker = await fleet.join('worker');
    const journals = Array.from({ length: 1_000 }, () => journalOf(worker));
    for (const journal of journals) journal.write(3);
    const since = performance.now();
    await fleet.online(worker.open().engine);
    const id = worker.member().id;
    for (const { session } of journals)
      await waitFor(
        async () =>
          (await lastMessage(fleet?.deck.engine as never, SUBJECTS.journal(id, session))) !== undefined,
        {
          what: 'the copy',
        },
      );
    const took = performance.now() - since;
    const { state } = await info();
    const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${fleet.server.pid}/status`, 'utf8'))?.[1];
    console.log(
      `1,000 sessions in ${Math.round(took)} ms, ${state.messages} messages, server ${Math.round(Number(resident) / 1024)} MiB`,
    );
    expect(state).toMatchObject({ consumer_count: 0 });
    for (const { session } of journals.slice(0, 20)) await copied(worker, session);
    for (const { writer } of journals) writer.close();
  }, 300_000);

  test('N32 after a cut of 35 seconds the copy is complete again', async () => {
    fleet = await TestFleet.start();
    const worker = await fleet.join('worker');
    const journal = journalOf(worker);
    const { engine } = worker.open();
    await fleet.online(engine);
    journal.write(100);
    await copied(worker, journal.session);
    fleet.server.freeze();
    const end = performance.now() + 35_000;
    while (performance.now() < end) {
      journal.write(10);
      await delay(100);
    }
    fleet.server.thaw();
    const since = performance.now();
    await copied(worker, journal.session);
    console.log(`equal ${Math.round(performance.now() - since)} ms after a cut of 35 s`);
    journal.writer.close();
  }, 300_000);
});
