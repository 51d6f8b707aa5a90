/** A hostile machine in the deck (N21, N22): what it claims, sends and refuses changes nothing of this machine. */
import { randomUUID } from 'node:crypto';
import { performServerHandshake } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { LinkedMachine } from '@tugdeck/link/linked-machine';
import { serveLink } from '@tugdeck/link/serve-link';
import { listenOwn } from '@tugdeck/local/own-socket';
import type { AreaChannel, DeckPush, Machine } from '@tugdeck/machine/port';
import type { SearchAnswer } from '@tugdeck/protocol/search/search';
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { FakeMachine, quietLog } from '@tugdeck/testkit/fake-machine';
import type { Visit } from '@tugdeck/testkit/visit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { searchEverywhere } from '../src/machines/search-everywhere.ts';
import type { RunningServer } from '../src/main.ts';
import { signIn, TestPage, type TestPlace, testPlace } from './test-server.ts';

const CARRIER = `
const server = require('node:net').connect(process.argv[1]);
process.stdin.pipe(server); server.pipe(process.stdout);
const end = () => process.exit(0); server.on('close', end).on('error', end); process.stdin.on('end', end);
`;

let place: TestPlace;
let deck: RunningServer;
let visit: Visit;
let page: TestPage;
let own: { project: string; session: string };
let listener: Server;
let answer: (socket: Socket) => void;
const sockets = new Set<Socket>();

beforeEach(async () => {
  place = testPlace();
  const path = join(place.project, '..', 'evil.sock');
  listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    answer(socket);
  });
  answer = (socket) => socket.destroy();
  await listenOwn(listener, path);
  const command = [process.execPath, '-e', CARRIER, '--', path];
  deck = await place.start({ config: { machines: { evil: { command } } } });
  const { url, project } = await deck.add(place.project, {}, { trust: true });
  visit = await signIn(url);
  page = await TestPage.open(deck, visit);
  await page.welcome();
  const session = randomUUID();
  await page.request({ type: 'session.create', session, project, agent: 'tester' });
  own = { project, session };
});
afterEach(async () => {
  await page.close().catch(() => undefined);
  await place.clear();
  for (const socket of sockets) socket.destroy();
  listener.close();
});

const row = (id: string, project: string): SessionRow => ({
  ...{ id, project, agent: 'tester', title: 'Evil', createdAt: 1, activeAt: 1, archived: false, live: false },
});
const projectRow = (id: string) => ({ id, path: '/evil', name: 'Evil', addedAt: 1, machine: 'trusted' });

function evilMachine(whole: Partial<Deck>): FakeMachine {
  const machine = new FakeMachine();
  const base: Deck = { projects: [], agents: [], defaultAgent: '', sessions: [], ...whole };
  const open = machine.openDeck.bind(machine);
  machine.openDeck = (send: (push: DeckPush) => void) =>
    open((push) => send(push.type === 'whole' ? { type: 'whole', deck: base } : push));
  return machine;
}

function serve(machine: Machine): void {
  answer = (socket) =>
    void serveLink(socket, socket, { machine, build: 'evil', environment: {}, log: quietLog });
}

async function currentDeck(): Promise<{ head: Deck; rows: SessionRow[] }> {
  const other = await TestPage.open(deck, visit);
  const { deck: head } = await other.welcome();
  const rows = [...head.sessions];
  if (head.more) {
    await other.deckMessage((message) => message.type === 'rows' && message.more === false);
    for (const item of other.received)
      if ('deck' in item && item.deck.type === 'rows') rows.push(...item.deck.rows);
  }
  await other.close();
  return { head, rows };
}

const state = async () => (await currentDeck()).head.machines?.[0];
const isOnline = () => expect.poll(async () => (await state())?.state).toBe('online');
/** Its rows arrive after it is online; requests about unknown ids stay here. */
const isListed = () =>
  expect.poll(async () => (await currentDeck()).head.projects.map(({ id }) => id)).toContain('evil-project');

test('N21 it cannot claim projects, sessions or the name of another machine', async () => {
  const [stolen, fine] = [randomUUID(), randomUUID()];
  const machine = evilMachine({
    projects: [projectRow(own.project), projectRow('evil-project')],
    sessions: [row(own.session, 'evil-project'), row(stolen, own.project), row(fine, 'evil-project')],
  });
  serve(machine);
  await isOnline();
  await expect.poll(async () => (await currentDeck()).rows.map(({ id }) => id)).toContain(fine);
  const { head, rows } = await currentDeck();
  expect(head.projects.map(({ id, machine: at, path }) => [id, at === 'evil', path])).toEqual([
    [own.project, false, place.project],
    ['evil-project', true, '/evil'],
  ]);
  expect(rows.find(({ id }) => id === own.session)).toMatchObject({ project: own.project });
  expect(rows.map(({ id }) => id)).not.toContain(stolen);
  // Requests about our own ids stay here.
  const found = await visit.fetch(`/api/files?project=${own.project}&q=`);
  expect(found.status).toBe(200);
  expect(machine.opened).toEqual([]);
});

