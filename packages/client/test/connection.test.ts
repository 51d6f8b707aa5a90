import type { DeckRequest } from '@tugdeck/protocol/wire/deck';
import { encodeFrame, FEED } from '@tugdeck/protocol/wire/frames';
import { PAGE_VERSION } from '@tugdeck/protocol/wire/version';
import { describe, expect, test } from 'vitest';
import { BUILD, SESSION, World } from './simulated-world.ts';

const rename = { type: 'session.rename', session: 's', title: 't' } as const;
const typesOf = (requests: readonly DeckRequest[]) => requests.map(({ type }) => type);

function onlySocket(world: World) {
  const [socket, ...others] = world.openSockets;
  if (!socket || others.length > 0) throw new Error('expected one open socket');
  return socket;
}

describe('connection', () => {
  test('S1 sends hello with its build and is online after the welcome', async () => {
    const world = new World();
    const client = world.page();
    expect(client.status.get()).toEqual({ state: 'connecting', attempt: 0 });
    await world.settle();
    expect(world.requests).toMatchObject([{ type: 'hello', version: PAGE_VERSION, build: BUILD }]);
    expect(client.status.get()).toEqual({ state: 'online', attempt: 0 });
    expect(client.deck.get()).toMatchObject({ defaultAgent: 'demo' });
  });

  test('D6 reconnects after 0.5, 1, 2, 4, 5, 5 s forever, and starts over after a successful connection', async () => {
    const world = new World();
    const client = world.page();
    await world.settle();
    world.isUp = false;
    world.cutAll();
    for (const [at, wait] of [500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000].entries()) {
      expect(client.status.get()).toEqual({
        state: 'offline',
        attempt: at + 1,
        retryAt: world.clock.now() + wait,
      });
      const tried = world.sockets.length;
      world.clock.advance(wait - 1);
      expect(world.sockets).toHaveLength(tried);
      world.clock.advance(1);
      expect(world.sockets).toHaveLength(tried + 1);
      expect(client.status.get().state).toBe('connecting');
      await world.settle();
    }
    world.isUp = true;
    world.clock.advance(5_000);
    await world.settle();
    expect(client.status.get()).toEqual({ state: 'online', attempt: 0 });
    world.cutAll();
    expect(client.status.get().retryAt).toBe(world.clock.now() + 500);
  });

  test('D6 uses the reconnect delays of the welcome', async () => {
    const world = new World();
    const deck = { projects: [], sessions: [], agents: [], defaultAgent: '' };
    const timings = { reconnectMs: [7] };
    world.answer = ({ type }) =>
      type === 'hello'
        ? { type: 'welcome', version: PAGE_VERSION, build: BUILD, deck, drafts: {}, timings }
        : undefined;
    const client = world.page();
    await world.settle();
    world.cutAll();
    expect(client.status.get().retryAt).toBe(world.clock.now() + 7);
  });

  test('D6 drops a link that no longer answers, and keeps one that is only quiet', async () => {
    const world = new World();
    const client = world.page();
    await world.settle();
    // Quiet but alive: the server answers the ping.
    const pings = () => typesOf(world.requests).filter((type) => type === 'ping').length;
    world.clock.advance(5_000);
    for (let count = 1; count <= 3; count++) {
      world.clock.advance(5_000);
      expect(pings()).toBe(count - 1);
      await world.settle();
      expect(pings()).toBe(count);
      world.clock.advance(5_000);
      expect(client.status.get().state).toBe('online');
    }
    // Each answer contains the server's time (X1).
    expect(world.serverTimes).toHaveLength(3);
    // The server vanished: nothing that is sent is answered.
    world.clock.advance(9_999);
    expect(client.status.get().state).toBe('online');
    world.clock.advance(1);
    expect(client.status.get().state).toBe('offline');
    world.clock.advance(500);
    await world.settle();
    expect(client.status.get().state).toBe('online');
    expect(world.openSockets).toHaveLength(1);
  });

  test('D6 checks the link when the page wakes up, and ignores timers that fire late', async () => {
    const world = new World();
    const client = world.page();
    await world.settle();
    client.checkConnection();
    // The machine sleeps between the ping and the timer.
    world.clock.sleep(3_600_000);
    world.clock.advance(0);
    expect(client.status.get().state).toBe('online');
    await world.settle();
    world.clock.advance(5_000);
    expect(client.status.get().state).toBe('online');
    client.checkConnection();
    world.clock.advance(5_000);
    expect(client.status.get().state).toBe('offline');
    world.isUp = false;
    client.checkConnection();
    expect(client.status.get().state).toBe('connecting');
  });

  test('C18 reconnects at once, even if the link still looks alive', async () => {
    const world = new World();
    const client = world.page();
    await world.settle();
    world.cutAll();
    client.reconnect();
    await world.settle();
    expect(client.status.get().state).toBe('online');
    client.reconnect();
    expect(client.status.get().state).toBe('connecting');
    await world.settle();
    expect(client.status.get().state).toBe('online');
    expect(world.openSockets).toHaveLength(1);
  });

  test('X25 is signed out after a refused socket, and recovers when another tab signs in', async () => {
    const world = new World();
    world.isUp = false;
    world.signInStatus = 'signed-out';
    const client = world.page();
    await world.settle();
    expect(client.status.get()).toMatchObject({ state: 'signed-out', attempt: 1 });
    world.clock.advance(500);
    expect(client.status.get().state).toBe('signed-out');
    await world.settle();
    world.signInStatus = 'unreachable';
    world.clock.advance(1_000);
    await world.settle();
    expect(client.status.get().state).toBe('offline');
    world.isUp = true;
    world.signInStatus = 'signed-in';
    world.clock.advance(2_000);
    await world.settle();
    expect(client.status.get().state).toBe('online');
  });

  test('H10 is outdated but keeps working with a server of another build', async () => {
    const world = new World();
    world.host();
    const client = world.page();
    const channel = client.conversation(SESSION);
    await world.settle();
    expect(client.status.get().state).toBe('online');
    world.build = 'build-2';
    world.cutAll();
    world.clock.advance(2_000);
    await world.settle();
    expect(client.status.get().state).toBe('outdated');
    expect(channel.view.get().phase).toBe('ready');
  });

  test('H10 does not ask for a reload when the page is newer than its server', async () => {
    const world = new World();
    world.build = 'build-0';
    world.host();
    const client = world.page();
    const channel = client.conversation(SESSION);
    await world.settle();
    expect(client.status.get().state).toBe('ahead');
    expect(channel.view.get().phase).toBe('ready');
  });

  test('D6 closes a socket that gets no welcome', async () => {
    const world = new World();
    world.answer = () => null;
    const client = world.page();
    await world.settle();
    world.clock.advance(10_000);
    expect(client.status.get()).toMatchObject({ state: 'offline', attempt: 1 });
    expect(world.openSockets).toHaveLength(0);
  });

  test('S2 counts and reports invalid messages and keeps the connection', async () => {
    const world = new World();
    const client = world.page();
    await world.settle();
    const socket = onlySocket(world);
    const bytes = (text: string) => new TextEncoder().encode(text);
    socket.toPage.push(
      new Uint8Array([1, 2]),
      encodeFrame(FEED.deck, 0, bytes('{')),
      encodeFrame(FEED.deck, 0, bytes('{"type":"deck"}')),
      encodeFrame(FEED.conversationOut, 9, bytes('{}')),
    );
    socket.emit('message', 'a text frame');
    await world.settle();
    expect(client.faults.get().count).toBe(5);
    expect(client.status.get().state).toBe('online');
    world.push(socket, { type: 'show', project: 'p1' });
    await world.settle();
    expect(client.requestedProject.get()).toBe('p1');
  });

  test('S1 ignores feeds of a newer server', async () => {
    const world = new World();
    const client = world.page();
    await world.settle();
    onlySocket(world).toPage.push(new Uint8Array([0x77, 0, 0, 0, 0, 1]));
    await world.settle();
    expect(client.faults.get()).toEqual({ count: 0 });
  });

  test('D6 a disposed client does not reconnect and rejects pending requests', async () => {
    const world = new World();
    const client = world.page();
    world.isUp = false;
    await world.settle();
    const waiting = client.request(rename).catch((error: unknown) => error);
    client.dispose();
    expect(await waiting).toMatchObject({ code: 'DISPOSED' });
    const tried = world.sockets.length;
    world.clock.advance(60_000);
    expect(world.sockets).toHaveLength(tried);
  });
});

