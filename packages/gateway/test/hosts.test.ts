import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openJournal } from '@tugdeck/journal/writer';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openLedger } from '@tugdeck/local/ledger';
import { ownPlace } from '@tugdeck/local/place';
import { identify, isRunning, ownIdentity, type ProcessIdentity } from '@tugdeck/local/process-identity';
import { withTimings } from '@tugdeck/local/timings';
import { endHosts } from '@tugdeck/machine/hosts/end-hosts';
import { LIMITS } from '@tugdeck/machine/limits';
import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { fold } from '@tugdeck/protocol/conversation/fold';
import type { DeckMessage } from '@tugdeck/protocol/wire/deck';
import { FEED } from '@tugdeck/protocol/wire/frames';
import type { HostMessage } from '@tugdeck/protocol/wire/host-link';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunningServer } from '../src/main.ts';
import {
  pageWithSession,
  prompt,
  signIn,
  TestPage,
  type TestPlace,
  TIMINGS,
  testPlace,
} from './test-server.ts';

let place: TestPlace;
let server: RunningServer;

beforeEach(async () => {
  place = testPlace();
  server = await place.start();
});
afterEach(() => place.clear());

const ledger = () => openLedger(dataDirectory(place.root).ledger);
const hostOf = (session: string) => ledger().get(`host-${session}`);
const startsOf = (session: string) => {
  const file = join(place.root, 'sessions', session, 'fake-starts');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
};
const isReceipt = (id: string) => (message: HostMessage) =>
  message.type === 'receipt' && message.command === id;
const isRow = (session: string, live: boolean) => (message: DeckMessage) =>
  message.type === 'session' && message.row.id === session && message.row.live === live;

async function sendPrompt(page: TestPage, text: string, channel = 1): Promise<void> {
  const id = randomUUID();
  page.send(FEED.conversationIn, channel, prompt(text, id));
  await page.hostMessage(channel, isReceipt(id));
}

async function reopen(session: string): Promise<TestPage> {
  const page = await TestPage.open(server, await signIn((await server.add(place.project, {})).url));
  await page.welcome();
  await page.request({ type: 'channel.open', channel: 1, session });
  return page;
}

/** The files a host would have left on disk. */
function writeJournal(session: string, bodies: readonly ChangeBody[]): void {
  const { state, writer } = openJournal(dataDirectory(place.root).session(session), { now: () => 1 });
  let after = state;
  const changes = bodies.map((body, index): Change => ({ ...body, v: state.v + index + 1, at: 1 }));
  for (const change of changes) after = fold(after, change);
  writer.append(changes, after);
  writer.close();
}

const RUNNING: ChangeBody = { kind: 'turn.started', turn: 't', origin: 'agent', prompts: [] };
const NOTED: ChangeBody = { kind: 'session.described', facts: { agentTitle: 'Old times' } };

async function endHostOf(page: TestPage, session: string): Promise<void> {
  await page.deckMessage(isRow(session, true));
  page.received.length = 0;
  await sendPrompt(page, 'leave');
  await page.deckMessage(isRow(session, false));
}

async function kill(session: string): Promise<void> {
  const host = hostOf(session);
  if (!host || !isRunning(host.identity)) throw new Error('no host to kill');
  process.kill(host.identity.pid, 'SIGKILL');
  // A signal takes effect later: until then a new server finds a running host.
  await expect.poll(() => isRunning(host.identity)).toBe(false);
}