test('N22 it can neither show a project nor open anything', async () => {
  const machine = evilMachine({ projects: [projectRow('evil-project')] });
  serve(machine);
  await isListed();
  page.received.length = 0;
  machine.push({ type: 'show', project: 'evil-project' });
  machine.push({ type: 'session', row: row(randomUUID(), 'evil-project') });
  await page.deckMessage((message) => message.type === 'rows' && message.rows.length === 1);
  expect(page.received.filter((item) => 'deck' in item && item.deck.type === 'show')).toEqual([]);
});

test('N21 none of its HTTP headers and content types reach the browser', async () => {
  const machine = evilMachine({ projects: [projectRow('evil-project')] });
  machine.files.openRaw = async () => ({
    size: 25,
    content: Readable.from([Buffer.from('<script>alert(1)</script>')]),
  });
  serve(machine);
  await isListed();
  for (const [name, type] of [
    ['page.html', 'application/octet-stream'],
    ['pic.svg', 'image/svg+xml'],
  ]) {
    const { headers } = await visit.fetch(`/api/file/raw?project=evil-project&path=${name}`);
    expect(headers.get('content-type')).toContain(type);
    expect(headers.get('content-security-policy')).toMatch(/^sandbox/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    for (const forbidden of ['set-cookie', 'location', 'clear-site-data', 'service-worker-allowed'])
      expect(headers.get(forbidden)).toBeNull();
  }
});

test('N21 an HTTP/2 server with other headers, statuses and pushes is only a broken machine', async () => {
  answer = (socket) => {
    const about = { newest: 1, oldest: 1, machine: randomUUID(), build: 'evil' };
    socket.write(Buffer.concat([Buffer.from('\0tugdeck-link\0'), Buffer.from(`${JSON.stringify(about)}\n`)]));
    socket.once('data', () => {
      const session = performServerHandshake(socket);
      session.on('error', () => undefined);
      session.on('stream', (stream) => {
        stream.on('error', () => undefined);
        stream.respond({
          ':status': 302,
          location: 'https://evil.example',
          'set-cookie': 'a=b',
          'clear-site-data': '"*"',
          'service-worker-allowed': '/',
        });
        stream.end(Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 1, 2, 3]));
      });
    });
  };
  await expect.poll(async () => (await state())?.state).toBe('offline');
  expect((await visit.fetch(`/api/files?project=${own.project}&q=`)).status).toBe(200);
});

test('N21 a message that is too long, invalid or never sent breaks only its own request', async () => {
  const machine = evilMachine({ projects: [projectRow('evil-project')] });
  machine.browse = (async () => {
    throw new CodedError('NOT_FOUND', 'x'.repeat(1_000_000));
  }) as never;
  machine.perform = () => new Promise(() => undefined);
  serve(machine);
  await isListed();
  const browse = await visit.fetch('/api/browse?machine=evil');
  expect((await browse.text()).length).toBeLessThan(50_000);
  // Answered when the link ends, or never if the page closes first.
  page.request({ type: 'project.rename', project: 'evil-project', name: 'x' }).catch(() => undefined);
  expect(await page.request({ type: 'session.rename', session: own.session, title: 'Mine' })).toMatchObject({
    type: 'done',
  });
  // A row that is not a row ends the link, not the deck.
  machine.push({ type: 'session', row: { id: 5 } } as never);
  await expect.poll(async () => (await currentDeck()).rows.map(({ title }) => title)).toContain('Mine');
});

test('N6 it cannot be this machine', async () => {
  const machine = evilMachine({});
  const { head } = await currentDeck();
  (machine as { id: string }).id = head.projects[0]?.machine ?? '';
  serve(machine);
  await expect.poll(async () => (await state())?.fault).toBe('This is the same machine as this one.');
});

test('N21 its search results name only its own sessions, and N15 a machine that never answers is left out', async () => {
  const hit = (session: string) => ({
    ...{ session, kind: 'title' as const, at: 1, agent: 'a', directory: '/', title: session },
    snippet: { text: session, found: [] },
  });
  const answer = (...ids: string[]) => ({ hits: ids.map(hit), more: false, unread: 0 });
  const linked = (search: () => Promise<unknown>) =>
    ({ port: { search }, rows: { owns: (id: string) => id.startsWith('evil') } }) as unknown as LinkedMachine;
  const local = { call: async () => answer('own-1', 'own-2') } as unknown as AreaChannel;
  const remotes = [
    linked(async () => answer('own-1', 'evil-1', 'evil-2')),
    linked(() => new Promise(() => undefined)),
    linked(() => Promise.reject(new CodedError('HOST_UNAVAILABLE'))),
  ];
  const found = await searchEverywhere(local, remotes, () => undefined).call({ query: 'x' });
  expect((found as SearchAnswer).hits.map(({ session }) => session)).toEqual([
    ...['own-1', 'evil-1', 'own-2', 'evil-2'],
  ]);
});
