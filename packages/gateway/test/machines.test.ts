/** A deck with another machine: two real servers, linked by a small program that stands for ssh. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { findServer } from '@tugdeck/gateway/control/find-server';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { parseConfiguration } from '@tugdeck/machine/configuration';
import type { DeckMessage } from '@tugdeck/protocol/wire/deck';
import { FEED } from '@tugdeck/protocol/wire/frames';
import type { Visit } from '@tugdeck/testkit/visit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunningServer } from '../src/main.ts';
import { prompt, signIn, TestPage, type TestPlace, testPlace } from './test-server.ts';

/** Connects to a server's socket, as `tugdeck bridge` does. */
const BRIDGE = `
const { connect } = require('node:net');
const { existsSync, writeFileSync } = require('node:fs');
const [socket, cut] = process.argv.slice(1);
if (existsSync(cut)) { console.error('devbox: no route to host'); process.exit(255); }
writeFileSync(cut + '.pid', String(process.pid));
const server = connect(socket, () => { server.write('{"type":"link"}\\n'); process.stdin.pipe(server); server.pipe(process.stdout); });
const end = () => process.exit(0);
server.on('close', end).on('error', end); process.stdin.on('end', end);
`;

/** A web server on a free port, which it prints. */
const APP = `
const server = require('node:http').createServer((request, response) => {
  if (request.url === '/echo') return request.pipe(response);
  response.setHeader('content-type', 'text/html');
  response.end(request.method + ' ' + request.url + ' ' + request.headers.host);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit());
`;

async function portOf({ stdout }: ChildProcess): Promise<number> {
  const [chunk] = (await once(stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return Number(chunk.toString());
}

/** A request to the preview proxy, whose names need no DNS here. */
function get(url: URL, headers: Record<string, string>, body?: Buffer) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port: url.port, path: url.pathname, agent: false },
        ...{ method: body ? 'POST' : 'GET', headers: { host: url.host, ...headers } },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts).toString(),
          }),
        );
      },
    );
    sent.on('error', reject).end(body);
  });
}

let here: TestPlace;
let there: TestPlace;
let deck: RunningServer;
let devbox: RunningServer;
let visit: Visit;
let page: TestPage;
let project = '';
let cut = '';

const socketOf = (place: TestPlace) => findServer(dataDirectory(place.root).ledger)?.socket ?? '';
const command = (place: TestPlace) => [process.execPath, '-e', BRIDGE, '--', socketOf(place), cut];

beforeEach(async () => {
  here = testPlace();
  there = testPlace();
  cut = join(here.project, '..', 'cut');
  devbox = await there.start();
  project = (await devbox.add(there.project, {}, { trust: true })).project;
  deck = await here.start({ config: { machines: { devbox: { command: command(there) } } } });
  const { url } = await deck.add(here.project, {});
  visit = await signIn(url);
  page = await TestPage.open(deck, visit);
  await page.welcome();
  await online();
});
afterEach(async () => {
  await page.close().catch(() => undefined);
  await here.clear();
  await there.clear();
});

const isHead = (message: DeckMessage, state: string) =>
  message.type === 'deck' &&
  message.deck.machines?.some((one) => one.id === 'devbox' && one.state === state) === true;

/** The head with the machine in this state and its project. */
async function online(from = page): Promise<void> {
  const has = (message: DeckMessage) =>
    (message.type === 'welcome' || message.type === 'deck') &&
    message.deck.machines?.[0]?.state === 'online' &&
    message.deck.projects.some(({ id }) => id === project);
  await from.deckMessage(has);
}

/** Cuts the link, and keeps it cut. */
async function cutLink(): Promise<void> {
  page.received.length = 0;
  writeFileSync(cut, '');
  process.kill(Number(readFileSync(`${cut}.pid`, 'utf8')), 'SIGKILL');
  await page.deckMessage((message) => isHead(message, 'offline'));
}

async function mendLink(): Promise<void> {
  page.received.length = 0;
  rmSync(cut);
  await page.deckMessage((message) => isHead(message, 'online'));
}

async function sessionThere(): Promise<string> {
  const session = randomUUID();
  expect(await page.request({ type: 'session.create', session, project, agent: 'tester' })).toMatchObject({
    type: 'done',
  });
  expect(await page.request({ type: 'channel.open', channel: 1, session })).toMatchObject({ type: 'done' });
  return session;
}