describe('deck requests', () => {
  test('M4 resolve on done and reject with code, message and hint', async () => {
    const world = new World();
    const client = world.page();
    await world.settle();
    const good = client.request(rename);
    await world.settle();
    await good;
    world.answer = ({ id }) => ({
      type: 'error',
      re: id,
      code: 'PROJECT_PATH_INVALID',
      message: 'no',
      hint: 'look',
    });
    const bad = client.request({ type: 'project.add', path: '/x' }).catch((error: unknown) => error);
    await world.settle();
    expect(await bad).toMatchObject({ code: 'PROJECT_PATH_INVALID', message: 'no', hint: 'look' });
  });

  test('D6 sends a request made offline once, before the session it created is opened', async () => {
    const world = new World();
    world.isUp = false;
    const client = world.page();
    world.host();
    client.conversation(SESSION);
    const created = client.request({ type: 'session.create', session: SESSION, project: 'p', agent: 'demo' });
    await world.settle();
    world.isUp = true;
    world.clock.advance(500);
    await world.settle();
    await created;
    expect(typesOf(world.requests)).toEqual(['hello', 'session.create', 'channel.open']);
    world.cutAll();
    world.clock.advance(500);
    await world.settle();
    expect(typesOf(world.requests)).toEqual([
      'hello',
      'session.create',
      'channel.open',
      'hello',
      'channel.open',
    ]);
  });

  test('M4 resends a request whose reply was lost with the same id, and accepts its own duplicate', async () => {
    const world = new World();
    const client = world.page();
    await world.settle();
    const added = client.request({ type: 'project.add', path: '/x' });
    world.deliverToServer();
    world.cutAll();
    world.answer = (request) =>
      request.type === 'project.add'
        ? { type: 'error', re: request.id, code: 'PROJECT_DUPLICATE', message: 'there already' }
        : undefined;
    world.clock.advance(500);
    await world.settle();
    await added;
    const ids = world.requests.filter(({ type }) => type === 'project.add').map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });
});

