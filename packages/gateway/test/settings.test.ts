import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsSchema } from '@tugdeck/protocol/settings/settings-messages';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../src/main.ts';
import { pageWithSession, signIn, TestPage, type TestPlace, testPlace } from './test-server.ts';

let place: TestPlace;
let server: RunningServer;
let page: TestPage;

beforeEach(async () => {
  place = testPlace();
  server = await place.start();
  ({ page } = await pageWithSession(place, server));
  await page.request({ type: 'feed.open', channel: 9, feed: 'settings', about: {} });
});
afterEach(() => place.clear());

const file = () => join(place.root, 'config.json');
const call = async (request: object) => settingsSchema.parse(await page.call('settings', 9, request));
test('W6 a change on the page is written to the file and applies to every page at once', async () => {
  expect(await call({ type: 'read' })).toMatchObject({ text: '', values: {} });
  const node = process.execPath;
  const after = await call({ type: 'set', path: ['agents', 'mine', 'command'], value: node });
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ agents: { mine: { command: node } } });
  expect(after.values).toEqual({ agents: { mine: { command: node } } });
  await call({ type: 'set', path: ['builds', 'test'], value: 'true' });
  const gone = await call({ type: 'set', path: ['builds', 'test'], value: null });
  expect(gone.values).toEqual({ agents: { mine: { command: node } }, builds: {} });
});

test('W6 an edit of the file applies and is published; an invalid one changes nothing and is reported', async () => {
  // Startup values override the file: here the server was started with its own agents.
  writeFileSync(file(), JSON.stringify({ agent: 'tester', builds: { a: 'true' } }));
  await page.push(
    9,
    (push) =>
      settingsSchema.safeParse((push as { settings: unknown }).settings).data?.values?.builds !== undefined,
  );
  expect((await call({ type: 'read' })).stronger).toContain('agents');
  writeFileSync(file(), '{ "agents": ');
  await page.push(9, (push) => (push as { settings: { problem?: string } }).settings.problem !== undefined);
  await expect(call({ type: 'set', path: ['open'], value: false })).rejects.toMatchObject({
    code: 'DATA_UNREADABLE',
  });
  expect(readFileSync(file(), 'utf8')).toBe('{ "agents": ');
});

test('W6 an invalid value, or one based on an outdated file, is not written', async () => {
  await expect(call({ type: 'set', path: ['port'], value: 'many' })).rejects.toMatchObject({
    code: 'DATA_UNREADABLE',
  });
  await expect(call({ type: 'set', path: ['__proto__', 'x'], value: 1 })).rejects.toMatchObject({
    code: 'INVALID_MESSAGE',
  });
  await expect(call({ type: 'write', text: '{}', was: 'something else' })).rejects.toMatchObject({
    code: 'CONFIGURATION_CHANGED',
  });
  await expect(call({ type: 'write', text: '{', was: '' })).rejects.toMatchObject({
    code: 'DATA_UNREADABLE',
  });
  expect(existsSync(file())).toBe(false);
});

test('X29 signed-in browsers are listed, this one is marked, another is revoked and disconnected', async () => {
  const { url } = await server.add(place.project, {});
  const other = await TestPage.open(server, await signIn(url));
  await other.welcome();
  const { exposure } = await call({ type: 'read' });
  expect(exposure).toMatchObject({ host: '127.0.0.1', isLoopback: true, origin: server.origin });
  expect(exposure.signIns.map(({ isThis }) => isThis).sort()).toEqual([false, true]);
  const stranger = exposure.signIns.find(({ isThis }) => !isThis);
  const closed = new Promise((resolve) => other.socket.once('close', resolve));
  const after = await call({ type: 'revoke', signIn: stranger?.id });
  await closed;
  expect(after.exposure.signIns).toHaveLength(1);
  await expect(call({ type: 'revoke', signIn: stranger?.id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('W6 an agent added on the page is available at once', async () => {
  const fresh = testPlace();
  try {
    const tester = { command: join(fresh.root, '..', 'agent'), protocol: 'acp', label: 'Tester' };
    mkdirSync(fresh.root, { recursive: true });
    writeFileSync(join(fresh.root, 'config.json'), JSON.stringify({ agents: { tester } }));
    const running = await fresh.start();
    const { url } = await running.add(fresh.project, {});
    page = await TestPage.open(running, await signIn(url));
    await page.welcome();
    await page.request({ type: 'feed.open', channel: 9, feed: 'settings', about: {} });
    await call({
      type: 'set',
      path: ['agents', 'mine'],
      value: { command: process.execPath, label: 'Mine' },
    });
    const message = await page.deckMessage(
      (message) => message.type === 'deck' && message.deck.agents.some(({ name }) => name === 'mine'),
    );
    expect(message).toMatchObject({
      deck: { agents: expect.arrayContaining([expect.objectContaining({ label: 'Mine', installed: true })]) },
    });
  } finally {
    await fresh.clear();
  }
});