describe('a linked machine', () => {
  test('N7 its projects, agents and sessions are in the deck, under its local name', async () => {
    const session = await sessionThere();
    const other = await TestPage.open(deck, visit);
    const { deck: whole } = await other.welcome();
    expect(whole.machines).toMatchObject([{ id: 'devbox', state: 'online', defaultAgent: 'tester' }]);
    expect(whole.projects.map(({ machine, path }) => [machine, path])).toEqual([
      [expect.stringMatching(/^[0-9a-f-]{36}$/), here.project],
      ['devbox', there.project],
    ]);
    const last = await other.deckMessage((message) => message.type === 'rows' && message.more === false);
    expect(last).toMatchObject({ rows: [{ id: session, machine: 'devbox', project }] });
    await other.close();
  });

  test('N7 conversations, areas, files, uploads, blobs and folders work there', async () => {
    const session = await sessionThere();
    page.send(FEED.conversationIn, 1, { type: 'follow' });
    page.send(FEED.conversationIn, 1, prompt('hello'));
    await page.hostMessage(1, ({ type }) => type === 'receipt');

    writeFileSync(join(there.project, 'far.txt'), 'far away');
    const where = `project=${project}&path=far.txt`;
    expect(await (await visit.fetch(`/api/file/text?${where}`)).json()).toMatchObject({ text: 'far away' });
    const raw = await visit.fetch(`/api/file/raw?${where}`);
    expect(await raw.text()).toBe('far away');
    expect(raw.headers.get('content-security-policy')).toContain('sandbox');
    expect(raw.headers.get('x-content-type-options')).toBe('nosniff');
    const type = 'application/vnd.tugdeck.file';
    const up = await visit.fetch(`/api/file/upload?project=${project}&path=up.bin`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: Buffer.alloc(300_000, 7),
    });
    expect(up.status).toBe(201);
    expect(readFileSync(join(there.project, 'up.bin')).equals(Buffer.alloc(300_000, 7))).toBe(true);

    const blob = await visit.fetch(`/api/upload/${session}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: Buffer.from('blob'),
    });
    expect(blob.status).toBe(201);

    const config = await visit.fetch(`/api/brought?project=${project}&agent=tester`);
    expect([config.status, await config.json()]).toEqual([200, expect.objectContaining({ brought: [] })]);

    mkdirSync(join(there.project, 'inner'));
    const browse = await visit.fetch(`/api/browse?machine=devbox&path=${encodeURIComponent(there.project)}`);
    expect(await browse.json()).toMatchObject({ folders: [{ name: 'inner' }] });

    await page.request({ type: 'feed.open', channel: 2, feed: 'files', about: { project } });
    expect(await page.call('files', 2, { do: 'list', folder: '' })).toMatchObject({
      entries: expect.arrayContaining([expect.objectContaining({ name: 'far.txt' })]),
    });
    await page.request({ type: 'feed.open', channel: 3, feed: 'settings', about: { machine: 'devbox' } });
    expect(await page.call('settings', 3, { type: 'read' })).toMatchObject({ dataDirectory: there.root });
    const added = join(there.project, 'inner');
    expect(await page.request({ type: 'project.add', path: added, machine: 'devbox' })).toMatchObject({
      type: 'done',
    });
    expect((await fetchDeck()).projects.map(({ path }) => path)).toContain(added);
  });

  test('N7 a web server there is shown in a preview here, through the link', async () => {
    const app = spawn(process.execPath, ['-e', APP], {
      cwd: there.project,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const elsewhere = spawn(process.execPath, ['-e', APP], {
      cwd: here.project,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      const [port, foreign] = await Promise.all([portOf(app), portOf(elsewhere)]);
      await page.request({ type: 'feed.open', channel: 4, feed: 'preview', about: { project } });
      expect(await page.call('preview', 4, { type: 'ports' })).toEqual({ ports: [{ port, name: 'node' }] });
      const held = await page.call('preview', 4, { type: 'open', address: `localhost:${foreign}` });
      expect(held).toMatchObject({ type: 'held', port: foreign });

      const open = { type: 'open', address: `localhost:${port}/hello` };
      const { url, origin } = (await page.call('preview', 4, open)) as { url: string; origin: string };
      const frame = new URL(url);
      const signedIn = await get(frame, {});
      expect([signedIn.status, signedIn.headers.location]).toEqual([303, '/hello']);
      const cookie = String(signedIn.headers['set-cookie']?.[0]).split(';')[0] ?? '';
      const shown = await get(new URL('/hello', origin), { cookie, accept: 'text/html' });
      expect(shown.body).toContain(`GET /hello localhost:${port}`);
      expect(shown.headers['set-cookie']).toBeUndefined();
      // Larger than a window of the link, in both directions.
      const large = Buffer.alloc(3_000_000, 'x');
      const echoed = await get(new URL('/echo', origin), { cookie, origin }, large);
      expect(Buffer.from(echoed.body).equals(large)).toBe(true);

      await page.call('preview', 4, { type: 'end', port });
      expect((await get(new URL('/hello', origin), { cookie })).status).toBe(421);
    } finally {
      app.kill();
      elsewhere.kill();
    }
  });

  test('N17 names the machines that have a project, by its remote, with their free memory', async () => {
    const clone = (directory: string, url: string) => {
      execFileSync('git', ['init', '-q', directory]);
      execFileSync('git', ['-C', directory, 'remote', 'add', 'origin', url]);
    };
    const places = async (id: string) => {
      const answer = await visit.fetch(`/api/places?project=${id}`);
      return ((await answer.json()) as { places: Record<string, unknown>[] }).places;
    };
    const { projects } = await fetchDeck();
    const own = projects.find(({ machine }) => machine !== 'devbox')?.id ?? '';
    expect(await places(own)).toEqual([{ project: own, freeMemory: expect.any(Number) }]);
    clone(here.project, 'https://user:secret@Git.example/team/shop.git');
    clone(there.project, 'git@git.example:team/shop');
    for (const id of [own, project]) {
      const found = await places(id);
      expect(found.map(({ project: one, machine }) => [one, machine]).sort()).toEqual(
        [
          [own, undefined],
          [project, 'devbox'],
        ].sort(),
      );
      expect(Number(found[0]?.freeMemory)).toBeGreaterThanOrEqual(Number(found[1]?.freeMemory));
    }
    await cutLink();
    expect((await places(own)).map(({ machine }) => machine)).toEqual([undefined]);
  });

  test('N13 its rows stay while it is offline, also after a restart, with the time and the reason', async () => {
    const session = await sessionThere();
    await page.deckMessage(
      (message) => message.type === 'rows' && message.rows.some(({ id }) => id === session),
    );
    await cutLink();
    const offline = await fetchDeck();
    expect(offline.machines).toMatchObject([{ id: 'devbox', state: 'offline', seenAt: expect.any(Number) }]);
    expect(offline.projects.map(({ machine }) => machine)).toContain('devbox');
    const refused = await page.request({ type: 'session.rename', session, title: 'new' });
    expect(refused).toMatchObject({ type: 'error', code: 'HOST_UNAVAILABLE', message: 'devbox is offline.' });
    await expect.poll(async () => (await fetchDeck()).machines?.[0]?.fault).toBe('devbox: no route to host');

    await page.close();
    await deck.close();
    deck = await here.start({ config: { machines: { devbox: { command: command(there) } } } });
    visit = await signIn((await deck.add(here.project, {})).url);
    page = await TestPage.open(deck, visit);
    await page.welcome();
    const rows = await page.deckMessage(
      (message) => message.type === 'rows' && message.rows.some(({ id }) => id === session),
    );
    expect(rows).toBeDefined();
    const { projects } = await fetchDeck();
    expect(projects.map(({ machine }) => machine)).toContain('devbox');
  });

  test('N10 a cut channel is reported, waits for the machine, and then continues', async () => {
    const session = await sessionThere();
    page.send(FEED.conversationIn, 1, { type: 'follow' });
    const first = prompt('one');
    page.send(FEED.conversationIn, 1, first);
    await page.hostMessage(1, ({ type }) => type === 'receipt');
    await cutLink();
    await page.deckMessage((message) => message.type === 'error' && message.channel === 1);
    const opened = page.request({ type: 'channel.open', channel: 2, session });
    await mendLink();
    expect(await opened).toMatchObject({ type: 'done' });
    page.send(FEED.conversationIn, 2, { type: 'follow' });
    // The same command again, as a page that got no receipt would send it.
    page.send(FEED.conversationIn, 2, first);
    const receipt = await page.hostMessage(2, ({ type }) => type === 'receipt');
    expect(receipt).toMatchObject({ command: first.command.id });
  });

  test('N20 machines come from config.json itself, never from a project, and have harmless names', async () => {
    expect(() =>
      parseConfiguration('config.json', JSON.stringify({ projects: { '/p': { machines: {} } } })),
    ).toThrow();
    for (const name of ['-oProxyCommand=x', 'a b', '', '../x']) {
      expect(() => parseConfiguration('c', JSON.stringify({ machines: { [name]: {} } }))).toThrow();
    }
  });

  test('N6 a machine reached under two names, or this one itself, is one machine', async () => {
    await page.close();
    await deck.close();
    const machines = {
      devbox: { command: command(there) },
      again: { command: command(there) },
    };
    deck = await here.start({ config: { machines } });
    visit = await signIn((await deck.add(here.project, {})).url);
    page = await TestPage.open(deck, visit);
    await page.welcome();
    await expect
      .poll(async () => (await fetchDeck()).machines?.map(({ fault }) => fault).join())
      .toMatch(/This is the same machine as (?:devbox|again)\./);
    const { projects } = await fetchDeck();
    expect(projects.filter(({ id }) => id === project)).toHaveLength(1);
  });
});

/** The deck as a new page gets it. */
async function fetchDeck() {
  const other = await TestPage.open(deck, visit);
  const { deck: whole } = await other.welcome();
  await other.close();
  return whole;
}
