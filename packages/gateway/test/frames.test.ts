import { randomUUID } from 'node:crypto';
import { FEED } from '@tugdeck/protocol/wire/frames';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../src/main.ts';
import { pageWithSession, prompt, TestPage, type TestPlace, testPlace } from './test-server.ts';

let place: TestPlace;
let server: RunningServer;

beforeEach(async () => {
  place = testPlace();
  server = await place.start();
});
afterEach(() => place.clear());

const isError = (code: string) => (message: { type: string; code?: string }) =>
  message.type === 'error' && message.code === code;

test('S2 malformed and unknown frames are answered with a code, and the connection stays open', async () => {
  const { page } = await pageWithSession(place, server);
  page.socket.send('text is not a frame');
  await page.deckMessage(isError('INVALID_MESSAGE'));
  const bad: (() => void)[] = [
    () => page.socket.send(new Uint8Array([0x50, 0])),
    () => page.socket.send(new Uint8Array(0)),
    () => page.socket.send(new Uint8Array([0x99, 0, 0, 0, 7, 1, 2])),
    () => page.send(FEED.deck, 0, '{"type":'),
    () => page.send(FEED.deck, 0, '[]'),
    () => page.send(FEED.deck, 0, 'null'),
    () => page.send(FEED.deck, 0, { type: 'no.such.request', id: 'x' }),
    () => page.send(FEED.deck, 5, { type: 'hello', id: 'x', version: 1, build: '' }),
    () => page.send(FEED.conversationOut, 1, []),
    () => page.socket.send(new Uint8Array([0x50, 0, 0, 0, 0, 0xff, 0xfe])),
  ];
  for (const send of bad) {
    page.received.length = 0;
    const answered = page.deckMessage(({ type }) => type === 'error');
    send();
    expect(await answered).toMatchObject({ type: 'error', code: 'INVALID_MESSAGE' });
  }
  expect(await page.request({ type: 'channel.close', channel: 1 })).toMatchObject({ type: 'done' });
});

test('S2 an invalid request is answered with its id', async () => {
  const { page } = await pageWithSession(place, server);
  const answer = await page.request({ type: 'session.rename', session: '', title: '' });
  expect(answer).toMatchObject({ type: 'error', code: 'INVALID_MESSAGE' });
});

test('S2 an invalid message on one channel does not affect others', async () => {
  const { page, session } = await pageWithSession(place, server);
  await page.request({ type: 'channel.open', channel: 2, session });
  page.send(FEED.conversationIn, 2, { type: 'follow' });
  await page.hostMessage(2, ({ type }) => type === 'changes');
  const id = randomUUID();
  const bad = [
    '{',
    { type: 'what' },
    { type: 'command', command: { kind: 'what', id } },
    { type: 'end' },
    { type: 'watch' },
    { type: 'protocol_init', version: 1 },
  ];
  for (const message of bad) {
    page.received.length = 0;
    const answered = page.hostMessage(1, ({ type }) => type === 'error');
    page.send(FEED.conversationIn, 1, message);
    expect(await answered).toMatchObject({ code: 'INVALID_MESSAGE' });
  }
  page.send(FEED.conversationIn, 77, { type: 'follow' });
  expect(await page.deckMessage(isError('CHANNEL_NOT_OPEN'))).toMatchObject({ channel: 77 });
  page.send(FEED.conversationIn, 2, prompt('still there', id));
  expect(await page.hostMessage(2, ({ type }) => type === 'receipt')).toMatchObject({ command: id });
});

test('S2 a refused command is named, so that its page need not wait for it', async () => {
  const { page } = await pageWithSession(place, server);
  const id = randomUUID();
  page.send(FEED.conversationIn, 1, { type: 'command', command: { kind: 'prompt.send', id } });
  expect(await page.hostMessage(1, ({ type }) => type === 'error')).toMatchObject({ command: id });
});

