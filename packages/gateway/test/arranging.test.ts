import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import type { DeckMessage, SessionRow } from '@tugdeck/protocol/wire/deck';
import type { Visit } from '@tugdeck/testkit/visit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../src/main.ts';
import {
  fetchAs,
  fetchUrl,
  pageWithSession,
  type TestPage,
  type TestPlace,
  testPlace,
} from './test-server.ts';

let place: TestPlace;
let server: RunningServer;
let page: TestPage;
let session: string;
let project: string;
let visit: Visit;

beforeEach(async () => {
  place = testPlace();
  server = await place.start();
  ({ page, session, project, visit } = await pageWithSession(place, server));
});
afterEach(() => place.clear());

const rowReceived = async (fits: (row: SessionRow) => boolean): Promise<SessionRow> => {
  const received = await page.deckMessage((message) => message.type === 'session' && fits(message.row));
  if (received.type !== 'session') throw new Error('no row');
  return received.row;
};
const projectsOf = (message: DeckMessage) =>
  message.type === 'deck' ? message.deck.projects.map(({ name }) => name) : [];

test('S4 projects can be renamed and reordered, for every page and after a restart', async () => {
  for (const name of ['b', 'c']) {
    mkdirSync(join(place.root, '..', name));
    await page.request({ type: 'project.add', path: join(place.root, '..', name) });
  }
  await page.request({ type: 'project.rename', project, name: '  First  ' });
  await page.deckMessage((message) => projectsOf(message)[0] === 'First');
  const added = await page.deckMessage((message) => projectsOf(message).length === 3);
  const last = added.type === 'deck' ? added.deck.projects.at(-1)?.id : undefined;
  await page.request({ type: 'project.move', project: last, before: project });
  await page.deckMessage((message) => projectsOf(message).join() === 'c,First,b');
  await page.request({ type: 'project.move', project });
  await page.deckMessage((message) => projectsOf(message).join() === 'c,b,First');
  expect(await page.request({ type: 'project.move', project, before: 'nobody' })).toMatchObject({
    code: 'PROJECT_NOT_FOUND',
  });
  expect(await page.request({ type: 'project.rename', project, name: '  ' })).toMatchObject({
    code: 'INVALID_MESSAGE',
  });
  await server.close();
  server = await place.start();
  const again = await pageWithSession(place, server);
  const { deck } = await again.page.welcome();
  expect(deck.projects.map(({ name }) => name)).toEqual(['c', 'b', 'First']);
});

test('S5 a deleted session goes to the trash, ends, can be restored, and is removed after a while', async () => {
  await page.request({ type: 'session.delete', session });
  await rowReceived((row) => row.trashedAt !== undefined);
  const refused = await page.request({ type: 'session.delete', session: randomUUID() });
  expect(refused).toMatchObject({ code: 'SESSION_NOT_FOUND' });
  page.received.length = 0;
  await page.request({ type: 'session.restore', session });
  expect((await rowReceived(() => true)).trashedAt).toBeUndefined();
  await page.request({ type: 'session.delete', session });
  const { root } = dataDirectory(place.root).session(session);
  mkdirSync(root, { recursive: true });
  await server.close();
  server = await place.start({ now: () => Date.now() + 31 * 24 * 3_600_000 });
  await expect.poll(() => existsSync(root)).toBe(false);
  const { deck } = await (await pageWithSession(place, server)).page.welcome();
  expect(deck.sessions.map(({ id }) => id)).not.toContain(session);
});

test('D7 shares the last seen entry with all pages and never moves it back', async () => {
  await page.request({ type: 'session.seen', session, entries: 7 });
  expect((await rowReceived(({ seen }) => seen === 7)).id).toBe(session);
  page.received.length = 0;
  await page.request({ type: 'session.seen', session, entries: 3 });
  expect((await rowReceived(() => true)).seen).toBe(7);
});

test('S4 browsing lists folders only, marks repositories, and refuses unreadable ones', async () => {
  const base = join(place.root, '..', 'browsed');
  for (const name of ['src', '.hidden', 'repo/.git']) mkdirSync(join(base, name), { recursive: true });
  symlinkSync(join(base, 'src'), join(base, 'link'));
  symlinkSync('/nowhere/at/all', join(base, 'broken'));
  const browse = (path: string) =>
    fetchAs(visit, `${server.origin}/api/browse?path=${encodeURIComponent(path)}`);
  const { status, body } = await browse(base);
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({
    folders: [
      { name: 'link', isRepository: false },
      { name: 'repo', isRepository: true },
      { name: 'src', isRepository: false },
      { name: '.hidden', isRepository: false },
    ],
  });
  expect(JSON.parse((await browse('/nowhere')).body)).toMatchObject({
    code: 'PROJECT_PATH_INVALID',
  });
  const stranger = await fetchUrl(`${server.origin}/api/browse?path=/`);
  expect(stranger.status).toBe(401);
});