describe('a session without a host', () => {
  test('H1 opening a session only reads, and a command moves the page to a host', async () => {
    const { page, session } = await pageWithSession(place, server);
    await endHostOf(page, session);
    writeJournal(session, [NOTED]);
    page.received.length = 0;
    page.send(FEED.conversationIn, 1, { type: 'follow' });
    const first = await page.hostMessage(1, ({ type }) => type === 'snapshot');
    expect(first).toMatchObject({ snapshot: { v: 1, facts: { agentTitle: 'Old times' } } });
    page.send(FEED.conversationIn, 1, { type: 'entries', before: 10 });
    await page.hostMessage(1, ({ type }) => type === 'entries');
    page.send(FEED.conversationIn, 1, { type: 'text', entry: 'nobody', field: 'text', from: 0 });
    await page.hostMessage(1, ({ type }) => type === 'live');
    expect(startsOf(session)).toHaveLength(1);
    await sendPrompt(page, 'hello');
    expect(startsOf(session)).toHaveLength(2);
    // The host already had one change; the page had version 1, so only the second one is sent.
    const received = page.received.flatMap((one) =>
      'message' in one && one.message.type === 'changes' ? one.message.changes : [],
    );
    expect(received.map(({ v }) => v)).toEqual([2]);
  });

  test('H1 focus in the composer starts the host for every page that follows', async () => {
    const { page, visit, session } = await pageWithSession(place, server);
    await endHostOf(page, session);
    const other = await TestPage.open(server, visit);
    await other.welcome();
    await other.request({ type: 'channel.open', channel: 4, session });
    other.send(FEED.conversationIn, 4, { type: 'follow' });
    await other.hostMessage(4, ({ type }) => type === 'snapshot');
    page.received.length = 0;
    page.send(FEED.conversationIn, 1, { type: 'wake' });
    await page.deckMessage(isRow(session, true));
    await sendPrompt(page, 'hello');
    await other.hostMessage(
      4,
      (message) => message.type === 'changes' && message.changes.some(({ v }) => v === 2),
    );
  });

  test('S2 a host that cannot start is reported with the command that needed it', async () => {
    const { project } = await server.add(place.project, { FAKE_REFUSE: '1' }, { trust: true });
    const page = await TestPage.open(
      server,
      await signIn((await server.add(place.project, { FAKE_REFUSE: '1' })).url),
    );
    await page.welcome();
    const session = randomUUID();
    await page.request({ type: 'session.create', session, project, agent: 'tester' });
    await page.request({ type: 'channel.open', channel: 1, session });
    const id = randomUUID();
    page.send(FEED.conversationIn, 1, prompt('hello', id));
    expect(await page.hostMessage(1, ({ type }) => type === 'error')).toMatchObject({
      code: 'SESSION_LOCKED',
      command: id,
    });
  });
});

describe('a host outlives the server', () => {
  test('H1 a new server finds it, and the page continues from its version', async () => {
    const { page, session } = await pageWithSession(place, server);
    await sendPrompt(page, 'one');
    const before = hostOf(session);
    await server.close();
    expect(before && isRunning(before.identity)).toBe(true);
    server = await place.start();
    const again = await reopen(session);
    again.send(FEED.conversationIn, 1, { type: 'follow', v: 1 });
    await again.hostMessage(1, ({ type }) => type === 'changes');
    await sendPrompt(again, 'two');
    const changes = await again.hostMessage(
      1,
      (message) => message.type === 'changes' && message.changes.length > 0,
    );
    expect(changes).toMatchObject({ changes: [{ v: 2, prompt: { text: 'two' } }] });
    expect(startsOf(session)).toEqual([before?.identity.pid]);
    // The summary uses another connection than the changes.
    await expect
      .poll(async () => (await again.welcome()).deck.sessions[0])
      .toMatchObject({ live: true, summary: { entries: 2 } });
  });

  test('H1 a host that died with unfinished work is restarted at once', async () => {
    const { page, session } = await pageWithSession(place, server);
    await sendPrompt(page, 'one');
    await server.close();
    await kill(session);
    writeJournal(session, [RUNNING]);
    server = await place.start();
    await server.adopted;
    expect(startsOf(session)).toHaveLength(2);
    const host = hostOf(session);
    expect(host && isRunning(host.identity)).toBe(true);
  });

  test('H1 a host that died without work is only forgotten', async () => {
    const { page, session } = await pageWithSession(place, server);
    await sendPrompt(page, 'one');
    await server.close();
    await kill(session);
    server = await place.start();
    await server.adopted;
    expect(startsOf(session)).toHaveLength(1);
    expect(hostOf(session)).toBeUndefined();
  });

  describe.runIf(ownPlace().machine)('on another machine', () => {
    const other = { machine: 'another', boot: 'another', hostname: 'devbox' };

    /** The session's host as left by a machine that shares the data directory. */
    async function hostOfOtherMachine(): Promise<{ session: string; identity: ProcessIdentity }> {
      const { page, session } = await pageWithSession(place, server);
      await sendPrompt(page, 'one');
      await server.close();
      const host = hostOf(session);
      if (!host) throw new Error('no host');
      await kill(session);
      const identity = { ...ownIdentity(), ...other };
      ledger().write({ ...host, identity, socket: join(place.root, 'nowhere.sock') });
      return { session, identity };
    }

    test('N1 its unfinished work is resumed only when someone opens the session', async () => {
      const { session } = await hostOfOtherMachine();
      writeJournal(session, [RUNNING]);
      server = await place.start();
      await server.adopted;
      expect([startsOf(session).length, hostOf(session)]).toEqual([1, undefined]);
      await sendPrompt(await reopen(session), 'two');
      expect(startsOf(session)).toHaveLength(2);
    });

    test('N1 a host that is alive there is named with advice, and keeps its session', async () => {
      const { session, identity } = await hostOfOtherMachine();
      const { lock } = dataDirectory(place.root).session(session);
      writeFileSync(lock, JSON.stringify({ ...identity, name: 'planted' }));
      server = await place.start();
      await server.adopted;
      const page = await reopen(session);
      const id = randomUUID();
      page.send(FEED.conversationIn, 1, prompt('two', id));
      expect(await page.hostMessage(1, ({ type }) => type === 'error')).toMatchObject({
        code: 'SESSION_LOCKED',
        command: id,
        message: expect.stringContaining('on another machine (devbox)'),
      });
      expect([startsOf(session).length, hostOf(session)?.identity]).toEqual([1, identity]);
    });
  });

  test('S5 the row of a host that ended without a server shows what its journal has', async () => {
    const { page, session } = await pageWithSession(place, server);
    await sendPrompt(page, 'one');
    await expect.poll(async () => (await page.welcome()).deck.sessions[0]?.summary?.entries).toBe(1);
    await server.close();
    await kill(session);
    writeJournal(session, [NOTED]);
    server = await place.start();
    await server.adopted;
    const again = await reopen(session);
    expect((await again.welcome()).deck.sessions[0]).toMatchObject({ live: false, title: 'Old times' });
  });

  test('H1 a host that appears in the ledger late is used, not started twice', async () => {
    const { page, session } = await pageWithSession(place, server);
    await sendPrompt(page, 'one');
    await server.close();
    const host = hostOf(session);
    if (!host) throw new Error('no host');
    // As if the last server had been killed just after it spawned this host.
    ledger().remove(host.id);
    server = await place.start();
    await server.adopted;
    ledger().write(host);
    const again = await reopen(session);
    await sendPrompt(again, 'two');
    expect(startsOf(session)).toEqual([host.identity.pid]);
  });

  test('H10 a host of another build is used while it works, and replaced once it is idle', async () => {
    const { url, project } = await server.add(
      place.project,
      { FAKE_PROGRAM: '/an/older/build.mjs' },
      { trust: true },
    );
    const page = await TestPage.open(server, await signIn(url));
    await page.welcome();
    const session = randomUUID();
    await page.request({ type: 'session.create', session, project, agent: 'tester' });
    await page.request({ type: 'channel.open', channel: 1, session });
    await sendPrompt(page, 'work');
    const first = hostOf(session);
    await sendPrompt(page, 'more');
    expect(hostOf(session)?.identity).toEqual(first?.identity);
    page.received.length = 0;
    page.send(FEED.conversationIn, 1, {
      type: 'command',
      command: { kind: 'turn.cancel', id: randomUUID() },
    });
    await page.deckMessage(isRow(session, false));
    expect(first && isRunning(first.identity)).toBe(false);
  });
});