describe('open conversations', () => {
  test('D3 are one object while held, and close shortly after the last release', async () => {
    const world = new World();
    const host = world.host();
    const client = world.page();
    const first = client.conversation(SESSION);
    expect(client.conversation(SESSION)).toBe(first);
    await world.settle();
    first.release();
    world.clock.advance(5_000);
    await world.settle();
    expect(host.links.size).toBe(1);
    first.release();
    expect(client.conversation(SESSION)).toBe(first);
    world.clock.advance(5_000);
    await world.settle();
    expect(host.links.size).toBe(1);
    first.release();
    world.clock.advance(5_000);
    await world.settle();
    expect(host.links.size).toBe(0);
    expect(client.conversation(SESSION)).not.toBe(first);
    await world.settle();
    const numbers = world.requests.flatMap((request) =>
      request.type === 'channel.open' ? [request.channel] : [],
    );
    expect(numbers).toEqual([1, 2]);
  });

  test('S2 reopens a channel that the server does not know', async () => {
    const world = new World();
    const host = world.host();
    const channel = world.page().conversation(SESSION);
    await world.settle();
    const socket = onlySocket(world);
    host.links.clear();
    world.push(socket, { type: 'error', channel: 1, code: 'CHANNEL_NOT_OPEN', message: 'not open' });
    await world.settle();
    expect(host.links.size).toBe(1);
    host.step();
    await world.settle();
    expect(channel.view.get().conversation.v).toBe(host.state.v);
  });
});
