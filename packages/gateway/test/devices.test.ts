/** Paired devices (N54), and what one that may only read and answer can do (N55): every message and every route is tried. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataDirectory, makePrivate } from '@tugdeck/local/data-directory';
import type { PageRequest } from '@tugdeck/machine/port';
import type { Answer, Command } from '@tugdeck/protocol/conversation/commands';
import type { DeckRequest } from '@tugdeck/protocol/wire/deck';
import { FEED } from '@tugdeck/protocol/wire/frames';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunningServer } from '../src/main.ts';
import { newInstance } from '../src/transport/instance.ts';
import { plainCode } from '../src/transport/pairing-code.ts';
import { savePassword } from '../src/transport/password.ts';
import { createAuthenticator } from '../src/transport/sign-in.ts';
import {
  control,
  fetchAs,
  pageWithSession,
  pairedDevice,
  signIn,
  TestPage,
  type TestPlace,
  testPlace,
} from './test-server.ts';

let place: TestPlace;
let server: RunningServer;
let clock = Date.now();
beforeEach(async () => {
  place = testPlace();
});
afterEach(() => place.clear());

const answerWith = (answer: Answer, rest: object = {}): Extract<Command, { kind: 'request.answer' }> => ({
  kind: 'request.answer',
  id: randomUUID(),
  entry: 'e',
  shown: 'h',
  answer,
  ...rest,
});

describe('a device that may only read and answer', () => {
  let page: TestPage;
  let session: string;
  let project: string;
  beforeEach(async () => {
    server = await place.start();
    ({ session, project } = await pageWithSession(place, server));
    page = await TestPage.open(server, await pairedDevice(place));
  });

  test('N55 it gets the deck without drafts, and the news that it is limited', async () => {
    const own = await TestPage.open(server, await signIn((await server.add(place.project, {})).url));
    await own.welcome();
    await own.request({ type: 'draft.save', session, text: 'unsent' });
    expect(await own.welcome()).toMatchObject({ drafts: { [session]: 'unsent' } });
    expect((await own.welcome()).limited).toBeUndefined();
    expect(await page.welcome()).toMatchObject({ limited: true, drafts: {} });
  });

  test('N55 every deck message but reading is refused', async () => {
    const id = () => randomUUID();
    // A new kind of message does not compile until it is tried here.
    const tries: Record<DeckRequest['type'], { readonly message: object; readonly isAllowed?: true }> = {
      hello: { message: { version: 1, build: 'test' }, isAllowed: true },
      ping: { message: {}, isAllowed: true },
      'project.add': { message: { path: place.project } },
      'project.remove': { message: { project } },
      'project.rename': { message: { project, name: 'x' } },
      'project.move': { message: { project } },
      'project.trust': { message: { project, trust: 'yes' } },
      'agent.prefer': { message: { project, agent: 'tester', option: 'mode', value: 'bypass' } },
      'session.create': { message: { session: id(), project, agent: 'tester' } },
      'session.place': { message: { session } },
      'session.fork': { message: { session: id(), of: session } },
      'session.rename': { message: { session, title: 'x' } },
      'session.archive': { message: { session, archived: true } },
      'session.delete': { message: { session } },
      'session.restore': { message: { session } },
      'session.seen': { message: { session, entries: 0 }, isAllowed: true },
      'channel.open': { message: { channel: 7, session }, isAllowed: true },
      'feed.open': { message: { channel: 8, feed: 'git', about: { project } } },
      'channel.close': { message: { channel: 7 }, isAllowed: true },
      'layout.save': { message: { version: 1, layout: '{}' } },
      'keys.save': { message: { keys: {} } },
      'choice.save': { message: { name: 'theme', value: '"x"' } },
      'draft.save': { message: { session, text: 'x' } },
      'page.sight': { message: { sessions: [session] }, isAllowed: true },
    };
    for (const [type, { message, isAllowed }] of Object.entries(tries)) {
      const reply = await page.request({ type, ...message });
      expect(reply, type).toMatchObject(
        isAllowed ? { type: 'done' } : { type: 'error', code: 'DEVICE_LIMITED' },
      );
    }
  });

  test('N55 of all areas only search and its own notifications open', async () => {
    const folder = fileURLToPath(new URL('../../protocol/src/areas', import.meta.url));
    const names = readdirSync(folder).flatMap(
      (file) => /defineArea\('([^']+)'/.exec(readFileSync(join(folder, file), 'utf8'))?.[1] ?? [],
    );
    expect(names.length).toBeGreaterThan(10);
    const about = { project, session };
    for (const [at, feed] of [...names, 'something-new'].entries()) {
      const reply = await page.request({ type: 'feed.open', channel: 100 + at, feed, about });
      if (feed === 'search' || feed === 'push') expect(reply).toMatchObject({ type: 'done' });
      else expect(reply, feed).toMatchObject({ type: 'error', code: 'DEVICE_LIMITED' });
    }
    // Nothing is open, so nothing can be typed into either.
    page.send(FEED.terminalIn, 100, 'x');
    await page.deckMessage((message) => message.type === 'error' && message.code === 'CHANNEL_NOT_OPEN');
  });

  test('N55 in a session it can read, answer once and stop, and nothing else', async () => {
    await page.request({ type: 'channel.open', channel: 1, session });
    const uuid = randomUUID();
    const id = () => ({ id: randomUUID() });
    const commands: Record<Exclude<Command['kind'], 'request.answer'>, object> = {
      'prompt.send': { text: 'rm -rf /' },
      'prompt.steer': { prompt: 'p' },
      'prompt.edit': { prompt: 'p', text: 'x' },
      'prompt.move': { prompt: 'p', to: 0 },
      'prompt.withdraw': { prompt: 'p' },
      'prompt.resend': { prompt: 'p' },
      'prompt.drop': { prompt: 'p' },
      'turn.cancel': {},
      'session.configure': { option: 'mode', value: 'bypass' },
      'agent.control': { what: 'x' },
      'restore.to': { entry: 'e', parts: { files: true } },
      'restore.undo': { restore: 'r' },
      'restore.finish': { restore: 'r' },
      'restore.leave': { restore: 'r' },
      'agent.restart': {},
      'agent.stop': {},
    };
    const permission = { type: 'permission', behavior: 'allow' } as const;
    const plan = { type: 'plan', approve: true } as const;
    const refused: object[] = [
      ...Object.entries(commands)
        .filter(([kind]) => kind !== 'turn.cancel')
        .map(([kind, rest]) => ({ kind, ...id(), ...rest })),
      answerWith({ ...permission, option: 'allow_always' }),
      answerWith({ ...permission, input: { command: 'rm -rf /' } }),
      answerWith({ ...permission, message: 'and more' }),
      answerWith({ ...permission, interrupt: true }),
      answerWith({ ...permission, behavior: 'deny', option: 'reject_always' }),
      answerWith({ ...plan, mode: 'bypass' }),
      answerWith({ ...plan, plan: 'Delete everything' }),
      answerWith({ ...plan, message: 'and delete everything' }),
      answerWith(permission, { by: 'somebody else' }),
    ];
    for (const command of refused) {
      page.send(FEED.conversationIn, 1, { type: 'command', command });
      const { id: sent } = command as { id: string };
      const reply = await page.hostMessage(1, (message) => 'command' in message && message.command === sent);
      expect(reply, JSON.stringify(command)).toMatchObject({
        type: 'error',
        code: expect.stringMatching(/^DEVICE_LIMITED$|^INVALID_MESSAGE$/),
      });
    }
    const allowed: Command[] = [
      answerWith(permission),
      answerWith({ type: 'permission', behavior: 'deny', message: 'use pnpm', interrupt: true }),
      answerWith(plan),
      answerWith({ type: 'plan', approve: false, message: 'smaller' }),
      answerWith({ type: 'question', answers: { q: { choices: ['a'], other: 'b' } } }),
      answerWith({ type: 'form', action: 'accept', content: { a: 1 } }),
      { kind: 'turn.cancel', id: randomUUID() },
    ];
    for (const command of allowed) {
      page.send(FEED.conversationIn, 1, { type: 'command', command });
      await page.hostMessage(1, (message) => message.type === 'receipt' && message.command === command.id);
    }
    const requests: Record<
      Exclude<PageRequest['type'], 'command'>,
      { readonly rest: object; readonly isAllowed?: true }
    > = {
      follow: { rest: {}, isAllowed: true },
      entries: { rest: { before: 1, limit: 1 }, isAllowed: true },
      text: { rest: { entry: 'e', field: 'text', from: 0 }, isAllowed: true },
      wake: { rest: {} },
      preview: { rest: { id: uuid, entry: 'e' } },
      query: { rest: { command: { id: uuid, what: 'context' } } },
    };
    for (const [type, { rest, isAllowed }] of Object.entries(requests)) {
      page.received.length = 0;
      page.send(FEED.conversationIn, 1, { type, ...rest });
      // An answer to a later request: whatever the first one did has arrived.
      const last = answerWith(permission);
      page.send(FEED.conversationIn, 1, { type: 'command', command: last });
      await page.hostMessage(1, (message) => message.type === 'receipt' && message.command === last.id);
      const errors = page.received.filter(
        (one) => 'message' in one && one.message.type === 'error' && one.message.code === 'DEVICE_LIMITED',
      );
      expect(errors.length, type).toBe(isAllowed ? 0 : 1);
    }
  });

  test('N55 every route is refused, except reading the parts of a conversation and signing out', async () => {
    const folder = fileURLToPath(new URL('../src', import.meta.url));
    const routes = new Set(
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('limited-device.ts'))
        .flatMap((file) => readFileSync(join(folder, file), 'utf8').match(/'\/api\/[^']+'/g) ?? [])
        .map((route) => route.slice(1, -1)),
    );
    expect(routes.size).toBeGreaterThan(8);
    const open = ['/api/me', '/api/sign-out', '/api/sign-in', '/api/blob/:session/:hash', '/api/answer'];
    const visit = await pairedDevice(place);
    for (const route of routes) {
      if (open.includes(route)) continue;
      const url = `${server.origin}${route.replace(':session', session)}?project=${project}&path=a&session=${session}`;
      const codes = await Promise.all(
        ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].map(async (method) => {
          const answer = await fetchAs(visit, url, { method, headers: { origin: server.origin } });
          return `${answer.status} ${(JSON.parse(answer.body) as { code: string }).code}`;
        }),
      );
      expect(new Set(codes), route).toContain('403 DEVICE_LIMITED');
      expect(
        codes.every((code) => code === '403 DEVICE_LIMITED' || code === '404 NOT_FOUND'),
        `${route}: ${codes}`,
      ).toBe(true);
    }
    const signed = await visit.access.signAddress(`/api/file/raw?project=${project}&path=a`);
    expect((await fetch(`${server.origin}${signed}`)).status).toBe(403);
    const blob = await fetchAs(visit, `${server.origin}/api/blob/${session}/${'0'.repeat(64)}`);
    expect(blob.status).toBe(404);
    expect((await fetchAs(visit, `${server.origin}/api/me`)).status).toBe(200);
    const out = await fetchAs(visit, `${server.origin}/api/sign-out`, {
      method: 'POST',
      headers: { origin: server.origin },
    });
    expect(out.status).toBe(204);
    expect((await fetchAs(visit, `${server.origin}/api/me`)).status).toBe(401);
  });
});

describe('pairing', () => {
  test('N54 a device has a name and a time of last use, and revoking it closes its page', async () => {
    server = await place.start({ now: () => clock });
    const { page } = await pageWithSession(place, server);
    await page.request({ type: 'feed.open', channel: 5, feed: 'settings', about: {} });
    const list = async () =>
      (
        (await page.call('settings', 5, { type: 'read' })) as {
          exposure: { signIns: Record<string, unknown>[] };
        }
      ).exposure.signIns;
    const device = await pairedDevice(place, 'Anna’s phone');
    const open = await TestPage.open(server, device);
    clock += 3_600_000;
    await open.request({ type: 'ping' });
    const listed = (await list()).find(({ name }) => name === 'Anna’s phone');
    expect(listed).toMatchObject({ id: device.signIn, isLimited: true, usedAt: clock });
    const gone = new Promise((resolve) => open.socket.once('close', resolve));
    await page.call('settings', 5, { type: 'revoke', signIn: device.signIn });
    await gone;
    expect((await fetchAs(device, `${server.origin}/api/me`)).status).toBe(401);
    expect((await list()).map(({ name }) => name)).not.toContain('Anna’s phone');
  });

  test('N54 a link of Settings signs one device in, at the origin that it can reach', async () => {
    makePrivate(place.root);
    await savePassword(dataDirectory(place.root).password, 'correct horse');
    server = await place.start({ config: { port: 0, origin: 'https://deck.example' } });
    const { page } = await pageWithSession(place, server);
    await page.request({ type: 'feed.open', channel: 5, feed: 'settings', about: {} });
    const pairing = await page.call('settings', 5, { type: 'pair', name: ' Phone ', isLimited: false });
    expect(pairing).toMatchObject({
      url: expect.stringMatching(/^https:\/\/deck\.example\/in\/[\w-]{43}$/),
      code: expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/),
      origin: 'https://deck.example',
    });
    // Where no password form exists, no code is offered.
    const other = testPlace();
    try {
      await other.start();
      expect(
        await control(other.root, { type: 'url', device: { name: '', isLimited: false } }),
      ).not.toHaveProperty('pairing.code');
    } finally {
      await other.clear();
    }
  });

  test('H5 N54 a full disk while the last use of a sign-in is noted does not end the server', () => {
    const noted: number[] = [];
    let isFull = true;
    let now = 1_000_000;
    const auth = createAuthenticator({
      instance: newInstance(),
      origin: 'https://deck.example',
      timings: { tokenMs: 600_000, signInMs: 1_000_000 },
      now: () => now,
      table: {
        find: () => undefined,
        insert: () => undefined,
        used(_id, at) {
          if (isFull) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
          noted.push(at);
        },
        remove: () => undefined,
        removeAll: () => undefined,
        removeOthers: () => undefined,
        list: () => [],
      },
    });
    auth.noteUse('s1');
    isFull = false;
    now += 120_000;
    auth.noteUse('s1');
    expect(noted).toEqual([now]);
  });

  test('N54 a code works once, in any case, for ten minutes, and instead of its link', () => {
    const rows = new Map<string, { id: string; instance: string; expiresAt: number; isLimited: boolean }>();
    let now = 1_000;
    const auth = createAuthenticator({
      instance: newInstance(),
      origin: 'https://deck.example',
      timings: { tokenMs: 600_000, signInMs: 1_000_000 },
      now: () => now,
      table: {
        find: (id) => rows.get(id),
        insert: (row) => void rows.set(row.id, row),
        used: () => undefined,
        remove: (id) => void rows.delete(id),
        removeAll: () => rows.clear(),
        removeOthers: () => undefined,
        list: () => [],
      },
    });
    const visitor = { agent: '', address: '' };
    const device = { name: 'Phone', isLimited: true };
    const first = auth.issuePairing(device);
    const token = auth.redeemCode(` ${first.code.toLowerCase().replace('-', ' ')} `);
    expect(auth.redeemCode(first.code)).toBeUndefined();
    expect(auth.redeem(first.token, visitor)).toBeUndefined();
    const grant = auth.redeem(token ?? '', visitor);
    expect(rows.get(grant?.signIn ?? '')).toMatchObject(device);
    expect(auth.isLimited(grant?.signIn ?? '')).toBe(true);

    const second = auth.issuePairing(device);
    expect(auth.redeem(second.token, visitor)).toBeDefined();
    expect(auth.redeemCode(second.code)).toBeUndefined();

    const third = auth.issuePairing(device);
    now += 600_000;
    expect(auth.redeemCode(third.code)).toBeUndefined();

    const fourth = auth.issuePairing(device);
    auth.revokeAll();
    expect(auth.redeemCode(fourth.code)).toBeUndefined();
    expect(auth.redeemCode('')).toBeUndefined();
    // An unknown sign-in counts as limited.
    expect(auth.isLimited('nobody')).toBe(true);
    expect(plainCode('io-lO 9')).toBe('10109');
  });
});