describe('a host that dies', () => {
  test('M4 an unacknowledged command reaches the next host, once', async () => {
    const { page, session } = await pageWithSession(place, server);
    page.send(FEED.conversationIn, 1, { type: 'follow' });
    await sendPrompt(page, 'one');
    await sendPrompt(page, 'die');
    await sendPrompt(page, 'three');
    expect(startsOf(session)).toHaveLength(2);
    const versions = page.received.flatMap((one) =>
      'message' in one && one.message.type === 'changes' ? one.message.changes.map(({ v }) => v) : [],
    );
    expect([...new Set(versions)]).toEqual([1, 2, 3]);
    expect(page.received.some((one) => 'message' in one && one.message.type === 'error')).toBe(false);
  });

  test('H6 a host with unfinished work is restarted, at most three times in a minute', async () => {
    const { page, session } = await pageWithSession(place, server);
    await sendPrompt(page, 'one');
    writeJournal(session, [RUNNING]);
    for (let deaths = 1; deaths <= 3; deaths++) {
      await kill(session);
      await expect.poll(() => startsOf(session).length).toBe(deaths + 1);
      await expect.poll(() => hostOf(session)?.identity.pid).toBe(startsOf(session).at(-1));
      await sendPrompt(page, 'still here');
    }
    page.received.length = 0;
    page.send(FEED.conversationIn, 1, { type: 'follow', v: 0 });
    await page.hostMessage(1, ({ type }) => type === 'changes');
    await kill(session);
    await page.deckMessage(isRow(session, false));
    expect(startsOf(session)).toHaveLength(4);
    // A page that shows the stuck turn gets the reason.
    await page.hostMessage(1, (message) => message.type === 'error' && message.code === 'HOST_UNAVAILABLE');
    await sendPrompt(page, 'the user may still try');
    expect(startsOf(session)).toHaveLength(5);
  });

  test('H6 a command that kills every host fails', async () => {
    const { page, session } = await pageWithSession(place, server);
    const id = randomUUID();
    page.send(FEED.conversationIn, 1, prompt('die always', id));
    expect(await page.hostMessage(1, ({ type }) => type === 'error')).toMatchObject({
      code: 'HOST_UNAVAILABLE',
      command: id,
    });
    expect(startsOf(session)).toHaveLength(4);
  });

  test('S2 invalid messages from a host are skipped, and the rest continues', async () => {
    const { page } = await pageWithSession(place, server);
    await sendPrompt(page, 'garbage');
    await sendPrompt(page, 'more');
    expect(
      page.received.filter((one) => 'message' in one && !['receipt', 'changes'].includes(one.message.type)),
    ).toEqual([]);
  });
});