test('X2 a message above the limit is refused, and the connection stays open', async () => {
  const { page } = await pageWithSession(place, server);
  page.send(FEED.conversationIn, 1, prompt('x'.repeat(1024 * 1024)));
  expect(await page.deckMessage(isError('PAYLOAD_TOO_LARGE'))).toMatchObject({ channel: 1 });
  expect(await page.request({ type: 'channel.close', channel: 1 })).toMatchObject({ type: 'done' });
});

test('X2 the number of channels per page is limited', async () => {
  await server.close();
  server = await place.start({ limits: { channels: 2 } });
  const { page, session } = await pageWithSession(place, server);
  expect(await page.request({ type: 'channel.open', channel: 2, session })).toMatchObject({ type: 'done' });
  expect(await page.request({ type: 'channel.open', channel: 3, session })).toMatchObject({
    code: 'TOO_MANY',
  });
  expect(await page.request({ type: 'channel.close', channel: 2 })).toMatchObject({ type: 'done' });
  expect(await page.request({ type: 'channel.open', channel: 3, session })).toMatchObject({ type: 'done' });
});

test('S2 an unknown session cannot be opened', async () => {
  const { page } = await pageWithSession(place, server);
  for (const session of [randomUUID(), '../../etc', 'x']) {
    expect(await page.request({ type: 'channel.open', channel: 9, session })).toMatchObject({
      type: 'error',
      code: 'SESSION_NOT_FOUND',
    });
  }
});

test('S3 a page that does not read stops its host, not the server or another page', async () => {
  await server.close();
  // On a slow machine, the paused page would be taken for a dead one and closed, which frees its host.
  server = await place.start({ limits: { heartbeatMs: 3_600_000 } });
  const { page, visit, session } = await pageWithSession(place, server);
  const { existsSync, readFileSync } = await import('node:fs');
  const flood = `${place.root}/sessions/${session}/fake-flood`;
  page.send(FEED.conversationIn, 1, prompt('warm'));
  await page.hostMessage(1, ({ type }) => type === 'receipt');
  page.socket.pause();
  page.send(FEED.conversationIn, 1, prompt('flood 65536'));
  // The host writes its progress only when its own socket is full.
  await expect.poll(() => existsSync(flood)).toBe(true);
  const other = await TestPage.open(server, visit);
  await other.welcome();
  expect(await other.request({ type: 'channel.open', channel: 1, session })).toMatchObject({ type: 'done' });
  // A host that is not stopped makes progress while the server answers another page.
  let held = '';
  for (let same = 0; same < 500; same++) {
    await other.request({ type: 'draft.save', session, text: 'x' });
    const progress = readFileSync(flood, 'utf8');
    if (progress !== held) same = 0;
    held = progress;
  }
  expect(held).not.toBe('done');
  expect(Number(held)).toBeLessThan(32 * 1024);
  let received = 0;
  page.socket.on('message', (data: Buffer) => {
    received += data.length;
  });
  page.socket.resume();
  await expect.poll(() => readFileSync(flood, 'utf8')).toBe('done');
  await expect.poll(() => received).toBeGreaterThan(64 * 1024 * 1024);
});

test('S3 a page whose connection is dead is closed', async () => {
  await server.close();
  // Long enough for a busy machine to answer the pings while the page opens.
  server = await place.start({ limits: { heartbeatMs: 1_000 } });
  const { page } = await pageWithSession(place, server);
  // Without reading, no ping is answered: like a closed laptop.
  page.socket.pause();
  const { requestServer, findServer } = await import('../src/control/control-client.ts');
  const found = findServer(`${place.root}/run/ledger`);
  if (!found) throw new Error('no server');
  await expect
    .poll(async () => {
      const answer = await requestServer(found, { type: 'status' });
      return answer.type === 'status' ? answer.status.pages : -1;
    })
    .toBe(0);
});

test('L8 an unresponsive page does not keep the server from stopping', async () => {
  const { page } = await pageWithSession(place, server);
  page.socket.pause();
  const closed = new Promise((resolve) => page.socket.once('close', resolve));
  await server.close();
  page.socket.resume();
  await closed;
});