describe('queries', () => {
  const query = (id: string, what: string, length = 1) => ({
    type: 'query',
    command: { id, what, input: { length } },
  });

  test('M7 an answer over the line limit fails its query with a code, and later ones are answered', async () => {
    const { page } = await pageWithSession(place, server);
    const [large, small] = [randomUUID(), randomUUID()];
    page.send(FEED.conversationIn, 1, query(large, 'task.output', LIMITS.hostLine));
    expect(await page.hostMessage(1, ({ type }) => type === 'error')).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      command: large,
    });
    page.send(FEED.conversationIn, 1, query(small, 'task.output'));
    const answer = await page.hostMessage(1, ({ type }) => type === 'answer');
    expect(answer).toMatchObject({ id: small, text: 'x' });
  });

  test('M7 a control that may change something is not a query', async () => {
    const { page, session } = await pageWithSession(place, server);
    // The host of a new session starts by itself: what it receives counts.
    const known = randomUUID();
    page.send(FEED.conversationIn, 1, query(known, 'task.output'));
    await page.hostMessage(1, (message) => message.type === 'answer' && message.id === known);
    for (const what of ['settings.change', 'session.delete', 'title', 'context ']) {
      const id = randomUUID();
      page.send(FEED.conversationIn, 1, query(id, what));
      expect(
        await page.hostMessage(1, (message) => message.type === 'error' && message.command === id),
      ).toMatchObject({ code: 'INVALID_MESSAGE' });
    }
    const queries = readFileSync(join(place.root, 'sessions', session, 'fake-queries'), 'utf8');
    expect(queries).toBe('task.output\n');
  });
});

describe('host limit', () => {
  test('H1 the longest-idle host is ended, a working one is not', async () => {
    await server.close();
    server = await place.start({ config: { maxLiveHosts: 1, agents: agents() } });
    const { page, session, project } = await pageWithSession(place, server);
    await sendPrompt(page, 'one');
    const second = randomUUID();
    await page.request({ type: 'session.create', session: second, project, agent: 'tester' });
    await page.deckMessage(isRow(session, false));
    await page.request({ type: 'channel.open', channel: 2, session: second });
    await sendPrompt(page, 'work', 2);
    await page.deckMessage(
      (message) => message.type === 'session' && message.row.summary?.turn === 'running',
    );
    // Its host only queues the prompt: agents wait for a slot (D41).
    await sendPrompt(page, 'me too');
    expect(hostOf(second) && hostOf(session)).toBeTruthy();
  });

  const agents = () => ({ tester: { command: '/bin/true', protocol: 'acp' as const } });
});

describe('ending all hosts', () => {
  test('L8 ends every host, and agents that lost their host; nothing is left', async () => {
    const { page, session } = await pageWithSession(place, server);
    await sendPrompt(page, 'one');
    await server.close();
    const host = hostOf(session);
    const mark = randomUUID();
    const agent = spawn('sh', ['-c', 'trap "" TERM; sleep 600 & wait; sleep 600'], {
      detached: true,
      stdio: 'ignore',
      env: { PATH: process.env.PATH, TUGDECK_MARK: mark },
    });
    const identity = identify(agent.pid ?? 0);
    if (!identity) throw new Error('no agent');
    ledger().write({
      id: 'agent-lost',
      purpose: 'agent',
      identity,
      group: identity.pid,
      session: 'lost',
      mark,
    });
    const ended = await endHosts(ledger(), withTimings(TIMINGS));
    expect(ended).toEqual({ hosts: 1, left: [] });
    expect(host && isRunning(host.identity)).toBe(false);
    expect(isRunning(identity)).toBe(false);
    expect(ledger().read()).toEqual([]);
  });
});
